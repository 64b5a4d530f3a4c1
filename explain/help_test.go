package explain_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// put writes a file into a folder of the test and returns its path.
func put(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mixed is a table with a number, a category, a date, a text and a column that says
// nothing, for classes or numbers. The number and the category decide.
func mixed(n, classes int) string {
	rng := seed.Stream(11, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("size,colour,day,words,noise,label\n")
	colours, words := []string{"red", "green", "blue"}, []string{"apple", "pear", "plum", "fig", "nut", "kiwi"}
	for range n {
		size, colour := rng.NormFloat64(), rng.IntN(3)
		text := make([]string, 5)
		for j := range text {
			text[j] = words[rng.IntN(len(words))]
		}
		value := size + float64(colour)
		label := fmt.Sprintf("%.4f", value)
		if classes > 0 {
			label = fmt.Sprintf("c%d", int(math.Min(math.Max(value+1, 0), float64(classes)-1)))
		}
		cell := fmt.Sprintf("%.4f", size)
		if rng.IntN(20) == 0 {
			cell = ""
		}
		fmt.Fprintf(&b, "%s,%s,2024-%02d-%02d,%s,%.4f,%s\n", cell, colours[colour], 1+rng.IntN(12), 1+rng.IntN(28),
			strings.Join(text, " "), rng.NormFloat64(), label)
	}
	return b.String()
}

// kinds are files of rows of each kind, of two classes but for the last two.
func kinds(t testing.TB) map[string]string {
	t.Helper()
	rng := seed.Stream(7, seed.Generator, 0)
	word := func(letters string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return string(b)
	}
	var vectors, text, uneven, sets strings.Builder
	for i := range 90 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		y := map[bool]string{true: "even", false: "odd"}[a*a+b*b < 1.4]
		fmt.Fprintf(&vectors, "%s 1:%.4f 3:%.4f\n", y, a, b)
		if i%2 == 0 {
			fmt.Fprintf(&text, "even\ta%sé\n", word("aab", 7))
			fmt.Fprintf(&uneven, "even\t%s\n", word("aab", 5+rng.IntN(9)))
			fmt.Fprintf(&sets, "even,%s,%s,milk\n", word("ab", 2), word("abc", 2))
		} else {
			fmt.Fprintf(&text, "odd\tb%sé\n", word("abb", 7))
			fmt.Fprintf(&uneven, "odd\t%s\n", word("abb", 5+rng.IntN(9)))
			fmt.Fprintf(&sets, "odd,%s,%s,tea\n", word("bc", 2), word("abc", 2))
		}
	}
	return map[string]string{
		"table": put(t, "table.csv", mixed(120, 2)), "libsvm": put(t, "v.libsvm", vectors.String()),
		"strings": put(t, "s.txt", text.String()), "uneven": put(t, "u.txt", uneven.String()),
		"sets": put(t, "b.baskets", sets.String()),
		"many": put(t, "many.csv", mixed(150, 4)), "numbers": put(t, "numbers.csv", mixed(120, 0)),
	}
}

// call reads a map or a learner with hyperparameters.
func call(t testing.TB, text string) spec.Call {
	t.Helper()
	if text == "" {
		return spec.Call{}
	}
	c, err := spec.ParseCall(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// trained is a model of a file.
func trained(t testing.TB, path, kernel, mapped, learner string) *model.Model {
	t.Helper()
	o := job.NewTrainOptions()
	o.Effort = job.Least
	if strings.HasSuffix(path, ".csv") {
		o.Scale = "standard"
	}
	o.Choices.Kernel, o.Choices.Map, o.Choices.Learner = kernel, call(t, mapped), call(t, learner)
	out, err := job.Train(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.Model
}

// read reads a file for a model.
func read(t testing.TB, m *model.Model, path string) (*dataset.Rows, *model.Encoded) {
	t.Helper()
	var parts []*dataset.Rows
	err := m.Encoding.Stream(t.Context(), path, dataset.Options{}, func(r *dataset.Rows) error {
		parts = append(parts, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out := dataset.Join(parts)
	if err := m.Encoding.FindLabels(out); err != nil {
		t.Fatal(err)
	}
	x, err := m.Encode(out)
	if err != nil {
		t.Fatal(err)
	}
	return out, x
}

// truth is what the labels of rows say.
func truth(t testing.TB, m *model.Model, r *dataset.Rows) explain.Truth {
	t.Helper()
	var out explain.Truth
	if m.Regresses() {
		v, err := r.Values(nil)
		if err != nil {
			t.Fatal(err)
		}
		out.Values = v
		return out
	}
	for _, label := range r.Labels {
		c, ok := m.Classes.Index(label)
		if !ok {
			c = -1
		}
		out.Classes = append(out.Classes, c)
	}
	return out
}

// wave is a table of y = 2a + b and noise.
func wave(t testing.TB, n int, s uint64) string {
	rng := seed.Stream(s, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("a,b,c,y\n")
	for range n {
		a, c := rng.NormFloat64(), rng.NormFloat64()
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%.4f\n", a, c, rng.NormFloat64(), 2*a+c+rng.NormFloat64())
	}
	return put(t, "wave.csv", b.String())
}
