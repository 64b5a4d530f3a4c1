package job_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// byHand trains with package dataset and a recipe alone, on all rows of a file or
// those that rows names.
func byHand[T any](t *testing.T, path string, read dataset.Options, s scale.Kind, rows []int, kind spec.Kind[T],
	o job.Options) (*model.Pipeline[T], model.Training, data.Source[T]) {
	t.Helper()
	r, err := dataset.Read(t.Context(), path, read)
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(r, rows, s, read)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Decode[T](e, r)
	if err != nil {
		t.Fatal(err)
	}
	recipe := model.Recipe[T]{Calibrate: o.Choices.Calibrate, Seed: o.Seed}
	var faults [3]error
	recipe.Kernel, faults[0] = kind.Kernel(o.Choices.Kernel)
	recipe.Map, faults[1] = model.NewMapper[T](o.Choices.Map.Name, o.Choices.Map.Args)
	recipe.Learner, faults[2] = model.NewLearner[T](o.Choices.Learner.Name, o.Choices.Learner.Args)
	if err := errors.Join(faults[:]...); err != nil {
		t.Fatal(err)
	}
	if rows != nil {
		d = d.Select(rows)
	}
	if o.Choices.Task != model.Regress {
		p, training, err := recipe.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return p, training, d.X
	}
	v := data.Labeled[T, float64]{X: d.X}
	if v.Y, err = r.Values(rows); err != nil {
		t.Fatal(err)
	}
	p, training, err := recipe.FitValues(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return p, training, d.X
}

// checkHand compares a job with the same by hand, and with the program.
func checkHand[T any](t *testing.T, path string, kind spec.Kind[T], s scale.Kind, o job.TrainOptions) {
	t.Helper()
	p, training, x := byHand(t, path, o.Read, s, nil, kind, o.Options)
	got := train(t, path, o)
	wantScores(t, p, x, got.Training.Scores)
	rows, err := dataset.Read(t.Context(), path, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := got.Model.Scores(t.Context(), run.Control{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, p, x, scores)
	if got.N != x.Len() || got.Dim != p.Map.Dim() || got.Status != training.Status || got.Support != training.Support ||
		got.Iterations != training.Iterations || got.Evaluations != training.Evaluations ||
		got.Objective != nil && *got.Objective != training.Objective {
		t.Errorf("the job says %+v, the recipe %+v", got, training.Report)
	}
	if *got.Margin != training.Margins.Min() || *got.Margin95 != training.Margins.Quantile(0.05) {
		t.Errorf("margins %v and %v", *got.Margin, *got.Margin95)
	}
	wrong := 0.0
	for i, y := range rows.Labels {
		if p.Predict(x.At(i)) != y {
			wrong++
		}
	}
	if e := got.Train.Loss(); e != wrong/float64(x.Len()) || got.Test != nil {
		t.Errorf("%v of %d rows are wrong; the job says %v, and %v of test rows", wrong, x.Len(), e, got.Test)
	}
}

const passes = "max_passes=20000"

func TestTrainByHand(t *testing.T) {
	files := kinds(t)
	for _, c := range []struct{ file, kernel, mapped, learner, scale string }{
		{"table", "rbf(gamma=0.5)", "f2(dim=20)", "svm(C=10," + passes + ")", "standard"},
		{"table", "rbf(gamma=0.5)", "f1(dim=20,select=kmeans)", "svm(C=10,loss=hinge," + passes + ")", "range"},
		{"table", "rbf(gamma=0.5)", "fourier(dim=40)", "logistic(C=3," + passes + ")", "none"},
		{"table", "poly(degree=2)", "monomials", "perceptron(max_passes=50)", "none"},
		{"table", "laplace(gamma=1)", "none", "kernel-svm(C=5)", "none"},
		{"libsvm", "rbf(gamma=0.5)", "f3(dim=10,landmarks=50)", "ridge(lambda=1e-3,choose=false)", "none"},
		{"libsvm", "rbf(gamma=0.5)", "none", "kernel-ridge(lambda=1e-3)", "standard"},
		{"strings", "normalize(spectrum(k=2))", "f2(dim=30)", "svm(C=1," + passes + ")", ""},
		{"strings", "normalize(spectrum(k=2))", "none", "centroid", ""},
		{"sets", "jaccard", "f2(dim=30)", "svm(C=1," + passes + ")", ""},
		{"sets", "normalize(intersection)", "none", "falkon(lambda=1e-4,dim=30)", ""},
	} {
		t.Run(fmt.Sprintf("%s %s %s %s", c.file, c.kernel, c.mapped, c.learner), func(t *testing.T) {
			o := job.TrainOptions{Options: chosen(t, c.kernel, c.mapped, c.learner)}
			o.Scale = c.scale
			s, err := scale.Parse(c.scale)
			if c.scale == "" {
				s, err = scale.None, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			switch path := files[c.file]; c.file {
			case "strings":
				o.Read.Kind = dataset.Strings
				checkHand(t, path, spec.Strings{}, s, o)
			case "sets":
				o.Read.Kind = dataset.Sets
				checkHand(t, path, spec.Sets{}, s, o)
			default:
				checkHand(t, path, spec.Vectors{}, s, o)
			}
		})
	}
}

func TestTrainNumbersByHand(t *testing.T) {
	path := wave(t, 80)
	for _, learner := range []string{
		"ridge(lambda=1e-6,choose=false)", "kernel-ridge(lambda=1e-6)", "svr(C=10,epsilon=0.05)",
	} {
		mapped := "none"
		if strings.HasPrefix(learner, "ridge") {
			mapped = "f2(dim=30)"
		}
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=1)", mapped, learner)}
		o.Choices.Task = model.Regress
		p, _, x := byHand(t, path, o.Read, scale.None, nil, spec.Vectors{}, o.Options)
		got := train(t, path, o)
		wantScores(t, p, x, got.Training.Scores)
		if got.Margin != nil || got.Classes != nil || got.Task != model.Regress {
			t.Errorf("%s: margin %v, classes %v, task %s", learner, got.Margin, got.Classes, got.Task)
		}
		rows, err := dataset.Read(t.Context(), path, o.Read)
		if err != nil {
			t.Fatal(err)
		}
		values, err := rows.Values(nil)
		if err != nil {
			t.Fatal(err)
		}
		square := 0.0
		for i, v := range values {
			square += (p.Value(x.At(i)) - v) * (p.Value(x.At(i)) - v)
		}
		if want := math.Sqrt(square / float64(len(values))); !near(got.Train.RMSE, want) {
			t.Errorf("%s: the RMSE is %v, want %v", learner, got.Train.RMSE, want)
		}
	}
}

// TestTrainHoldout: the rows held out have no part in the training, and a file to
// test on gives what they do.
func TestTrainHoldout(t *testing.T) {
	path := circle(t, 120, 0.1)
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=20)", "svm(C=10,"+passes+")"), Holdout: 0.3}
	o.Scale = "standard"
	got := train(t, path, o)
	rows, err := dataset.Read(t.Context(), path, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	_, y := data.Encode(rows.Labels)
	rest, held := data.SplitBy(y, 0.3, o.Seed)
	p, _, x := byHand(t, path, o.Read, scale.Standard, rest, spec.Vectors{}, o.Options)
	wantScores(t, p, x, got.Training.Scores)
	if got.N != len(rest) || got.Test.Rows() != len(held) || got.Train.Rows() != len(rest) {
		t.Errorf("%d rows to train on and %d to test on, want %d and %d", got.N, got.Test.Rows(), len(rest), len(held))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	parts := [2]strings.Builder{}
	for k, index := range [][]int{rest, held} {
		parts[k].WriteString(lines[0])
		for _, i := range slices.Sorted(slices.Values(index)) {
			parts[k].WriteString(lines[i+1])
		}
	}
	o.Holdout, o.Test = 0, put(t, "held.csv", parts[1].String())
	again := train(t, put(t, "rest.csv", parts[0].String()), o)
	if fmt.Sprint(again.Test) != fmt.Sprint(got.Test) || fmt.Sprint(again.Train) != fmt.Sprint(got.Train) {
		t.Errorf("from files %v and %v, from one %v and %v", again.Train, again.Test, got.Train, got.Test)
	}
}

// TestTrainKeys: the JSON has the keys that the command line promises.
func TestTrainKeys(t *testing.T) {
	path := circle(t, 90, 0)
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=20)", "svm(C=10)"), Holdout: 0.3}
	got := object(t, train(t, path, o))
	wantKeys(t, got, "model", "kernel", "map", "dim", "rank", "learner", "n", "train", "test", "margin",
		"kernel_evaluations", "objective", "gap", "support", "iterations", "seconds", "status")
	for _, part := range []string{"train", "test"} {
		wantKeys(t, got[part].(map[string]any), "error", "accuracy")
	}
	o.Choices.Learner, o.Choices.Task = call(t, "ridge"), model.Regress
	got = object(t, train(t, wave(t, 80), o))
	for _, part := range []string{"train", "test"} {
		wantKeys(t, got[part].(map[string]any), "rmse", "r2")
	}
	for key, v := range got {
		if key == "margin" && v != nil {
			t.Errorf("the margin of numbers is %v", v)
		}
	}
	wantSameJSON(t, train(t, path, job.TrainOptions{Options: chosen(t, "", "", ""), Holdout: 0.3}),
		"train", path, "--holdout", "0.3")
}

// TestTrainOpen: with nothing chosen all is chosen, said, and good.
func TestTrainOpen(t *testing.T) {
	for name, path := range kinds(t) {
		o := quickly()
		o.Holdout = 0.3
		var said []string
		o.Warn = func(text string) { said = append(said, text) }
		if name == "strings" {
			o.Read.Kind = dataset.Strings
		}
		got := train(t, path, o)
		if e := got.Test.Loss(); e > 0.35 || got.C == nil || got.Map == "" || got.Kernel == "" || got.Dim < 1 {
			t.Errorf("%s: error %v of %s on %s with C %v (%q)", name, e, got.Map, got.Kernel, got.C, said)
		}
		if vectors := name == "table" || name == "libsvm"; vectors != (got.Features != nil) ||
			got.Picked == nil || len(got.Picked.Kernels) == 0 {
			t.Errorf("%s: %v features, picked %+v", name, got.Features, got.Picked)
		}
	}
}

// TestTrainEnds: a cancelled context leaves an error and no file; time that is up
// leaves the best so far, or says that there is none.
func TestTrainEnds(t *testing.T) {
	path := circle(t, 300, 0.2)
	o := quickly()
	o.Output = filepath.Join(t.TempDir(), "m.kerf")
	ctx, cancel := context.WithCancel(t.Context())
	o.Run.Progress.Start = func(task string, _ int64) {
		if task == "kernel 1 of 5" {
			cancel()
		}
	}
	if got, err := job.Train(ctx, path, o); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("cancelled: %v, %v", got, err)
	}
	o.Run.Progress, o.Time = run.Progress{}, time.Nanosecond
	if got, err := job.Train(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "--time") || got != nil {
		t.Errorf("no time: %v, %v", got, err)
	}
	if left, err := os.ReadDir(filepath.Dir(o.Output)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	slow := job.TrainOptions{Options: chosen(t, "rbf(gamma=50)", "none", "kernel-svm(C=1e6,tolerance=1e-12)")}
	slow.Choices.Calibrate, slow.Time, slow.Output = "", 100*time.Millisecond, o.Output
	begun := time.Now()
	got := train(t, circle(t, 2500, 0.5), slow)
	if took := time.Since(begun); got.Status != learn.TimeLimit || took > 10*time.Second {
		t.Errorf("status %s after %v", got.Status, took)
	}
	wantWhole(t, got)
}

// wantWhole checks that the file of a training is its model, and alone.
func wantWhole(t *testing.T, got *job.Trained) {
	t.Helper()
	text, err := os.ReadFile(*got.Output)
	if err != nil || !slices.Equal(text, bytesOf(t, got.Model)) {
		t.Errorf("the file is not the model: %v", err)
	}
	if _, err := model.Load(*got.Output); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(filepath.Dir(*got.Output)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestTrainOutput: a file that cannot be written is an error, and one that was there
// is replaced as a whole.
func TestTrainOutput(t *testing.T) {
	path := circle(t, 60, 0)
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=10)", "svm(C=1)")}
	o.Output = put(t, "m.kerf", strings.Repeat("old", 10_000))
	wantWhole(t, train(t, path, o))
	o.Output = filepath.Join(t.TempDir(), "missing", "m.kerf")
	if _, err := job.Train(t.Context(), path, o); err == nil {
		t.Error("a folder that is not there was written to")
	}
}

// TestTrainClaim: the job earns what the recipe does.
func TestTrainClaim(t *testing.T) {
	path := circle(t, 1500, 0)
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2", "svm(C=10,max_passes=13333)")}
	o.Scale, o.Choices.Calibrate = "none", ""
	o.Choices.Claim = &job.Claim{Error: 0.3, Confidence: 0.8, Margin: 0.3}
	got := train(t, path, o)
	if got.Certificate == nil || !got.Certificate.Holds || got.Dim != got.Training.Rank {
		t.Fatalf("certificate %+v of %d features", got.Certificate, got.Dim)
	}
	rows, err := dataset.Read(t.Context(), path, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.None, o.Read)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		t.Fatal(err)
	}
	k, err := spec.Vectors{}.Kernel(o.Choices.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	r := model.NewRecipe(k, 500)
	svm := model.NewSVM()
	svm.C, svm.MaxPasses = 10, 13333
	r.Learner, r.Choose, r.Calibrate = svm, false, ""
	f2 := model.NewF2[data.Vector](500)
	f2.Select = feature.RPCholesky
	r.Map = f2
	_, fresh := data.Split(1500, model.FreshPart, o.Seed)
	r.Claim = &model.Claim{Claim: certificate.NewClaim(0.3, 0.3, 0.8), Fresh: fresh, Most: 5000}
	p, training, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, p, d.X, got.Training.Scores)
	if *got.Certificate != *training.Earned {
		t.Errorf("the job earned %+v, the recipe %+v", got.Certificate, training.Earned)
	}
	wantKeys(t, object(t, got), "certificate")
	o.Choices.Kernel, o.Scale = "", "" // scale and width come from rows apart
	if got := train(t, path, o); got.Certificate == nil || got.Picked != nil {
		t.Errorf("certificate %+v, picked %+v", got.Certificate, got.Picked)
	}
	o.Choices.Kernel = "linear"
	o.Choices.Map = spec.Call{}
	if _, err := job.Train(t.Context(), path, o); err == nil {
		t.Error("the linear kernel has no map to certify")
	}
}

// TestDimBeyondRows: more landmarks than rows are cut with a word that names both
// numbers, at once and not after a long time; drawn features may be more.
func TestDimBeyondRows(t *testing.T) {
	path := circle(t, 60, 0)
	for _, c := range []struct {
		way, learner string
		dim          int
	}{
		{"f1(dim=1000000)", "svm(C=1)", 60}, {"f2(dim=1000000)", "svm(C=1)", 60}, {"f3(dim=1000000)", "svm(C=1)", 60},
		{"none", "falkon(dim=1000000)", 60}, {"fourier(dim=200)", "svm(C=1)", 200}, {"f2(dim=60)", "svm(C=1)", 60},
	} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=100)", c.way, c.learner)}
		got, said := warned(t, path, o)
		word := "--dim is 1000000 and there are 60 rows"
		if cut := strings.Contains(c.way+c.learner, "1000000"); got.Dim != c.dim || strings.Contains(said, word) != cut {
			t.Errorf("%s, %s: dimension %d, warned %q", c.way, c.learner, got.Dim, said)
		}
	}
}
