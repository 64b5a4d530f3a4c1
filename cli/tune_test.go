package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTuneOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	for _, c := range []struct {
		measure string
		most    float64 // of the best
		keys    string  // that the best must have beside the measure
		args    []string
	}{
		{"error", 0.06, "C", []string{"c.csv", "--holdout", "0.3"}},
		{"error", 0.06, "C", []string{"c.csv", "--search", "grid", "--trials", "27"}},
		{"error", 0.1, "C", []string{"c.csv", "--search", "random", "--kernel", "rbf(gamma=1)", "--dim", "40"}},
		{"error", 0.1, "C", []string{"c.csv", "--kernel", "laplace", "--learner", "kernel-svm", "--trials", "8"}},
		{"error", 0.1, "lambda", []string{"c.csv", "--learner", "falkon", "--trials", "6", "--dim", "40"}},
		{"error", 0.1, "", []string{"c.csv", "--learner", "ridge", "--map", "f3", "--trials", "5", "--folds", "2"}},
		{"error", 0.7, "C", []string{"c.csv", "--map", "none", "--trials", "3"}},
		{"error", 0.2, "C", []string{"c.libsvm", "--trials", "8"}},
		{"rmse", 0.1, "", []string{"v.csv", "--trials", "8", "--holdout", "0.25"}},
		{"rmse", 0.3, "C", []string{"v.csv", "--learner", "svr", "--trials", "8"}},
		{"error", 0.2, "C", []string{"s.txt", "--as", "strings", "--trials", "10", "--test", "s.txt"}},
		{"error", 0.1, "C", []string{"b.baskets", "--trials", "10"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Chdir(dir)
			args := append([]string{"tune", "-o", "m.kerf"}, c.args...)
			o := jsonOf(t, args...)
			for _, key := range []string{"best.kernel", "best.map", "best.dim", "trials.0." + c.measure, "test", "seconds",
				"status", "best." + cmp(c.keys, "kernel")} {
				if _, err := find(o, key); err != nil {
					t.Error(err)
				}
			}
			best, _ := find(o, "best."+c.measure)
			if v := number(best); !(v <= c.most) {
				t.Errorf("the best has %s %v, above %v", c.measure, v, c.most)
			}
			if o["model"] != "m.kerf" || o["status"] != "converged" {
				t.Errorf("model %v, status %v", o["model"], o["status"])
			}
			held := strings.Contains(strings.Join(c.args, " "), "--holdout") ||
				strings.Contains(strings.Join(c.args, " "), "--test")
			if (o["test"] != nil) != held {
				t.Errorf("test is %v", o["test"])
			}
			inside, err := object(mustRun(t, "inspect", "m.kerf", "--json"))
			if err != nil || inside["checksum_ok"] != true {
				t.Errorf("the model: %v, %v", inside, err)
			}
			if kernel, _ := find(o, "best.kernel"); inside["kernel"] != kernel {
				t.Errorf("the model has the kernel %v, the best trial %v", inside["kernel"], kernel)
			}
			mustRun(t, "predict", "m.kerf", c.args[0])
			if err := os.Remove("m.kerf"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// cmp returns the first of two that is not empty.
func cmp(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// TestTuneHalving: later rounds have more rows and a third of the candidates,
// and the best comes from the last.
func TestTuneHalving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "3000", "--noise", "0.05", "-o", path)
	o := jsonOf(t, "tune", path, "--trials", "9", "--folds", "2")
	count, rows := map[float64]int{}, map[float64]float64{}
	at := numbers(t, o, "trials", "rows")
	for i, r := range numbers(t, o, "trials", "round") {
		count[r]++
		rows[r] = at[i]
	}
	if want := map[float64]int{1: 9, 2: 3, 3: 1}; !reflect.DeepEqual(count, want) {
		t.Errorf("trials by round: %v, want %v", count, want)
	}
	if rows[1] != 333 || rows[2] != 1000 || rows[3] != 3000 {
		t.Errorf("rows by round: %v", rows)
	}
	if round, _ := find(o, "best.round"); round != 3.0 {
		t.Errorf("the best is of round %v", round)
	}
	text := mustRun(t, "tune", path, "--trials", "9", "--folds", "2", "--quiet")
	for _, part := range []string{"error", "best", "and 3 more", "not kept"} {
		if !strings.Contains(text, part) {
			t.Errorf("the table lacks %q: %s", part, text)
		}
	}
}

// TestTuneTriesKernelsAndMaps: what the flags leave open is searched, and what
// they name is not.
func TestTuneTriesKernelsAndMaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "200", "-o", path)
	for _, c := range []struct {
		kernels, maps string
		args          []string
	}{
		{"laplace linear rbf", "f2 fourier none", nil},
		{"laplace linear rbf", "f2 fourier none", []string{"--search", "grid"}},
		{"laplace rbf", "f2 fourier", []string{"--dim", "20"}},
		{"rbf", "f2 fourier", []string{"--kernel", "rbf"}},
		{"rbf", "f2 fourier", []string{"--kernel", "rbf(gamma=0.5)"}},
		{"laplace", "f2", []string{"--kernel", "laplace"}},
		{"laplace rbf", "f1", []string{"--map", "f1"}},
		{"laplace rbf", "f2", []string{"--select", "kmeans"}},
		{"linear", "none", []string{"--map", "none"}},
		{"laplace rbf", "none", []string{"--learner", "kernel-svm"}},
	} {
		o := jsonOf(t, append([]string{"tune", path, "--trials", "90", "--folds", "2", "--C", "1"}, c.args...)...)
		kernels, ways := map[string]bool{}, map[string]bool{}
		for _, trial := range o["trials"].([]any) {
			trial := trial.(map[string]any)
			name, _, _ := strings.Cut(trial["kernel"].(string), "(")
			kernels[name], ways[trial["map"].(string)] = true, true
		}
		if k, m := strings.Join(slices.Sorted(maps.Keys(kernels)), " "), strings.Join(slices.Sorted(maps.Keys(ways)),
			" "); k != c.kernels || m != c.maps {
			t.Errorf("%v: searched the kernels %s and the maps %s, want %s and %s", c.args, k, m, c.kernels, c.maps)
		}
	}
}

// TestTuneSharesMaps: a width and dimension is mapped once a fold for all of its
// penalties, and each penalty of a fold is one fit.
func TestTuneSharesMaps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "300", "-o", path)
	for _, c := range []struct {
		maps, fits float64
		args       []string
	}{
		{2 * 6, 2 * 30, []string{"--trials", "30", "--search", "random", "--map", "f2"}},
		{2 * 4, 2 * 12, []string{"--trials", "12", "--search", "random", "--map", "f2"}},
		{2 * 9, 2 * 27, []string{"--trials", "27", "--search", "grid", "--kernel", "rbf", "--map", "f2"}},
		{2 * 1, 2 * 30, []string{"--trials", "30", "--search", "random", "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim",
			"20"}},
		{2 * 9, 2 * 9, []string{"--trials", "9", "--search", "random", "--C", "1", "--map", "f2"}},
		{0, 2 * 9, []string{"--trials", "9", "--search", "grid", "--map", "none"}},
		{0, 2 * 15, []string{"--trials", "15", "--search", "random", "--learner", "kernel-ridge"}},
	} {
		o := jsonOf(t, append([]string{"tune", path, "--folds", "2"}, c.args...)...)
		if o["maps"] != c.maps || o["fits"] != c.fits || len(o["trials"].([]any)) != int(c.fits)/2 {
			t.Errorf("%v: %v maps and %v fits of %d trials, want %v and %v", c.args, o["maps"], o["fits"],
				len(o["trials"].([]any)), c.maps, c.fits)
		}
	}
}

// TestTuneRareClass: the few rows of a class must be in every round.
func TestTuneRareClass(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,b,label\n")
	for i := range 3000 {
		label := "common"
		if i%600 == 0 {
			label = "rare"
		}
		fmt.Fprintf(&b, "%d,%d,%s\n", i%17, i%600, label)
	}
	path := writeFile(t, filepath.Join(t.TempDir(), "rare.csv"), []byte(b.String()))
	o := jsonOf(t, "tune", path, "--trials", "9", "--dim", "30")
	for _, e := range numbers(t, o, "trials", "1-auc") {
		if !(e <= 1) {
			t.Errorf("a trial has the loss %v", e)
		}
	}
}

// TestTuneWidth: the first candidate has the width of the median distance, in a
// kernel by itself to the digits that are printed, and inside of another one.
func TestTuneWidth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "200", "-o", path)
	o := jsonOf(t, "margin", path, "--kernel", "rbf", "--dim", "20")
	var want, alone, inside float64
	if _, err := fmt.Sscanf(o["kernel"].(string), "rbf(gamma=%g)", &want); err != nil {
		t.Fatal(err)
	}
	kernel := func(text string) string {
		k, err := find(jsonOf(t, "tune", path, "--kernel", text, "--trials", "1"), "best.kernel")
		if err != nil {
			t.Fatal(err)
		}
		return k.(string)
	}
	if _, err := fmt.Sscanf(kernel("rbf"), "rbf(gamma=%g)", &alone); err != nil || math.Abs(alone/want-1) > 5e-4 {
		t.Errorf("gamma is %v, want %v: %v", alone, want, err)
	}
	// The width goes through a square and a root.
	if _, err := fmt.Sscanf(kernel("rbf+1"), "rbf(gamma=%g)+1", &inside); err != nil || math.Abs(inside/want-1) > 1e-14 {
		t.Errorf("gamma is %v, want %v: %v", inside, want, err)
	}
	if got := kernel("poly(degree=2)"); !strings.HasPrefix(got, "poly(degree=2") {
		t.Errorf("a kernel that was given became %s", got)
	}
}

// TestTuneFailedCandidates: what fails is in the list, with the reason.
func TestTuneFailedCandidates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "3000", "-o", path)
	m := measure(t, nil, "tune", path, "--trials", "6", "--search", "random", "--kernel", "laplace(gamma=1)", "--C", "1",
		"--max-memory", "38MiB", "--json", "--quiet")
	o, err := object(m.out)
	if err != nil {
		t.Fatalf("%v: %s", err, m.said)
	}
	trials := o["trials"].([]any)
	failed := 0
	for _, trial := range trials {
		message, bad := trial.(map[string]any)["error_message"].(string)
		if bad {
			failed++
			if !strings.Contains(message, "memory") || trial.(map[string]any)["error"] != nil {
				t.Errorf("a failed trial: %v", trial)
			}
		} else if failed > 0 {
			t.Error("a failed trial stands before one that did not fail")
		}
	}
	if failed == 0 || failed == len(trials) {
		t.Errorf("%d of %d trials failed", failed, len(trials))
	}
}

// TestTuneTimeLimit: there is a best one, and the status says that there might
// have been more.
func TestTuneTimeLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	mustRun(t, "gen", "circle", "--n", "200", "-o", path)
	o := jsonOf(t, "tune", path, "--trials", "10000", "--search", "random", "--time", "2s")
	if o["status"] != "time limit" || o["best"] == nil {
		t.Errorf("status %v, best %v", o["status"], o["best"])
	}
	wantFailure(t, 1, "--time", "tune", path, "--time", "1ns")
}

func TestTuneFailures(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	c := filepath.Join(dir, "c.csv")
	for _, f := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "usage", []string{}},
		{2, "--search", []string{c, "--search", "magic"}},
		{2, "--trials is 0", []string{c, "--trials", "0"}},
		{2, "--folds is 1", []string{c, "--folds", "1"}},
		{2, "--time", []string{c, "--time", "0s"}},
		{2, "--time", []string{c, "--time", "soon"}},
		{2, "kerf train", []string{c, "--error", "0.1"}},
		{2, "labels", []string{c, "--learner", "one-class"}},
		{2, "do not go together", []string{c, "--holdout", "0.3", "--test", c}},
		{2, "--holdout", []string{c, "--holdout", "1"}},
		{2, "directory", []string{c, "-o", dir}},
		{2, "--C", []string{c, "--C", "-1"}},
		{3, "no such file", []string{c, "--test", filepath.Join(dir, "missing.csv")}},
		{3, "no such file", []string{filepath.Join(dir, "missing.csv")}},
		{3, "different values", []string{filepath.Join(dir, "v.csv"), "--task", "classify"}},
		{3, "not a number", []string{writeFile(t, filepath.Join(dir, "x.csv"), []byte(table(40))), "--task", "regress"}},
		{3, "unknown kernel", []string{c, "--kernel", "magic"}},
		{3, "not a kernel", []string{c, "--kernel", "sigmoid(gamma=1,coef=-2)", "--dim", "60"}},
		{3, "use fewer --folds", []string{c, "--folds", "1000"}},
		{3, "too few rows", []string{writeFile(t, filepath.Join(dir, "two.csv"), []byte("a,label\n1,x\n2,x\n3,x\n4,y\n")),
			"--folds", "2"}},
		{3, "NaN", []string{writeFile(t, filepath.Join(dir, "nan.csv"), []byte("a,label\n1,x\nNaN,y\n3,x\n4,y\n"))}},
		{1, "memory", []string{c, "--map", "f2", "--max-memory", "1k"}},
	} {
		wantFailure(t, f.status, f.says, append([]string{"tune"}, f.args...)...)
	}
}

func TestTuneDoesNotDependOnWorkers(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	for _, args := range [][]string{
		{"tune", filepath.Join(dir, "c.csv"), "--trials", "6", "--holdout", "0.2"},
		{"tune", filepath.Join(dir, "c.csv"), "--trials", "30"},
		{"tune", filepath.Join(dir, "v.csv"), "--trials", "5", "--task", "regress"},
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
