package job_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// unkeyed are the options of a search that are not in its key, and why. An option
// that is neither here nor among the others below fails the test.
var unkeyed = map[string]string{
	"Read.Numbers":     "that is the task's",
	"Read.Seed":        "that is the job's",
	"Read.Header":      "it shows in the rows, which are in the key",
	"Read.Unlabeled":   "it shows in the labels, which are in the key",
	"Read.Verbatim":    "it shows in the cells, of which are the rows",
	"Read.WeightSpare": "it shows in the weights, which are in the key",
	"Read.Labels":      "it shows in the labels, which are in the key",
	"Read.Stdin":       "it is the rows, which are in the key",
	"Read.Run":         "it limits memory",
	"Read.Open":        "it is the rows, which are in the key",
	"Read.Piece":       "it is the rows, which are in the key",
	"Read.Piped":       "it is the rows, which are in the key",
	"Clustered":        "a search is on rows in memory",
	"AllowExec":        "a search is in one process",
	"Run.Workers":      "results are the same bits for any number",
	"Run.Memory":       "results are the same bits for any budget",
	"Run.Process":      "results are the same bits for any budget",
	"Run.Progress":     "who is told",
	"Run.Counter":      "who counts",
	"Run.Device":       "a state may go on where there is another device",
	"Run.Places":       "who is told",
	"Warn":             "who is told",
	"Note":             "who is told",
	"Test":             "it measures the final model",
	"TestLabels":       "it measures the final model",
	"TestWeights":      "it measures the final model",
	"Output":           "where the model goes",
	"Checkpoint":       "where the state is",
	"Time":             "a search that time cut short goes on with more of it",
	"Details":          "it measures the final model",
	"Effort":           "a search has its own trials",
	"Single":           "a search has its own trials",
	"Stream":           "a search is on rows in memory",
	"Choices.Claim":    "a search has none: it finds the dimension of one model",
}

// others are options that make another search of the table below, and those that
// are listed above.
func others(t *testing.T, dir string) map[string]any {
	return map[string]any{
		"Read.Kind":           dataset.Strings,
		"Read.Target":         "w",
		"Read.Text":           "1", // of strings
		"Read.Drop":           []string{"1"},
		"Read.Groups":         "2",
		"Read.Weight":         "w",
		"Read.More":           []string{put(t, "more.csv", "x,z,w,label\n0.1,0.2,100001,1\n0.9,-0.7,100002,-1\n")},
		"Read.Weights":        put(t, "weights", strings.Repeat("2\n1\n", 30)),
		"Scale":               "range",
		"Choices.Kernel":      "rbf",
		"Choices.Map":         call(t, "f2"),
		"Choices.Learner":     call(t, "svm(tolerance=0.01)"),
		"Choices.Task":        model.Regress,
		"Choices.ClassWeight": map[string]float64{"1": 2},
		"Choices.Balanced":    true,
		"Choices.Metric":      eval.ByAUC,
		"Choices.Calibrate":   calibrate.Steps,
		"Choices.Conformal":   0.25,
		"Seed":                uint64(2),
		"Run.Precision":       run.Float32,
		"Holdout":             0.25,
		"Search":              job.Random,
		"Trials":              2,
		"Folds":               4,
		"FoldsGiven":          true,

		"Read.Categories":  table.ByTarget,
		"Read.Numbers":     true,
		"Read.Seed":        uint64(7),
		"Read.Header":      table.Skip,
		"Read.Unlabeled":   true,
		"Read.Verbatim":    true,
		"Read.WeightSpare": true,
		"Read.Labels":      "",
		"Read.Stdin":       io.Reader(strings.NewReader("")),
		"Read.Run":         run.Control{Memory: 1 << 30},
		"Read.Open":        (func(context.Context, string) (io.ReadCloser, error))(nil),
		"Read.Piece":       (*dataset.Piece)(nil),
		"Read.Piped":       (func(string) (string, io.Reader))(nil),
		"Clustered":        job.Clustered{SkipBad: 1},
		"AllowExec":        true,
		"Run.Workers":      1,
		"Run.Memory":       int64(1 << 30),
		"Run.Process":      true,
		"Run.Progress":     run.Progress{Finish: func() {}},
		"Run.Counter":      &run.Counter{},
		"Run.Device":       run.CPU,
		"Run.Places":       &run.Places{},
		"Warn":             func(string) {},
		"Note":             func(string) {},
		"Test":             put(t, "t.csv", "x,z,w,label\n1,1,100000,1\n2,2,100001,-1\n"),
		"TestLabels":       "",
		"TestWeights":      "",
		"Output":           filepath.Join(dir, "m.kerf"),
		"Checkpoint":       filepath.Join(dir, "another"),
		"Time":             time.Hour,
		"Details":          true,
		"Effort":           job.Thorough,
		"Single":           true,
		"Stream":           true,
		"Choices.Claim":    (*job.Claim)(nil),
	}
}

// options lists the options by name, with those of the structs that are about files,
// choices and runs one by one.
func options(of reflect.Type, prefix string, at []int) map[string][]int {
	out := map[string][]int{}
	for i := range of.NumField() {
		f := of.Field(i)
		if !f.IsExported() { // no caller can set it
			continue
		}
		place := append(append([]int{}, at...), i)
		name := prefix + f.Name
		switch f.Type {
		case reflect.TypeFor[job.TrainOptions](), reflect.TypeFor[job.Options]():
			name = strings.TrimSuffix(prefix, ".")
		case reflect.TypeFor[dataset.Options](), reflect.TypeFor[job.Choices]():
		case reflect.TypeFor[run.Control]():
			if prefix != "" {
				out[name] = place
				continue
			}
		default:
			out[name] = place
			continue
		}
		for inner, at := range options(f.Type, strings.TrimPrefix(name+".", "."), place) {
			out[inner] = at
		}
	}
	return out
}

// stateKey returns the key of the state that a search leaves.
func stateKey(t *testing.T, path string, o job.TuneOptions) string {
	t.Helper()
	if _, err := job.Tune(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(o.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	return string(state[:32])
}

// TestTuneKey: every option that makes another search is in its key.
func TestTuneKey(t *testing.T) {
	x, y := gen.Circle(gen.Options{N: 60, Noise: 0.1, Seed: 3})
	var b strings.Builder
	b.WriteString("x,z,w,label\n")
	for i := range y {
		fmt.Fprintf(&b, "%v,%v,%d,%s\n", x.Row(i)[0], x.Row(i)[1], 100000+i%3, y[i])
	}
	path, dir := put(t, "d.csv", b.String()), t.TempDir()
	base := job.NewTuneOptions()
	base.Trials, base.Search, base.Folds, base.Time = 1, job.Grid, 2, 0
	base.Checkpoint = filepath.Join(dir, "base")
	before, seen, values := stateKey(t, path, base), map[string]string{}, others(t, dir)
	for name, place := range options(reflect.TypeFor[job.TuneOptions](), "", nil) {
		why, listed := unkeyed[name]
		value, ok := values[name]
		if !ok {
			t.Errorf("option %s is new: put it in the key or list it, and give it another value here", name)
			continue
		}
		o, was := base, before
		o.Checkpoint = filepath.Join(dir, name)
		switch name {
		case "Choices.Task": // of labels that are numbers
			o.Choices.Learner = spec.Call{Name: model.LearnerRidge}
			was = stateKey(t, path, o)
			o.Checkpoint += " regress"
		case "Read.Text":
			o.Read.Kind = dataset.Strings
			was = stateKey(t, path, o)
			o.Checkpoint += " column"
		case "Choices.Learner":
			o.Choices.Learner = call(t, "svm(tolerance=0.02)")
			was = stateKey(t, path, o)
			o.Checkpoint += " tolerance"
		}
		field := reflect.ValueOf(&o).Elem().FieldByIndex(place)
		field.Set(reflect.ValueOf(value).Convert(field.Type()))
		after := stateKey(t, path, o)
		switch {
		case listed && after != was:
			t.Errorf("%s is in the key, and listed as not: %s", name, why)
		case listed:
		case after == was:
			t.Errorf("%s is not in the key", name)
		case seen[after] != "":
			t.Errorf("%s and %s have the same key", name, seen[after])
		}
		if !listed {
			seen[after] = name
		}
	}
}

// TestTuneKeyOfScale: in the folds another scaling is another search, even where
// that of all rows leaves them as they are.
func TestTuneKeyOfScale(t *testing.T) {
	path := put(t, "d.csv", "x,z,label\n"+strings.Repeat("1,-1,a\n-1,1,b\n1,1,a\n-1,-1,b\n", 10))
	o := job.NewTuneOptions()
	o.Trials, o.Folds, o.Scale, o.Checkpoint = 1, 2, "none", filepath.Join(t.TempDir(), "none")
	before := stateKey(t, path, o)
	o.Scale, o.Checkpoint = "standard", o.Checkpoint+" standard"
	if stateKey(t, path, o) == before {
		t.Error("the scaling is not in the key")
	}
}

// TestTuneRefusesOtherPenalty: the trials at one penalty are none at another.
func TestTuneRefusesOtherPenalty(t *testing.T) {
	path := circle(t, 60, 0.1)
	o := job.NewTuneOptions()
	o.Trials, o.Folds, o.Checkpoint = 3, 2, filepath.Join(t.TempDir(), "state")
	o.Choices.Learner = call(t, "kernel-ridge(lambda=1)")
	tuned, err := job.Tune(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tuned.Trials {
		if r.Lambda == nil || *r.Lambda != 1 {
			t.Errorf("a trial at lambda %v", r.Lambda)
		}
	}
	o.Choices.Learner = call(t, "kernel-ridge(lambda=1e-6)")
	if _, err := job.Tune(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("the state of lambda = 1 serves for 1e-6: %v", err)
	}
}

// TestTrainKey: the state of a training is for the same choices and rows alone.
func TestTrainKey(t *testing.T) {
	path := circle(t, 60, 0.1)
	base := job.TrainOptions{Options: chosen(t, "rbf(gamma=1)", "f2(dim=10)", "pegasos(C=1)")}
	base.Checkpoint = filepath.Join(t.TempDir(), "state")
	want := bytesOf(t, train(t, path, base).Model)
	if got := train(t, path, base); !bytes.Equal(bytesOf(t, got.Model), want) {
		t.Error("gone on from the end, another model")
	}
	for name, change := range map[string]func(*job.TrainOptions){
		"kernel":     func(o *job.TrainOptions) { o.Choices.Kernel = "rbf(gamma=2)" },
		"open width": func(o *job.TrainOptions) { o.Choices.Kernel = "rbf" },
		"map":        func(o *job.TrainOptions) { o.Choices.Map = call(t, "f1(dim=10)") },
		"dim":        func(o *job.TrainOptions) { o.Choices.Map = call(t, "f2(dim=11)") },
		"selection":  func(o *job.TrainOptions) { o.Choices.Map = call(t, "f2(dim=10,select=kmeans)") },
		"penalty":    func(o *job.TrainOptions) { o.Choices.Learner = call(t, "pegasos(C=2)") },
		"open":       func(o *job.TrainOptions) { o.Choices.Learner = call(t, "pegasos") },
		"metric":     func(o *job.TrainOptions) { o.Choices.Metric = eval.ByF1 },
		"balanced":   func(o *job.TrainOptions) { o.Choices.Balanced = true },
		"conformal":  func(o *job.TrainOptions) { o.Choices.Conformal = 0.2 },
		"calibrate":  func(o *job.TrainOptions) { o.Choices.Calibrate = "" },
		"scale":      func(o *job.TrainOptions) { o.Scale = "standard" },
		"holdout":    func(o *job.TrainOptions) { o.Holdout = 0.2 },
		"seed":       func(o *job.TrainOptions) { o.Seed = 2 },
		"precision":  func(o *job.TrainOptions) { o.Run.Precision = run.Float32 },
	} {
		o := base
		change(&o)
		if _, err := job.Train(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "another") {
			t.Errorf("%s: the state serves for another training: %v", name, err)
		}
	}
	_, err := job.Train(t.Context(), circle(t, 61, 0.1), base)
	if err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("the state serves for other rows: %v", err)
	}
}
