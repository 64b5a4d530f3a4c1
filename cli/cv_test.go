package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// everyKind writes small data of every kind into a folder.
func everyKind(t *testing.T, dir string) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "240", "-o", in("c.csv"))
	mustRun(t, "gen", "circle", "--n", "100", "-o", in("c.libsvm"))
	mustRun(t, "gen", "signatures", "--n", "150", "--dim", "60", "-o", in("s.txt"))
	mustRun(t, "gen", "baskets", "--n", "150", "-o", in("b.baskets"))
	var b strings.Builder
	b.WriteString("x,y,value\n")
	for i := range 200 {
		x, y := float64(i%20)/10-1, float64(i/20)/5-1
		fmt.Fprintf(&b, "%v,%v,%v\n", x, y, x*x+math.Sin(3*y))
	}
	writeFile(t, in("v.csv"), []byte(b.String()))
}

// numbers returns the value of a key in each object of a list.
func numbers(t testing.TB, o any, list, key string) []float64 {
	t.Helper()
	all, err := find(o, list)
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for i := range all.([]any) {
		v, err := find(o, fmt.Sprintf("%s.%d.%s", list, i, key))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, number(v))
	}
	return out
}

// jsonOf runs a command with --json and returns the object that it wrote.
func jsonOf(t *testing.T, args ...string) map[string]any {
	t.Helper()
	o, err := object(mustRun(t, append(args, "--json", "--quiet")...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// without removes keys from objects at any depth.
func without(v any, keys ...string) any {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range keys {
			delete(v, k)
		}
		for _, inner := range v {
			without(inner, keys...)
		}
	case []any:
		for _, inner := range v {
			without(inner, keys...)
		}
	}
	return v
}

func TestCVOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	for _, c := range []struct {
		rows    int
		folds   int // all of them
		measure string
		most    float64 // of the mean
		args    []string
	}{
		{240, 5, "error", 0.1, []string{"c.csv", "--kernel", "rbf(gamma=1)", "--dim", "50", "--C", "10"}},
		{240, 5, "error", 0.1, []string{"c.csv"}},
		{240, 6, "error", 0.1, []string{"c.csv", "--folds", "3", "--repeats", "2", "--map", "f3", "--dim", "20"}},
		{240, 3, "error", 0.2, []string{"c.csv", "--folds", "3", "--learner", "kernel-svm", "--C", "10"}},
		{240, 3, "error", 0.7, []string{"c.csv", "--folds", "3", "--map", "none"}},
		{240, 3, "error", 0.7, []string{"c.csv", "--folds", "3", "--learner", "one-class", "--nu", "0.2"}},
		{100, 2, "error", 0.2, []string{"c.libsvm", "--folds", "2", "--kernel", "rbf(gamma=1)", "--dim", "30"}},
		{200, 4, "rmse", 0.2, []string{"v.csv", "--folds", "4", "--kernel", "rbf(gamma=1)"}},
		{200, 2, "rmse", 0.5, []string{"v.csv", "--folds", "2", "--learner", "kernel-ridge", "--task", "regress",
			"--lambda", "1e-4"}},
		{150, 3, "error", 0.4, []string{"s.txt", "--folds", "3", "--kernel", "normalize(spectrum(k=4))", "--dim", "80"}},
		{150, 3, "error", 0.3, []string{"b.baskets", "--folds", "3"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			args := append([]string{"cv", filepath.Join(dir, c.args[0])}, c.args[1:]...)
			o := jsonOf(t, args...)
			for _, key := range []string{"kernel", "map", "dim", "learner", "task", "n", "seconds", "std." + c.measure,
				"folds.0.n_train", "folds.0.seconds"} {
				if _, err := find(o, key); err != nil {
					t.Error(err)
				}
			}
			values, tested, trained := numbers(t, o, "folds", c.measure), numbers(t, o, "folds", "n"), numbers(t, o, "folds",
				"n_train")
			if len(values) != c.folds {
				t.Fatalf("%d folds, want %d", len(values), c.folds)
			}
			mean, square := 0.0, 0.0
			for i, v := range values {
				mean += v / float64(c.folds)
				if tested[i]+trained[i] != float64(c.rows) {
					t.Errorf("fold %d: %v and %v rows of %d", i, tested[i], trained[i], c.rows)
				}
			}
			for _, v := range values {
				square += (v - mean) * (v - mean) / float64(c.folds-1)
			}
			got, _ := find(o, "mean."+c.measure)
			spread, _ := find(o, "std."+c.measure)
			// Sums of a few numbers of this size are exact to some 1e-16 each.
			if math.Abs(number(got)-mean) > 1e-13 || math.Abs(number(spread)-math.Sqrt(square)) > 1e-13 {
				t.Errorf("mean %v and std %v, want %v and %v", got, spread, mean, math.Sqrt(square))
			}
			if mean > c.most {
				t.Errorf("the mean is %v, above %v", mean, c.most)
			}
			if text := mustRun(t, args...); !strings.Contains(text, "mean") || !strings.Contains(text, "±") {
				t.Errorf("the table lacks the mean: %s", text)
			}
		})
	}
}

// TestCVGroups: with as many folds as groups every group is a fold of its own.
func TestCVGroups(t *testing.T) {
	var b strings.Builder
	b.WriteString("group,a,b,label\n")
	sizes := []int{10, 20, 30, 40}
	for g, n := range sizes {
		for i := range n {
			fmt.Fprintf(&b, "g%d,%d,%d,%s\n", g, i%7, i%5, []string{"x", "y"}[i%2])
		}
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "g.csv"), []byte(b.String()))
	o := jsonOf(t, "cv", path, "--groups", "group", "--folds", "4", "--dim", "10")
	found := map[float64]bool{}
	for _, n := range numbers(t, o, "folds", "n") {
		found[n] = true
	}
	if !reflect.DeepEqual(found, map[float64]bool{10: true, 20: true, 30: true, 40: true}) {
		t.Errorf("the folds have %v rows", found)
	}
	wantFailure(t, 3, "nosuch", "cv", path, "--groups", "nosuch")
	wantFailure(t, 3, "fewer groups", "cv", path, "--groups", "group", "--folds", "5")
	wantFailure(t, 2, "--groups", "cv", path, "--groups", "")
	wantFailure(t, 3, ":3", "cv", writeFile(t, filepath.Join(t.TempDir(), "m.csv"),
		[]byte("g,a,label\n1,2,x\n,3,y\n2,2,x\n2,3,y\n")), "--groups", "g", "--folds", "2")
	mustRun(t, "gen", "circle", "--n", "40", "-o", path+".libsvm")
	wantFailure(t, 2, "tables", "cv", path+".libsvm", "--groups", "1")
}

// TestCVUnseenClass: a class of one row cannot be learnt when it is tested.
func TestCVUnseenClass(t *testing.T) {
	text := table(40) + "3,3,z\n"
	path := writeFile(t, filepath.Join(t.TempDir(), "u.csv"), []byte(text))
	status, out, warned := kerf(t, "cv", path, "--folds", "4", "--dim", "5", "--json")
	if status != 0 || !strings.Contains(warned, `"z"`) {
		t.Fatalf("status %d, %s", status, warned)
	}
	if _, err := object(out); err != nil {
		t.Error(err)
	}
	two := writeFile(t, filepath.Join(t.TempDir(), "two.csv"), []byte("a,label\n1,x\n2,x\n3,x\n4,y\n"))
	wantFailure(t, 3, "single class", "cv", two, "--folds", "2")
}

func TestCVFailures(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	c, v := filepath.Join(dir, "c.csv"), filepath.Join(dir, "v.csv")
	for _, f := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "usage", []string{}},
		{2, "--folds is 1", []string{c, "--folds", "1"}},
		{2, "--folds", []string{c, "--folds", "x"}},
		{2, "--repeats is 0", []string{c, "--repeats", "0"}},
		{2, "unknown learner", []string{c, "--learner", "magic"}},
		{2, "--holdout", []string{c, "--holdout", "0.3"}},
		{2, "--scale", []string{c, "--scale", "weird"}},
		{3, "use fewer --folds", []string{c, "--folds", "300"}},
		{3, "no such file", []string{filepath.Join(dir, "missing.csv")}},
		{3, "different values", []string{v, "--task", "classify"}},
		{3, "not a number", []string{writeFile(t, filepath.Join(dir, "x.csv"), []byte(table(40))), "--task", "regress"}},
		{3, "unknown kernel", []string{c, "--kernel", "magic"}},
		{3, "not a kernel", []string{c, "--kernel", "sigmoid(gamma=1,coef=-2)"}},
		{1, "memory", []string{c, "--max-memory", "1k"}},
	} {
		wantFailure(t, f.status, f.says, append([]string{"cv"}, f.args...)...)
	}
}

func TestCVDoesNotDependOnWorkers(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	for _, args := range [][]string{
		{"cv", filepath.Join(dir, "c.csv"), "--folds", "3", "--dim", "60"},
		{"cv", filepath.Join(dir, "v.csv"), "--folds", "3"},
	} {
		first := without(jsonOf(t, append(args, "--workers", "1")...), "seconds")
		for _, workers := range []string{"2", "3"} {
			if got := without(jsonOf(t, append(args, "--workers", workers)...), "seconds"); !reflect.DeepEqual(got, first) {
				a, _ := json.Marshal(got)
				b, _ := json.Marshal(first)
				t.Errorf("%s workers:\n%s\n%s", workers, a, b)
			}
		}
	}
}

func TestCVInterrupt(t *testing.T) {
	dir := t.TempDir()
	big := filepath.Join(dir, "big.csv")
	mustRun(t, "gen", "circle", "--n", "40000", "--noise", "0.1", "-o", big)
	for _, args := range [][]string{
		{"cv", big, "--dim", "1000"},
		{"tune", big, "-o", filepath.Join(dir, "new.kerf"), "--trials", "200"},
	} {
		hit := false
		for _, after := range []time.Duration{50 * time.Millisecond, 500 * time.Millisecond} {
			hit = interrupted(t, after, dir, nil, args...) || hit
		}
		if !hit {
			t.Errorf("%s was done before it was cancelled", args[0])
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new.kerf")); err == nil {
		t.Error("a model was written")
	}
}
