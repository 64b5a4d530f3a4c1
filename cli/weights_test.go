package cli_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// weighedTable writes rows of two numbers, a weight and a label, by name, and the
// same rows as often as their weights say, without the weight.
func weighedTable(t *testing.T, dir string, n int) (weighed, repeated, weights string) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 4))
	var a, b, w strings.Builder
	a.WriteString("x,w,y,label\n")
	b.WriteString("x,y,label\n")
	for range n {
		x, y, weight := r.NormFloat64(), r.NormFloat64(), r.IntN(4)
		label := map[bool]string{true: "in", false: "out"}[x*x+y*y+0.5*r.NormFloat64() < 1.5]
		fmt.Fprintf(&a, "%v,%d,%v,%s\n", x, weight, y, label)
		fmt.Fprintf(&w, "%d\r\n", weight)
		for range weight {
			fmt.Fprintf(&b, "%v,%v,%s\n", x, y, label)
		}
	}
	return writeFile(t, filepath.Join(dir, "w.csv"), []byte(a.String())), writeFile(t, filepath.Join(dir, "r.csv"),
		[]byte(b.String())), w.String()
}

// TestWeightIsRepetition: through the whole program a row of weight k is k rows,
// where nothing is drawn or chosen at random.
func TestWeightIsRepetition(t *testing.T) {
	dir := t.TempDir()
	weighed, repeated, weights := weighedTable(t, dir, 150)
	var plain strings.Builder // without the column
	text, err := os.ReadFile(weighed)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, ",")
		plain.WriteString(f[0] + "," + f[2] + "," + f[3])
	}
	other := writeFile(t, filepath.Join(dir, "p.csv"), []byte(plain.String()))
	file := writeFile(t, filepath.Join(dir, "weights.txt.gz"), gzipped("\ufeff"+weights+"\n\n"))
	for _, how := range [][]string{
		{"--kernel", "poly(degree=2,coef=1,gamma=1)", "--map", "monomials", "--C", "1"},
		{"--kernel", "rbf(gamma=1)", "--learner", "kernel-svm", "--C", "1"},
		{"--kernel", "rbf(gamma=1)", "--learner", "kernel-ridge", "--lambda", "1e-3", "--class-weight", "balanced"},
	} {
		how = append(how, "--tolerance", "1e-8", "--calibrate", "none")
		m := func(name string) string { return filepath.Join(dir, name+".kerf") }
		want := mustObject(t, append([]string{"train", repeated, "-o", m("r")}, how...)...)
		a := mustObject(t, append([]string{"train", weighed, "--weight", "w", "-o", m("w")}, how...)...)
		b := mustObject(t, append([]string{"train", other, "--weights", file, "-o", m("f")}, how...)...)
		for _, key := range []string{"train.error", "train.balanced_accuracy", "objective"} {
			if v := numberAt(t, want, key); math.Abs(v-numberAt(t, a, key)) > 1e-6*math.Abs(v) ||
				math.Abs(v-numberAt(t, b, key)) > 1e-6*math.Abs(v) {
				t.Errorf("%v: %s is %v with rows repeated, %v by --weight, %v by --weights", how, key, v, numberAt(t, a, key),
					numberAt(t, b, key))
			}
		}
		if numberAt(t, a, "weights.sum") != numberAt(t, want, "n") || numberAt(t, a, "weights.zero") < 10 {
			t.Errorf("weights: %v", a["weights"])
		}
		if numberAt(t, a, "n")+numberAt(t, a, "weights.zero") != 150 {
			t.Errorf("%v rows, %v", a["n"], a["weights"])
		}
		// With the column, without it and without labels the model says the same.
		labels := mustRun(t, "predict", m("w"), weighed)
		for _, other := range []string{other, weighed} {
			if mustRun(t, "predict", m("f"), other) != labels && how[3] != "kernel-svm" ||
				mustRun(t, "predict", m("w"), other) != labels {
				t.Errorf("%v: predictions differ", how)
			}
		}
		// Measures are by weight where the data have one.
		e := numberAt(t, mustObject(t, "eval", m("r"), repeated), "error")
		for _, args := range [][]string{{"eval", m("w"), weighed}, {"eval", m("w"), other, "--weights", file},
			{"eval", m("f"), weighed, "--weight", "w"}} {
			o := mustObject(t, args...)
			if math.Abs(numberAt(t, o, "error")-e) > 1e-9 || o["weights"] == nil {
				t.Errorf("%v: error %v, want %v", args, o["error"], e)
			}
		}
		for _, args := range [][]string{{"eval", m("w"), other}, {"eval", m("w"), weighed, "--weight", "none"}} {
			if o := mustObject(t, args...); o["weights"] != nil {
				t.Errorf("%v: there are weights", args)
			}
		}
		// So are those of --test.
		o := mustObject(t, append([]string{"train", weighed, "--weight", "w", "--test", weighed}, how...)...)
		if numberAt(t, o, "test.error") != numberAt(t, o, "train.error") {
			t.Errorf("test error %v, train error %v", o["test"], o["train"])
		}
		o = mustObject(t, append([]string{"train", weighed, "--weight", "w", "--test", other}, how...)...)
		if v, _ := find(o, "test.weights"); v != nil {
			t.Error("a test file without weights has some")
		}
		o = mustObject(t, append([]string{"train", weighed, "--weight", "w", "--test", other, "--test-weights", file},
			how...)...)
		if numberAt(t, o, "test.error") != numberAt(t, o, "train.error") {
			t.Errorf("by --test-weights test error %v, train error %v", o["test"], o["train"])
		}
	}
}

// TestWeightOfEveryKind trains, validates and tunes with weights on every kind of
// data.
func TestWeightOfEveryKind(t *testing.T) {
	dir := t.TempDir()
	everyKind(t, dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, n := range map[string]int{"c.csv": 240, "c.libsvm": 100, "s.txt": 150, "b.baskets": 150, "v.csv": 200} {
		var b strings.Builder
		zero := 0
		for i := range n {
			fmt.Fprintln(&b, 0.25*float64(i%5))
			if i%5 == 0 {
				zero++
			}
		}
		weights := writeFile(t, in(name+".w"), []byte(b.String()))
		more := []string{in(name), "--weights", weights}
		if name == "b.baskets" {
			more = append(more, "--as", "sets")
		}
		if name == "s.txt" {
			more = append(more, "--as", "strings")
		}
		if name == "v.csv" {
			more = append(more, "--task", "regress")
		}
		for _, command := range [][]string{
			{"train", "--holdout", "0.3"}, {"train", "--conformal", "0.2", "--report", in(name + ".html")}, {"cv", "--folds",
				"3"},
			{"tune", "--trials", "2", "--folds", "2", "--holdout", "0.2"},
		} {
			o := mustObject(t, append(command, more...)...)
			if numberAt(t, o, "weights.zero") != float64(zero) || math.Abs(numberAt(t, o, "weights.sum")-0.5*float64(n)) > 1e-9 {
				t.Errorf("%v %s: weights %v", command, name, o["weights"])
			}
			if command[0] == "cv" {
				sum := 0.0
				for _, v := range numbers(t, o, "folds", "n") {
					sum += v
				}
				if sum != float64(n-zero) {
					t.Errorf("cv %s: %v rows were tested on, want %d", name, sum, n-zero)
				}
			}
		}
		if text := mustRun(t, append([]string{"train"}, more...)...); !strings.Contains(text, "weights") ||
			!strings.Contains(text, "by weight") {
			t.Errorf("%s: the text does not tell of weights: %s", name, text)
		}
	}
}

// TestWeightColumns: the column of the weights is no feature in any format, where
// it is last the label is the one before, and tables without a header may lack it.
func TestWeightColumns(t *testing.T) {
	dir := t.TempDir()
	var csv, json, bare, short, text, sets strings.Builder
	csv.WriteString("a,label,w\n")
	text.WriteString("w\ttext\tlabel\n")
	sets.WriteString("w,colour,shape,label\n")
	for i := range 60 {
		x, label, w := float64(i%30), "low", 1+i%3
		if i%30 >= 15 {
			label = "high"
		}
		fmt.Fprintf(&csv, "%v,%s,%d\n", x, label, w)
		fmt.Fprintf(&json, "{\"w\": %d, \"a\": %v, \"label\": %q}\n", w, x, label)
		fmt.Fprintf(&bare, "%d,%v,%v,%s\n", w, x, -x, label)
		fmt.Fprintf(&short, "%v,%v\n", x, -x)
		fmt.Fprintf(&text, "%d\t%s\t%s\n", w, strings.Repeat(label[:1], 4)+"xyz", label)
		fmt.Fprintf(&sets, "%d,%s,%s,%s\n", w, map[bool]string{true: "red", false: "blue"}[label == "low"],
			[]string{"round", "flat"}[i%2], label)
	}
	write := func(name string, b *strings.Builder) string {
		return writeFile(t, filepath.Join(dir, name), []byte(b.String()))
	}
	model := filepath.Join(dir, "m.kerf")
	for _, c := range []struct {
		path, weight, other string
		more                []string
	}{
		{write("a.csv", &csv), "w", "", []string{"--kernel", "linear"}},
		{write("a.jsonl", &json), "w", "", []string{"--kernel", "linear", "--target", "label"}},
		{write("a.tsv", &bare), "1", write("short.tsv", &short), []string{"--kernel", "linear"}},
		{write("t.tsv", &text), "w", "", []string{"--kernel", "spectrum(k=1)", "--header", "yes", "--text", "text"}},
		{write("s.csv", &sets), "w", "", []string{"--as", "sets"}},
	} {
		args := append([]string{"train", c.path, "--weight", c.weight, "--holdout", "0.3", "-o", model}, c.more...)
		o := mustObject(t, args...)
		if numberAt(t, o, "test.error") > 0.2 || numberAt(t, o, "weights.sum") != 120 {
			t.Errorf("%v: test %v, weights %v", args, o["test"], o["weights"])
		}
		if f, ok := o["features"].(float64); ok && f > 2 {
			t.Errorf("%v: %v features", args, f)
		}
		e := mustObject(t, "eval", model, c.path)
		if e["weights"] == nil || numberAt(t, e, "error") > 0.2 {
			t.Errorf("eval %s: %v", c.path, e)
		}
		if c.other != "" && mustRun(t, "predict", model, c.other) != mustRun(t, "predict", model, c.path) {
			t.Errorf("%s: without target and weight the predictions are others", c.path)
		}
		mustRun(t, "cv", c.path, "--weight", c.weight, "--folds", "3", c.more[0], c.more[1])
	}
	// So may test data with labels and a header; without one they cannot be told.
	more := []string{"--weight", "w", "--kernel", "linear", "--test"}
	mustRun(t, append([]string{"train", filepath.Join(dir, "a.csv")}, append(more,
		writeFile(t, filepath.Join(dir, "lacks.csv"), []byte("label,a\nlow,3\nhigh,20\n")))...)...)
	more[1] = "1"
	wantFailure(t, 3, "lacks.tsv:1:6", append([]string{"train", filepath.Join(dir, "a.tsv")},
		append(more, writeFile(t, filepath.Join(dir, "lacks.tsv"), []byte("3,-3,low\n20,-20,high\n")))...)...)
	wantFailure(t, 3, "all rows have the weight 0", append([]string{"train", filepath.Join(dir, "a.tsv")},
		append(more, writeFile(t, filepath.Join(dir, "zero.tsv"), []byte("0,3,-3,low\n0,20,-20,high\n")))...)...)
	// A file to be predicted may have anything in that column.
	odd := strings.ReplaceAll(csv.String(), ",1\n", ",?\n")
	mustRun(t, "train", filepath.Join(dir, "a.csv"), "--weight", "w", "--kernel", "linear", "-o", model)
	mustRun(t, "predict", model, writeFile(t, filepath.Join(dir, "odd.csv"), []byte(odd)))
	wantFailure(t, 3, "odd.csv:2: the row has no weight in column w", "eval", model, filepath.Join(dir, "odd.csv"))
}

func TestWeightFailures(t *testing.T) {
	dir := t.TempDir()
	good := writeFile(t, filepath.Join(dir, "good.csv"), []byte("a,w,label\n1,1,x\n2,1,y\n3,2,x\n4,2,y\n"))
	libsvm := writeFile(t, filepath.Join(dir, "d.libsvm"), []byte("1 1:1\n-1 1:2\n1 1:3\n-1 1:4\n"))
	for _, c := range []struct{ cells, says string }{
		{"1,-1,2,2", `:3: the weight "-1" in column w cannot be used; a weight is 0 or a positive number`},
		{"1,1,NaN,2", `:4: the weight "NaN" in column w`},
		{"1,1,+Inf,2", `:4: the weight "+Inf" in column w`},
		{"1,1,1e300,2", `:4: the weight "1e+300" in column w`},
		{"1,1,heavy,2", `:4: the weight "heavy" in column w`},
		{"1,,2,2", ":3: the row has no weight in column w; fill it in"},
		{"0,0,0,0", "all rows have the weight 0"},
		{"0,1,0,1", `all rows with the label "x" have the weight 0`},
	} {
		w := strings.Split(c.cells, ",")
		path := writeFile(t, filepath.Join(dir, "bad.csv"), fmt.Appendf(nil, "a,w,label\n1,%s,x\n2,%s,y\n3,%s,x\n4,%s,y\n",
			w[0], w[1], w[2], w[3]))
		for _, command := range []string{"train", "cv", "tune"} {
			wantFailure(t, 3, c.says, command, path, "--weight", "w")
		}
	}
	for _, c := range []struct{ text, says string }{
		{"1\n1\n1\n", "there are 3 weights and 4 rows"},
		{"1\n1\n1\n1\n1\n", "there are 5 weights and 4 rows"},
		{"1\n-2\n1\n1\n", `weights:2: the weight "-2" cannot be used`},
		{"1\n1\nnan\n1\n", `weights:3: the weight "nan" cannot be used`},
		{"1\n1 2\n1\n1\n", `weights:2: the weight "1 2" cannot be used`},
		{"1\n\n1\n1\n", "weights:2: the line has no weight"},
		{"w\n1\n1\n1\n1\n", `weights:1: the weight "w" cannot be used`},
		{"0\n0\n0\n0\n", "all rows have the weight 0"},
		{"", ""},
		{"\x00\x01\x02", ""},
		{strings.Repeat("1", 1<<20), "cannot be used"},
	} {
		path := writeFile(t, filepath.Join(dir, "weights"), []byte(c.text))
		for _, command := range []string{"train", "cv", "tune"} {
			wantFailure(t, 3, c.says, command, libsvm, "--weights", path)
		}
	}
	file := writeFile(t, filepath.Join(dir, "weights"), bytes.Repeat([]byte("1\n"), 4))
	wantFailure(t, 3, `there is no column "nosuch", which is named as the weight; the columns are a, w, label`, "train",
		good, "--weight", "nosuch")
	wantFailure(t, 3, "no such file", "train", good, "--weights", filepath.Join(dir, "nosuch"))
	wantFailure(t, 3, "both the weight and the target", "train", good, "--weight", "label", "--target", "label")
	wantFailure(t, 3, "both the weight and one that is to be left out", "train", good, "--weight", "w", "--drop", "w")
	wantFailure(t, 2, "give a file of --weights", "train", libsvm, "--weight", "w")
	wantFailure(t, 2, "do not go together", "train", good, "--weight", "w", "--weights", file)
	wantFailure(t, 2, "--weight needs a column", "train", good, "--weight", "")
	wantFailure(t, 2, "--weights needs a file", "cv", good, "--weights", "")
	wantFailure(t, 2, "is for the rows of --test", "train", good, "--test-weights", file)
	for _, learner := range []string{"perceptron", "hard-margin", "lp", "kernel-perceptron"} {
		wantFailure(t, 2, learner+" takes no weights of rows; these learners do: svm, ", "train", good, "--weight", "w",
			"--learner", learner)
	}
	wantFailure(t, 2, "--calibrate makes probabilities of classes", "train", good, "--task", "regress", "--target", "a",
		"--calibrate", "platt")
	wantFailure(t, 2, "--calibrate makes probabilities of classes", "train", good, "--learner", "one-class",
		"--calibrate", "platt")
	mustRun(t, "train", good, "--learner", "one-class", "--target", "none", "--weight", "w")
	if o := mustObject(t, "train", good, "--learner", "one-class", "--test", good); numberAt(t, o, "test.n") == 0 {
		t.Errorf("no test of a one-class machine: %v", o)
	}
	model := filepath.Join(dir, "one.kerf")
	mustRun(t, "train", good, "--learner", "one-class", "--calibrate", "none", "--weight", "w", "-o", model)
	wantFailure(t, 2, "a one-class machine has none", "predict", model, good, "--proba")
}

// TestWeightedCheckpoint: other weights are another training.
func TestWeightedCheckpoint(t *testing.T) {
	dir := t.TempDir()
	weighed, _, _ := weighedTable(t, dir, 60)
	state := filepath.Join(dir, "state")
	args := []string{"train", weighed, "--learner", "kernel-svm", "--kernel", "rbf(gamma=1)", "--C", "1", "--checkpoint",
		state}
	mustRun(t, append(args, "--weight", "w")...)
	mustRun(t, append(args, "--weight", "w")...)
	if _, err := os.Stat(state); err != nil {
		t.Fatalf("there is no state: %v", err)
	}
	text, err := os.ReadFile(weighed)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, weighed, []byte(strings.Replace(string(text), ",1,", ",2,", 1)))
	wantFailure(t, 3, "of another", append(args, "--weight", "w")...)
}
