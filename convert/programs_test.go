package convert_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/learn"
)

// kerf runs the program in a folder and returns what it printed.
func kerf(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, message, status := try(t, dir, args...)
	if status != 0 {
		t.Fatalf("kerf %s: %d: %s", strings.Join(args, " "), status, message)
	}
	return out
}

// try runs the program. Arguments that begin with @ are files of the folder.
func try(t *testing.T, dir string, args ...string) (out, message string, status int) {
	t.Helper()
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "@"); ok {
			args[i] = filepath.Join(dir, name)
		}
	}
	var stdout, stderr bytes.Buffer
	status = cli.Exec(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String(), stderr.String(), status
}

// program returns the path of the first of some programs that is there.
func program(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("there is no %s; Debian has it in libsvm-tools or liblinear-tools", names[0])
	return ""
}

// run runs another program in a folder.
func run(t *testing.T, dir, path string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), path, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", path, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// decisions are the decision values of another library.
func decisions(t *testing.T, kind, model, data string) [][]float64 {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 to call the library with")
	}
	here, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	out := run(t, ".", python, filepath.Join(here, "decide.py"), kind, model, data)
	var all [][]float64
	for line := range strings.Lines(out) {
		var row []float64
		for word := range strings.FieldsSeq(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		all = append(all, row)
	}
	return all
}

// predicted is what kerf predict --json prints.
type predicted struct {
	Predictions   []any       `json:"predictions"`
	Classes       []string    `json:"classes"`
	Scores        [][]float64 `json:"scores"`
	Probabilities [][]float64 `json:"probabilities"`
}

func predict(t *testing.T, dir, model, data string, more ...string) predicted {
	t.Helper()
	var p predicted
	args := append([]string{"predict", "@" + model, "@" + data, "--json", "-q"}, more...)
	if more == nil {
		args = append(args, "--scores")
	}
	if err := json.Unmarshal([]byte(kerf(t, dir, args...)), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// write writes rows in the format LIBSVM: rings of classes with noise, sparse, or
// numbers.
func write(t *testing.T, path string, n, classes int, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range n {
		x := make([]float64, 5)
		square := 0.0
		for j := range x {
			x[j] = math.Round(1000*rng.NormFloat64()) / 1000
			square += x[j] * x[j]
		}
		if classes == 0 {
			fmt.Fprintf(w, "%.4f", math.Sin(x[0])+x[1]/2+rng.NormFloat64()/10)
		} else {
			label := int(square+rng.NormFloat64()) % classes
			if label < 0 {
				label = 0
			}
			if i < classes {
				label = i
			}
			fmt.Fprint(w, 3*label-4)
		}
		for j, v := range x {
			if rng.IntN(4) > 0 && v != 0 {
				fmt.Fprintf(w, " %d:%v", 1+2*j, v)
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// samples writes a data set of each kind.
func samples(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, k := range []int{0, 2, 4} {
		write(t, filepath.Join(dir, fmt.Sprintf("train%d", k)), 150, k, 1)
		write(t, filepath.Join(dir, fmt.Sprintf("test%d", k)), 120, k, 2)
	}
	return dir
}

// lines returns the words that a program wrote into a file, one a line.
func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// near reports two decision values that differ by more than rounding: sums of a few
// hundred terms of about this size.
func near(a, b, size float64) bool { return math.Abs(a-b) <= 1e-9*(1+size) }

// compare holds decision values against the scores of kerf: of numbers and one class
// the score of the last, of two classes that of the first, of pairs their own or the
// differences of the classes'.
func compare(t *testing.T, name string, p predicted, values [][]float64, pairs, svm bool) {
	t.Helper()
	if len(p.Predictions) != len(values) {
		t.Fatalf("%s: %d predictions and %d rows of decision values", name, len(p.Predictions), len(values))
	}
	for i, row := range values {
		var want []float64
		switch {
		case len(p.Scores) == 0:
			want = []float64{p.Predictions[i].(float64)}
		case len(p.Classes) == 2 && p.Classes[1] == "inlier":
			want = p.Scores[i][1:]
		case len(p.Classes) == 2 && len(row) == 1:
			want = p.Scores[i][:1]
		case pairs:
			continue // kerf's scores are the pairs that were won, which labels compare
		case svm:
			for q := range learn.Pairs(len(p.Classes)) {
				a, b := learn.PairAt(q, len(p.Classes))
				want = append(want, p.Scores[i][a]-p.Scores[i][b])
			}
		default:
			want = p.Scores[i]
		}
		for j := range want {
			if len(row) != len(want) || !near(row[j], want[j], math.Abs(want[j])) {
				t.Fatalf("%s: row %d: the decision values are %v and kerf's %v", name, i+1, row, want)
			}
		}
	}
}

// sameLabels holds the labels of a program against kerf's, which are numbers too.
func sameLabels(t *testing.T, name string, p predicted, got []string, but int) {
	t.Helper()
	wrong := 0
	for i, label := range p.Predictions {
		text := fmt.Sprint(label)
		switch text {
		case "inlier":
			text = "1"
		case "outlier":
			text = "-1"
		}
		a, errA := strconv.ParseFloat(text, 64)
		b, errB := strconv.ParseFloat(strings.Fields(got[i])[0], 64)
		if errA != nil || errB != nil || math.Abs(a-b) > 1e-5*(1+math.Abs(a)) { // numbers are printed to six digits
			wrong++
		}
	}
	if wrong > but {
		t.Errorf("%s: %d of %d labels are others", name, wrong, len(got))
	}
}

// TestSVMReadsOurs lets svm-predict read models of kerf.
func TestSVMReadsOurs(t *testing.T) {
	svm := program(t, "svm-predict")
	dir := samples(t)
	for i, c := range []struct {
		classes int
		flags   string
		pairs   bool
		ties    int // labels that may be others: those of votes that tie
	}{
		{2, "--kernel rbf(gamma=0.3) --learner kernel-svm --C 1", false, 0},
		{2, "--kernel poly(degree=2,coef=1,gamma=0.5) --learner kernel-svm --C 1", false, 0},
		{2, "--kernel linear --learner kernel-svm --C 1", false, 0},
		{2, "--kernel sigmoid(gamma=0.01,coef=0.1) --map f1 --dim 30 --learner svm --C 1", false, 0},
		{2, "--kernel rbf(gamma=0.3) --learner nu-svm", false, 0},
		{2, "--kernel rbf(gamma=0.3) --map f1 --dim 40 --learner svm --C 1", false, 0},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1", false, 0},
		{2, "--kernel rbf(gamma=0.3) --map f3 --dim 20 --learner svm --C 1", false, 0},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner ridge --lambda 1", false, 0},
		{2, "--kernel 2*linear+1 --learner kernel-svm --C 1", false, 0},
		{2, "--map none --learner svm --C 1", false, 0},
		{2, "--map none --learner svm --C 1 --scale standard", false, 0},
		{2, "--map project --dim 4 --learner logistic --C 1", false, 0},
		{4, "--kernel rbf(gamma=0.3) --learner kernel-svm --C 1", true, 12},
		{4, "--kernel rbf(gamma=0.3) --learner kernel-svm(pairs=false) --C 1", false, 0},
		{4, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1", false, 0},
		{4, "--map none --learner svm --C 1", false, 0},
		{0, "--kernel rbf(gamma=0.3) --learner svr --C 1 --task regress", false, 0},
		{0, "--kernel rbf(gamma=0.3) --learner nu-svr --task regress", false, 0},
		{0, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner ridge --lambda 1 --task regress", false, 0},
		{2, "--kernel rbf(gamma=0.3) --learner one-class", false, 0},
	} {
		name := fmt.Sprintf("%d %s", c.classes, c.flags)
		model, test := fmt.Sprintf("m%d", i), fmt.Sprintf("test%d", c.classes)
		args := append([]string{"train", fmt.Sprintf("@train%d", c.classes), "-q", "-o", "@" + model},
			strings.Fields(c.flags)...)
		kerf(t, dir, args...)
		kerf(t, dir, "convert", "@"+model, "--to", "libsvm", "-o", "@"+model+".svm", "-q")
		p := predict(t, dir, model, test)
		run(t, dir, svm, "-q", test, model+".svm", "out")
		sameLabels(t, name, p, lines(t, filepath.Join(dir, "out")), c.ties)
		compare(t, name, p, decisions(t, "libsvm", filepath.Join(dir, model+".svm"), filepath.Join(dir, test)), c.pairs,
			true)
	}
}

// TestSVMProbabilities: those of two classes are svm-predict's of -b 1.
func TestSVMProbabilities(t *testing.T) {
	svm := program(t, "svm-predict")
	dir := samples(t)
	for _, how := range []string{"platt", "temperature"} {
		kerf(t, dir, "train", "@train2", "--kernel", "rbf(gamma=0.3)", "--map", "f2", "--dim", "40", "--learner", "svm",
			"--C",
			"1", "--calibrate", how, "-q", "-o", "@p.kerf")
		kerf(t, dir, "convert", "@p.kerf", "--to", "libsvm", "-o", "@p.svm", "-q")
		p := predict(t, dir, "p.kerf", "test2", "--proba")
		run(t, dir, svm, "-q", "-b", "1", "test2", "p.svm", "out")
		got := lines(t, filepath.Join(dir, "out"))[1:]
		sameLabels(t, how, p, got, 0)
		for i, line := range got {
			for k, word := range strings.Fields(line)[1:] {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil || math.Abs(v-p.Probabilities[i][k]) > 1e-4 { // it prints a few digits
					t.Fatalf("%s: row %d: %q and %v", how, i+1, line, p.Probabilities[i])
				}
			}
		}
	}
}

// TestWeReadSVM: models of svm-train give the labels and decision values that they give
// svm-predict.
func TestWeReadSVM(t *testing.T) {
	svm, train := program(t, "svm-predict"), program(t, "svm-train")
	dir := samples(t)
	for i, c := range []struct {
		classes int
		flags   string
		with    string // flags of svm-predict
	}{
		{2, "", ""}, {2, "-t 0", ""}, {2, "-t 1 -r 1", ""}, {2, "-t 3 -g 0.01", ""}, {2, "-s 1 -n 0.1", ""}, {2, "-b 1",
			"-b 1"},
		{4, "", ""}, {4, "-t 0 -c 10", ""}, {4, "-s 1 -n 0.05", ""}, {4, "-b 1", ""}, {2, "-s 2", ""}, {0, "-s 3", ""},
		{0, "-s 4 -b 1", ""},
	} {
		name := fmt.Sprintf("%d %s", c.classes, c.flags)
		model, test := fmt.Sprintf("s%d", i), fmt.Sprintf("test%d", c.classes)
		run(t, dir, train, append(strings.Fields("-q "+c.flags), fmt.Sprintf("train%d", c.classes), model)...)
		kerf(t, dir, "convert", "@"+model, "-o", "@"+model+".kerf", "-q")
		if !strings.HasPrefix(c.flags, "-s 2") { // whose labels are inlier and outlier
			kerf(t, dir, "eval", "@"+model+".kerf", "@"+test, "-q")
		}
		kerf(t, dir, "inspect", "@"+model+".kerf")
		p := predict(t, dir, model+".kerf", test)
		run(t, dir, svm, append(strings.Fields("-q "+c.with), test, model, "out")...)
		got := lines(t, filepath.Join(dir, "out"))
		if c.with != "" {
			got = got[1:]
		}
		sameLabels(t, name, p, got, 0)
		compare(t, name, p, decisions(t, "libsvm", filepath.Join(dir, model), filepath.Join(dir, test)), c.classes > 2,
			true)
		// There and back again it is the same machine.
		kerf(t, dir, "convert", "@"+model+".kerf", "--to", "libsvm", "-o", "@back", "-q")
		run(t, dir, svm, append(strings.Fields("-q "+c.with), test, "back", "again")...)
		again := lines(t, filepath.Join(dir, "again"))
		if c.with != "" {
			again = again[1:]
		}
		sameLabels(t, name+" and back", p, again, 0)
	}
}

// TestLinearPrograms does the same with LIBLINEAR.
func TestLinearPrograms(t *testing.T) {
	linear, train := program(t, "liblinear-predict", "predict"), program(t, "liblinear-train", "train")
	dir := samples(t)
	for i, c := range []struct {
		classes int
		flags   string
	}{
		{2, "--map none --learner svm --C 1"}, {2, "--map none --learner logistic --C 1 --scale standard"},
		{2, "--kernel linear --map f2 --dim 5 --learner svm --C 1"}, {2, "--map project --dim 4 --learner svm --C 1"},
		{2, "--kernel linear --learner kernel-svm --C 1"}, {4, "--map none --learner svm --C 1"},
		{4, "--map none --learner logistic --C 1"}, {0, "--map none --learner ridge --lambda 1 --task regress"},
		{2, "--kernel linear --learner one-class"},
	} {
		name := fmt.Sprintf("%d %s", c.classes, c.flags)
		model, test := fmt.Sprintf("m%d", i), fmt.Sprintf("test%d", c.classes)
		args := append([]string{"train", fmt.Sprintf("@train%d", c.classes), "-q", "-o", "@" + model},
			strings.Fields(c.flags)...)
		kerf(t, dir, args...)
		kerf(t, dir, "convert", "@"+model, "--to", "liblinear", "-o", "@"+model+".lin", "-q")
		p := predict(t, dir, model, test)
		run(t, dir, linear, test, model+".lin", "out")
		sameLabels(t, name, p, lines(t, filepath.Join(dir, "out")), 0)
		compare(t, name, p, decisions(t, "liblinear", filepath.Join(dir, model+".lin"), filepath.Join(dir, test)),
			false, false)
	}
	for _, c := range []struct {
		classes int
		flags   string
	}{
		{2, ""}, {2, "-s 0 -B 1"}, {2, "-s 4"}, {2, "-s 6 -B 2"}, {4, ""}, {4, "-s 4 -B 1"}, {4, "-s 7"}, {0,
			"-s 11 -B 1"}, {0, "-s 13"},
	} {
		name := fmt.Sprintf("train %d %s", c.classes, c.flags)
		test := fmt.Sprintf("test%d", c.classes)
		run(t, dir, train, append(strings.Fields("-q "+c.flags), fmt.Sprintf("train%d", c.classes), "l")...)
		kerf(t, dir, "convert", "@l", "--from", "liblinear", "-o", "@l.kerf", "-q")
		kerf(t, dir, "eval", "@l.kerf", "@"+test, "-q")
		p := predict(t, dir, "l.kerf", test)
		run(t, dir, linear, test, "l", "out")
		sameLabels(t, name, p, lines(t, filepath.Join(dir, "out")), 0)
		if c.classes == 2 && c.flags == "-s 4" {
			continue // kerf's scores are half of the difference
		}
		compare(t, name, p, decisions(t, "liblinear", filepath.Join(dir, "l"), filepath.Join(dir, test)), false, false)
	}
	// Probabilities of logistic regression.
	for _, classes := range []int{2, 4} {
		train0, test := fmt.Sprintf("train%d", classes), fmt.Sprintf("test%d", classes)
		run(t, dir, train, "-q", "-s", "0", train0, "l")
		kerf(t, dir, "convert", "@l", "-o", "@l.kerf", "-q")
		p := predict(t, dir, "l.kerf", test, "--proba")
		run(t, dir, linear, "-b", "1", test, "l", "out")
		for i, line := range lines(t, filepath.Join(dir, "out"))[1:] {
			for k, word := range strings.Fields(line)[1:] {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil || math.Abs(v-p.Probabilities[i][k]) > 1e-5 {
					t.Fatalf("row %d: %q and %v", i+1, line, p.Probabilities[i])
				}
			}
		}
	}
}

// TestEncodedRows: rows of a table, as the model sees them, for svm-predict.
func TestEncodedRows(t *testing.T) {
	svm := program(t, "svm-predict")
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("size,colour,price,kind\n")
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 120 {
		colour := []string{"red", "green", "blue"}[rng.IntN(3)]
		size := rng.NormFloat64()
		kind := "small"
		if size+float64(len(colour))/4 > 1 {
			kind = "large"
		}
		price := fmt.Sprint(rng.IntN(100))
		if i%10 == 0 {
			price = ""
		}
		fmt.Fprintf(&b, "%v,%s,%s,%s\n", size, colour, price, kind)
	}
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	kerf(t, dir, "train", "@t.csv", "--effort", "least", "-q", "-o", "@t.kerf")
	_, message, status := try(t, dir, "convert", "@t.kerf", "--to", "libsvm", "-o", "@t.svm")
	if status != 3 || !strings.Contains(message, "--rows") || strings.Count(message, "\n") != 1 {
		t.Errorf("without rows: %d %s", status, message)
	}
	kerf(t, dir, "convert", "@t.kerf", "--to", "libsvm", "-o", "@t.svm", "--rows", "@t.csv", "--rows-to", "@t.rows",
		"-q")
	p := predict(t, dir, "t.kerf", "t.csv")
	printed := run(t, dir, svm, "t.rows", "t.svm", "out")
	number := map[string]string{}
	for i, name := range p.Classes {
		number[name] = fmt.Sprint(i)
	}
	right := 0
	for i, got := range lines(t, filepath.Join(dir, "out")) {
		if got == number[p.Predictions[i].(string)] {
			right++
		}
	}
	if right != 120 {
		t.Errorf("%d of 120 labels are kerf's", right)
	}
	if !strings.Contains(printed, "Accuracy") || strings.Contains(printed, "Accuracy = 0%") {
		t.Errorf("labels of the rows are no numbers of the model's: %s", printed)
	}
	compare(t, "table", p, decisions(t, "libsvm", filepath.Join(dir, "t.svm"), filepath.Join(dir, "t.rows")), false,
		true)
}
