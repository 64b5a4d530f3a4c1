package job_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
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

// csv writes numbers and labels as a table with a header.
func csv(t testing.TB, x *data.Matrix, labels []string) string {
	t.Helper()
	var b strings.Builder
	for j := range x.Cols {
		fmt.Fprintf(&b, "x%d,", j+1)
	}
	b.WriteString("label\n")
	for i, y := range labels {
		for _, v := range x.Row(i) {
			fmt.Fprintf(&b, "%v,", v)
		}
		b.WriteString(y + "\n")
	}
	return put(t, "d.csv", b.String())
}

// circle is a table of n points inside and outside of a circle.
func circle(t testing.TB, n int, noise float64) string {
	t.Helper()
	x, y := gen.Circle(gen.Options{N: n, Noise: noise, Seed: 3})
	return csv(t, x, y)
}

// wave is a table of n points (x, z) with sin 3x + z/2 as the number to learn.
func wave(t testing.TB, n int) string {
	t.Helper()
	rng := seed.Stream(5, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("x,z,y\n")
	for range n {
		x, z := 2*rng.Float64(), rng.Float64()
		fmt.Fprintf(&b, "%.6f,%.6f,%.6f\n", x, z, math.Sin(3*x)+z/2)
	}
	return put(t, "wave.csv", b.String())
}

// kinds are files of two classes, one for each kind of instances and one of vectors
// that come from no table.
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
	var vectors, text, sets strings.Builder
	x, y := gen.Circle(gen.Options{N: 90, Seed: 4})
	for i := range 90 {
		fmt.Fprintf(&vectors, "%s 1:%.4f 3:%.4f\n", y[i], x.Row(i)[0], x.Row(i)[1])
		if i%2 == 0 {
			fmt.Fprintf(&text, "even\t%s\n", word("aab", 12))
			fmt.Fprintf(&sets, "even,%s,%s,milk\n", word("ab", 2), word("abc", 2))
		} else {
			fmt.Fprintf(&text, "odd\t%s\n", word("abb", 12))
			fmt.Fprintf(&sets, "odd,%s,%s,tea\n", word("bc", 2), word("abc", 2))
		}
	}
	return map[string]string{
		"table": circle(t, 90, 0), "libsvm": put(t, "v.libsvm", vectors.String()),
		"strings": put(t, "s.txt", text.String()), "sets": put(t, "b.baskets", sets.String()),
	}
}

// call reads a map or a learner with hyperparameters.
func call(t testing.TB, text string) spec.Call {
	t.Helper()
	c, err := spec.ParseCall(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// chosen are options of a kernel, a map and a learner.
func chosen(t testing.TB, kernel, mapped, learner string) job.Options {
	t.Helper()
	o := job.NewOptions()
	o.Choices.Kernel, o.Choices.Map, o.Choices.Learner = kernel, call(t, mapped), call(t, learner)
	return o
}

// train trains with options, and fails the test where that fails.
func train(t testing.TB, path string, o job.TrainOptions) *job.Trained {
	t.Helper()
	out, err := job.Train(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// object is a value as JSON has it.
func object(t testing.TB, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// wantKeys checks that an object has keys.
func wantKeys(t testing.TB, o map[string]any, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if _, ok := o[key]; !ok {
			t.Errorf("there is no key %q", key)
		}
	}
}

// kerf runs the program and returns what it prints.
func kerf(t testing.TB, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	if status := cli.Exec(t.Context(), args, strings.NewReader(""), &out, &said); status != 0 {
		t.Fatalf("kerf %s: exit status %d: %s", strings.Join(args, " "), status, &said)
	}
	return out.String()
}

// wantSameJSON checks that what the program prints with --json is a result of the
// job, keys that depend on the clock and on names of files aside.
func wantSameJSON(t testing.TB, result any, args ...string) {
	t.Helper()
	var printed map[string]any
	if err := json.Unmarshal([]byte(kerf(t, append(args, "--json", "--quiet")...)), &printed); err != nil {
		t.Fatal(err)
	}
	got := object(t, result)
	for _, o := range []map[string]any{got, printed} {
		timeless(o)
	}
	for key := range printed {
		if fmt.Sprint(got[key]) != fmt.Sprint(printed[key]) {
			t.Errorf("%s: the job has %v, the program %v", key, got[key], printed[key])
		}
	}
	if len(got) != len(printed) {
		t.Errorf("the job has %d keys, the program %d", len(got), len(printed))
	}
}

// timeless takes out what depends on the clock and on names of files, at any depth.
func timeless(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range []string{"seconds", "train_seconds", "model", "report", "output"} {
			delete(v, key)
		}
		for _, in := range v {
			timeless(in)
		}
	case []any:
		for _, in := range v {
			timeless(in)
		}
	}
}

// bytesOf is a model as its file has it.
func bytesOf(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// linesOf returns what a job predicts of a file, as the program prints it.
func linesOf(t testing.TB, m *model.Model, path string, o job.PredictOptions) (lines []string) {
	t.Helper()
	err := job.Predict(t.Context(), m, path, o, func(p *job.Predictions) error {
		for i := range p.Predictions {
			lines = append(lines, p.Line(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// near reports whether two numbers are the same but for the order of sums.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }

// wantScores checks that a model scores rows as a pipeline does: bit for bit, and of maps that
// separators are folded into to rounding.
func wantScores[T any](t testing.TB, p *model.Pipeline[T], x data.Source[T], got *data.Matrix) {
	t.Helper()
	want, err := p.ScoreAll(t.Context(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b float64) bool { return a == b }
	if _, ok := p.Map.(feature.Rotation[T]); ok {
		same = near
	}
	if !slices.EqualFunc(got.Data, want.Data, same) {
		t.Error("the scores are others than those of the recipe")
	}
}
