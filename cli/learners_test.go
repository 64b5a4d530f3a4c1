package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
)

// numbersFile writes a table whose last column is a smooth function of the
// others, with noise.
func numbersFile(t testing.TB, path string, n int) string {
	t.Helper()
	r := seed.Stream(3, seed.Generator, uint64(n))
	var b strings.Builder
	b.WriteString("age,size,kind,price\n")
	for range n {
		age, size := 4*r.NormFloat64(), 100+20*r.NormFloat64()
		kind := []string{"flat", "house"}[r.IntN(2)]
		price := 200 + 30*math.Sin(age/2) + 0.5*size + 0.5*r.NormFloat64()
		if kind == "house" {
			price += 20
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%s,%.4f\n", age, size, kind, price)
	}
	return writeFile(t, path, []byte(b.String()))
}

// threeFile writes a table of three classes.
func threeFile(t testing.TB, path string, n int) string {
	t.Helper()
	r := seed.Stream(4, seed.Generator, uint64(n))
	var b strings.Builder
	b.WriteString("x,y,species\n")
	for i := range n {
		c := i % 3
		fmt.Fprintf(&b, "%.4f,%.4f,%s\n", 2*float64(c)+0.5*r.NormFloat64(), math.Cos(2*float64(c))+0.5*r.NormFloat64(),
			[]string{"fir", "oak", "yew"}[c])
	}
	return writeFile(t, path, []byte(b.String()))
}

// trainKeys are those that scripts may rely on.
var trainKeys = []string{
	"model", "kernel", "map", "dim", "rank", "learner", "n", "train", "test", "margin", "kernel_evaluations",
	"objective", "gap", "support",
	"iterations", "seconds", "status",
}

// mustObject runs the program with --json and returns the object.
func mustObject(t testing.TB, args ...string) map[string]any {
	t.Helper()
	o, err := object(mustRun(t, append(args, "--json", "--quiet")...))
	if err != nil {
		t.Fatalf("kerf %s: %v", strings.Join(args, " "), err)
	}
	return o
}

// numberAt returns the number at a path of an object.
func numberAt(t testing.TB, o map[string]any, path string) float64 {
	t.Helper()
	v, err := find(o, path)
	if err != nil {
		t.Error(err)
	}
	return number(v)
}

// TestTrainEveryLearner trains by each name, for each task, and takes the model
// through predict, eval and inspect.
func TestTrainEveryLearner(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "moons", "--n", "200", "-o", in("two.csv"))
	threeFile(t, in("three.csv"), 150)
	numbersFile(t, in("numbers.csv"), 150)
	for _, learner := range model.LearnerNames(nil) {
		traits, _ := model.TraitsOf(learner)
		for file, task := range map[string]model.Task{"two.csv": model.Classify, "three.csv": model.Classify,
			"numbers.csv": model.Regress} {
			if !traits.Can(task) || learner == model.LearnerNuSVM && file == "three.csv" {
				continue
			}
			t.Run(learner+" "+file, func(t *testing.T) {
				o := mustObject(t, "train", in(file), "--learner", learner, "--task", string(task), "--holdout", "0.3", "-o",
					in("m.kerf"), "--rounds", "20")
				for _, key := range trainKeys {
					if _, ok := o[key]; !ok {
						t.Errorf("there is no key %s", key)
					}
				}
				if o["learner"] != learner || o["model"] != in("m.kerf") || o["task"] != string(task) {
					t.Errorf("model %v, learner %v, task %v", o["model"], o["learner"], o["task"])
				}
				if traits.Kernel && o["map"] != "none" || !traits.Kernel && o["map"] != "f2" {
					t.Errorf("the map is %v", o["map"])
				}
				wantGood(t, o, learner, task)
				lines := strings.Count(mustRun(t, "predict", in("m.kerf"), in(file)), "\n")
				if rows := map[string]int{"two.csv": 200, "three.csv": 150, "numbers.csv": 150}[file]; lines != rows {
					t.Errorf("%d predictions for %d rows", lines, rows)
				}
				if i := mustObject(t, "inspect", in("m.kerf")); i["learner"] != learner || i["checksum_ok"] != true ||
					i["dim"] != o["dim"] {
					t.Errorf("inspect says %v, dim %v and not %v", i["learner"], i["dim"], o["dim"])
				}
				if learner == model.LearnerOneClass {
					return // its classes are not those of the file
				}
				e := mustObject(t, "eval", in("m.kerf"), in(file))
				if task == model.Regress && !(numberAt(t, e, "rmse") >= 0) || task == model.Classify &&
					!(numberAt(t, e, "error") >= 0) {
					t.Errorf("eval says %v", e)
				}
			})
		}
	}
}

// wantGood checks the measures of a training.
func wantGood(t *testing.T, o map[string]any, learner string, task model.Task) {
	t.Helper()
	if numberAt(t, o, "seconds") < 0 || numberAt(t, o, "n") < 100 {
		t.Errorf("%v seconds for %v rows", o["seconds"], o["n"])
	}
	if task == model.Regress {
		if r2 := numberAt(t, o, "test.r2"); !(r2 > 0.8) {
			t.Errorf("R² on the test rows is %v", r2)
		}
		if numberAt(t, o, "train.rmse") > 12 || o["margin"] != nil {
			t.Errorf("train %v, margin %v", o["train"], o["margin"])
		}
		return
	}
	e, a := numberAt(t, o, "test.error"), numberAt(t, o, "test.accuracy")
	if math.Abs(e+a-1) > 1e-12 {
		t.Errorf("error %v and accuracy %v", e, a)
	}
	if numberAt(t, o, "train.error") < 0 {
		t.Errorf("train is %v", o["train"])
	}
	if learner != model.LearnerOneClass && !(e <= 0.3) {
		t.Errorf("the error on the test rows is %v (%v)", e, o["status"])
	}
	if m := numberAt(t, o, "margin"); learner != model.LearnerOneClass && !(m >= -1 && m <= 1) {
		t.Errorf("the margin is %v", o["margin"])
	}
}

// TestPricesAreTold: what was given is used, what was not is chosen and told.
func TestPricesAreTold(t *testing.T) {
	dir := t.TempDir()
	c := filepath.Join(dir, "c.csv")
	mustRun(t, "gen", "circle", "--n", "160", "-o", c)
	for _, learner := range []string{"svm", "logistic", "pegasos", "kernel-svm"} {
		if o := mustObject(t, "train", c, "--learner", learner, "--C", "0.7"); o["C"] != 0.7 || o["trials"] != nil {
			t.Errorf("%s: C is %v, trials %v", learner, o["C"], o["trials"])
		}
		o := mustObject(t, "train", c, "--learner", learner)
		if trials, ok := o["trials"].([]any); !(number(o["C"]) > 0) || !ok || len(trials) < 2 {
			t.Errorf("%s: C is %v, trials %v", learner, o["C"], o["trials"])
		}
	}
	for _, learner := range []string{"kernel-ridge", "falkon", "kernel-sgd"} {
		if o := mustObject(t, "train", c, "--learner", learner, "--lambda", "0.007"); o["lambda"] != 0.007 ||
			o["trials"] != nil {
			t.Errorf("%s: lambda is %v, trials %v", learner, o["lambda"], o["trials"])
		}
		if o := mustObject(t, "train", c, "--learner", learner); !(number(o["lambda"]) > 0) || o["trials"] == nil {
			t.Errorf("%s: lambda is %v, trials %v", learner, o["lambda"], o["trials"])
		}
	}
}

// TestLearnerFlags: what does not go together is said in one line.
func TestLearnerFlags(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "60", "-o", in("c.csv"))
	threeFile(t, in("three.csv"), 60)
	numbersFile(t, in("numbers.csv"), 60)
	writeFile(t, in("nan.csv"), []byte("x,y,label\n1,2,a\nNaN,1,b\n3,4,a\n0,1,b\n"))
	writeFile(t, in("inf.libsvm"), []byte("1 1:2\n-1 1:inf\n"))
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{2, "unknown learner", []string{"c.csv", "--learner", "nosuch"}},
		{2, "--task", []string{"c.csv", "--task", "guess"}},
		{2, "svm cannot regress", []string{"c.csv", "--task", "regress", "--learner", "svm"}},
		{2, "svr cannot classify", []string{"c.csv", "--task", "classify", "--learner", "svr"}},
		{2, "--C", []string{"c.csv", "--learner", "kernel-ridge", "--C", "1"}},
		{2, "--C", []string{"c.csv", "--learner", "kernel-svm", "--C", "0"}},
		{2, "--C", []string{"c.csv", "--learner", "kernel-svm", "--C", "Inf"}},
		{2, "--lambda", []string{"c.csv", "--learner", "perceptron", "--lambda", "1"}},
		{2, "--lambda", []string{"c.csv", "--learner", "ridge", "--lambda", "-1"}},
		{2, "--lambda", []string{"c.csv", "--learner", "ridge", "--lambda", "NaN"}},
		{2, "--nu", []string{"c.csv", "--learner", "nu-svm", "--nu", "0"}},
		{2, "--nu", []string{"c.csv", "--learner", "one-class", "--nu", "1.5"}},
		{2, "--nu", []string{"c.csv", "--learner", "one-class", "--nu", "NaN"}},
		{2, "--conformal", []string{"c.csv", "--learner", "one-class", "--conformal", "0.1"}},
		{2, "--epsilon", []string{"numbers.csv", "--learner", "svr", "--epsilon", "-1"}},
		{2, "--rounds", []string{"c.csv", "--learner", "boost", "--rounds", "0"}},
		{2, "--loss", []string{"c.csv", "--loss", "cubic"}},
		{2, "--calibrate", []string{"c.csv", "--calibrate", "magic"}},
		{2, "--conformal", []string{"c.csv", "--conformal", "1"}},
		{2, "--conformal", []string{"c.csv", "--conformal", "-0.1"}},
		{2, "--conformal", []string{"c.csv", "--conformal", "NaN"}},
		{2, "--tolerance", []string{"c.csv", "--learner", "kernel-svm", "--tolerance", "0"}},
		{2, "--map", []string{"c.csv", "--learner", "kernel-svm", "--map", "f2"}},
		{2, "--dim", []string{"c.csv", "--learner", "kernel-svm", "--dim", "5"}},
		{2, "--class-weight", []string{"c.csv", "--class-weight", "heavy"}},
		{2, "--class-weight", []string{"c.csv", "--class-weight", "1=-2"}},
		{2, "--class-weight", []string{"c.csv", "--class-weight", "1=NaN"}},
		{2, "--class-weight", []string{"c.csv", "--class-weight", "=2"}},
		{2, "weight", []string{"c.csv", "--learner", "perceptron", "--class-weight", "balanced"}},
		{2, "weight", []string{"c.csv", "--learner", "kernel-perceptron", "--class-weight", "1=2"}},
		{2, "weight", []string{"c.csv", "--learner", "one-class", "--class-weight", "1=2"}},
		{2, "weight", []string{"numbers.csv", "--task", "regress", "--class-weight", "balanced"}},
		{3, "nosuch", []string{"c.csv", "--class-weight", "nosuch=2"}},
		{3, "nosuch", []string{"c.csv", "--learner", "kernel-svm", "--class-weight", "nosuch=2"}},
		{2, "--time", []string{"c.csv", "--time", "-1s"}},
		{1, "--time", []string{"c.csv", "--time", "1ns"}},
		{2, "--checkpoint", []string{"c.csv", "--checkpoint", "x"}},
		{2, "--checkpoint", []string{"c.csv", "--learner", "kernel-ridge", "--checkpoint", "x"}},
		{2, "directory", []string{"c.csv", "--learner", "kernel-svm", "--checkpoint", filepath.Join(dir, "none", "x")}},
		{3, "two classes", []string{"three.csv", "--learner", "nu-svm"}},
		{3, "number", []string{"three.csv", "--task", "regress"}},
		{3, "no classes", []string{"numbers.csv", "--task", "classify"}},
		{3, "nan.csv:3:1", []string{"nan.csv"}},
		{3, "nan.csv:3:1", []string{"nan.csv", "--learner", "kernel-svm"}},
		{3, "inf.libsvm:2", []string{"inf.libsvm", "--learner", "ridge"}},
	} {
		args := append([]string{"train", in(c.args[0])}, c.args[1:]...)
		wantFailure(t, c.status, c.says, args...)
	}
	if left, err := filepath.Glob(in("*.state")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestRegression: a table of numbers from training to intervals.
func TestRegression(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	numbersFile(t, in("numbers.csv"), 400)
	o := mustObject(t, "train", in("numbers.csv"), "--task", "regress", "--conformal", "0.3", "--holdout", "0.25", "-o",
		in("m.kerf"))
	if o["learner"] != "ridge" || numberAt(t, o, "test.r2") < 0.95 || o["classes"] != nil {
		t.Errorf("learner %v, test %v, classes %v", o["learner"], o["test"], o["classes"])
	}
	p := mustObject(t, "predict", in("m.kerf"), in("numbers.csv"), "--set", "0.9")
	values, intervals := p["predictions"].([]any), p["intervals"].([]any)
	if len(values) != 400 || len(intervals) != 400 || p["coverage"] != 0.9 {
		t.Fatalf("%d predictions, %d intervals, coverage %v", len(values), len(intervals), p["coverage"])
	}
	text := strings.Split(strings.TrimSpace(mustRun(t, "predict", in("m.kerf"), in("numbers.csv"), "--set", "0.9")), "\n")
	for i, line := range text {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("line %d is %q", i+1, line)
		}
		ends := intervals[i].([]any)
		for f, want := range []any{values[i], ends[0], ends[1]} {
			if got, err := strconv.ParseFloat(fields[f], 64); err != nil || got != number(want) {
				t.Fatalf("line %d is %q and in JSON %v, %v", i+1, line, values[i], ends)
			}
		}
		if !(number(ends[0]) <= number(values[i]) && number(values[i]) <= number(ends[1])) {
			t.Fatalf("%v is not within %v", values[i], ends)
		}
	}
	e := mustObject(t, "eval", in("m.kerf"), in("numbers.csv"))
	for _, key := range []string{"rmse", "mae", "r2"} {
		if v := numberAt(t, e, key); !(v >= 0) {
			t.Errorf("%s is %v", key, e[key])
		}
	}
	wantFailure(t, 2, "--proba", "predict", in("m.kerf"), in("numbers.csv"), "--proba")
	wantFailure(t, 2, "--set", "predict", in("m.kerf"), in("numbers.csv"), "--set", "0.42")
	mustRun(t, "train", in("numbers.csv"), "-o", in("plain.kerf"))
	wantFailure(t, 3, "--conformal", "predict", in("plain.kerf"), in("numbers.csv"), "--set", "0.9")
	wantFailure(t, 3, "number", "eval", in("m.kerf"), threeTargets(t, in("words.csv")))
}

// threeTargets writes the table of numbersFile with words for prices.
func threeTargets(t testing.TB, path string) string {
	return writeFile(t, path, []byte("age,size,kind,price\n1,2,flat,cheap\n2,3,house,dear\n"))
}

// TestPredictProbabilities: labels, scores, probabilities and sets, as lines and
// as JSON.
func TestPredictProbabilities(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	threeFile(t, in("three.csv"), 240)
	for _, method := range []string{"temperature", "platt", "isotonic"} {
		for _, learner := range []string{"svm", "kernel-svm", "boost"} {
			mustRun(t, "train", in("three.csv"), "--learner", learner, "--calibrate", method, "--conformal", "0.3", "-o",
				in("m.kerf"), "--quiet")
			o := mustObject(t, "predict", in("m.kerf"), in("three.csv"), "--proba", "--set", "0.9")
			classes := o["classes"].([]any)
			for i, p := range o["probabilities"].([]any) {
				sum, best := 0.0, 0.0
				for _, v := range p.([]any) {
					sum += number(v)
					best = max(best, number(v))
				}
				label := o["predictions"].([]any)[i]
				at := slices.Index(classes, label)
				if math.Abs(sum-1) > 1e-12 || at < 0 || number(p.([]any)[at]) != best {
					t.Fatalf("%s %s: row %d is %v with probabilities %v of %v", learner, method, i, label, p, classes)
				}
				if set := o["sets"].([]any)[i].([]any); len(set) == 0 || !slices.Contains(set, label) {
					t.Fatalf("%s %s: row %d is %v and its set %v", learner, method, i, label, set)
				}
			}
			lines := strings.Split(strings.TrimSpace(mustRun(t, "predict", in("m.kerf"), in("three.csv"), "--proba", "--set",
				"0.9")), "\n")
			if fields := strings.Split(lines[0], "\t"); len(lines) != 240 || len(fields) != 5 {
				t.Errorf("%d lines, the first %q", len(lines), lines[0])
			}
			lines = strings.Split(strings.TrimSpace(mustRun(t, "predict", in("m.kerf"), in("three.csv"), "--scores")), "\n")
			if fields := strings.Split(lines[0], "\t"); len(lines) != 240 || len(fields) != 4 {
				t.Errorf("%d lines, the first %q", len(lines), lines[0])
			}
		}
	}
	wantFailure(t, 2, "--proba", "predict", in("m.kerf"), in("three.csv"), "--proba", "--scores")
	for _, set := range []string{"0", "1", "-1", "NaN", "x"} {
		wantFailure(t, 2, "--set", "predict", in("m.kerf"), in("three.csv"), "--set", set)
	}
	mustRun(t, "train", in("three.csv"), "--calibrate", "none", "-o", in("plain.kerf"), "--quiet")
	wantFailure(t, 3, "--calibrate", "predict", in("plain.kerf"), in("three.csv"), "--proba")
	wantFailure(t, 3, "--conformal", "predict", in("plain.kerf"), in("three.csv"), "--set", "0.9")
	e := mustObject(t, "eval", in("m.kerf"), in("three.csv"))
	for _, key := range []string{"error", "accuracy", "auc", "log_loss", "confusion", "calibration", "margins"} {
		if _, ok := e[key]; !ok {
			t.Errorf("eval has no %s: %v", key, e)
		}
	}
}

// TestLIBSVMOnRawData is the first step of LIBSVM's guide: astroparticle data as
// they come and default settings, which give an accuracy of 66.925%.
func TestLIBSVMOnRawData(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	train, test := dataSet(t, "svmguide1.libsvm"), dataSet(t, "svmguide1.t.libsvm")
	o := mustObject(t, "train", train, "--test", test, "--learner", "kernel-svm", "--C", "1", "--kernel",
		"rbf(gamma=0.25)", "--calibrate", "none")
	if a := numberAt(t, o, "test.accuracy"); math.Abs(a-0.66925) > 1e-9 {
		t.Errorf("the accuracy is %v, and LIBSVM's 0.66925", a)
	}
}

// checkpointArgs is a training that goes on for some rounds.
func checkpointArgs(dir, file, learner string, more ...string) []string {
	args := []string{"train", filepath.Join(dir, file), "--learner", learner, "--kernel", "rbf(gamma=3)", "--tolerance",
		"1e-5", "--calibrate", "none", "--quiet"}
	if learner == "kernel-svm" {
		args = append(args, "--C", "300")
	}
	return append(args, more...)
}

// TestCheckpoint: a training that was ended after it kept its state goes on from
// there, and its model has the bytes of one that was never ended.
func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "900", "--noise", "0.2", "-o", in("c.csv"))
	for _, learner := range []string{"kernel-svm", "one-class"} {
		state := in(learner + ".state")
		_ = os.Remove(in("part.kerf"))
		mustRun(t, checkpointArgs(dir, "c.csv", learner, "-o", in("whole.kerf"))...)
		whole, err := os.ReadFile(in("whole.kerf"))
		if err != nil {
			t.Fatal(err)
		}
		ended := cancelledAt(t, state, checkpointArgs(dir, "c.csv", learner, "-o", in("part.kerf"), "--checkpoint", state)...)
		// One that was ended while its model was measured has written it, whole.
		if b, err := os.ReadFile(in("part.kerf")); ended && err == nil && !bytes.Equal(b, whole) {
			t.Errorf("%s: a training that was ended left a model of its own", learner)
		}
		if !ended {
			t.Logf("%s: it was done before it could be ended", learner)
		} else {
			t.Logf("%s: ended", learner)
		}
		for _, workers := range []string{"1", "2"} { // the second begins at the end
			mustRun(t, checkpointArgs(dir, "c.csv", learner, "-o", in("part.kerf"), "--checkpoint", state, "--workers",
				workers)...)
			if b, err := os.ReadFile(in("part.kerf")); err != nil || !bytes.Equal(b, whole) {
				t.Errorf("%s: gone on by %s workers, the model is another (%v)", learner, workers, err)
			}
		}
	}
}

// cancelledAt runs the program and cancels it as soon as a file is there. It
// reports whether the program was still running.
func cancelledAt(t *testing.T, file string, args ...string) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan int)
	var out, err bytes.Buffer
	go func() { done <- cli.Exec(ctx, args, strings.NewReader(""), &out, &err) }()
	for {
		select {
		case status := <-done:
			if status != 0 && status != 130 {
				t.Errorf("kerf %s: exit status %d: %s", strings.Join(args, " "), status, err.String())
			}
			return status == 130
		case <-time.After(time.Millisecond):
			if _, err := os.Stat(file); err == nil {
				cancel()
			}
		}
	}
}

// TestCheckpointAfterKill ends the program as nothing but the system can.
func TestCheckpointAfterKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "900", "--noise", "0.2", "-o", in("c.csv"))
	mustRun(t, checkpointArgs(dir, "c.csv", "kernel-svm", "-o", in("whole.kerf"))...)
	program, err := exec.LookPath("kerf") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, checkpointArgs(dir, "c.csv", "kernel-svm", "-o", in("part.kerf"), "--checkpoint",
		in("state"))...)
	c.Stderr = io.Discard
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(in("state")); err == nil {
			break
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	if _, err := os.Stat(in("state")); err != nil {
		t.Fatal(err)
	}
	mustRun(t, checkpointArgs(dir, "c.csv", "kernel-svm", "-o", in("part.kerf"), "--checkpoint", in("state"))...)
	want, _ := os.ReadFile(in("whole.kerf"))
	if got, err := os.ReadFile(in("part.kerf")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model is another (%v)", err)
	}
}

// TestForeignCheckpoint: the state of another training is refused, whatever it
// differs in, and kept.
func TestForeignCheckpoint(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "80", "-o", in("c.csv"))
	mustRun(t, checkpointArgs(dir, "c.csv", "kernel-svm", "--checkpoint", in("state"))...)
	before, err := os.ReadFile(in("state"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(in("c.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(table), "\n")
	fields := strings.Split(lines[40], ",")
	fields[0] = "0.123"
	lines[40] = strings.Join(fields, ",")
	writeFile(t, in("moved.csv"), []byte(strings.Join(lines, "\n"))) // one coordinate of one row
	fields[2] = map[string]string{"1": "-1", "-1": "1"}[fields[2]]
	lines[40] = strings.Join(fields, ",")
	writeFile(t, in("label.csv"), []byte(strings.Join(lines, "\n")))
	mustRun(t, "gen", "circle", "--n", "81", "-o", in("more.csv"))
	foreign := func(file string, more ...string) {
		t.Helper()
		wantFailure(t, 3, "another", checkpointArgs(dir, file, "kernel-svm", append(more, "--checkpoint", in("state"))...)...)
	}
	foreign("more.csv")
	foreign("label.csv")
	foreign("moved.csv")
	foreign("c.csv", "--C", "2")
	foreign("c.csv", "--kernel", "rbf(gamma=2)")
	foreign("c.csv", "--tolerance", "1e-4")
	foreign("c.csv", "--class-weight", "balanced")
	foreign("c.csv", "--class-weight", "1=2")
	foreign("c.csv", "--precision", "float32")
	wantFailure(t, 3, "another", checkpointArgs(dir, "c.csv", "nu-svm", "--checkpoint", in("state"))...)
	if after, err := os.ReadFile(in("state")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the state was changed (%v)", err)
	}
	for name, b := range map[string][]byte{"empty": nil, "cut": before[:len(before)-9], "text": []byte("hello"),
		"flipped": append(slices.Clone(before[:len(before)-20]), make([]byte, 20)...)} {
		writeFile(t, in("bad.state"), b)
		if name == "cut" || name == "flipped" {
			wantFailure(t, 3, "checkpoint", checkpointArgs(dir, "c.csv", "kernel-svm", "--checkpoint", in("bad.state"))...)
			continue
		}
		wantFailure(t, 3, "another", checkpointArgs(dir, "c.csv", "kernel-svm", "--checkpoint", in("bad.state"))...)
	}
	wantFailure(t, 3, "", checkpointArgs(dir, "c.csv", "kernel-svm", "--checkpoint", dir)...)
}
