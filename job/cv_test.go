package job_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

func crossValidate(t *testing.T, path string, o job.CVOptions) *job.CrossValidated {
	t.Helper()
	out, err := job.CrossValidate(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCrossValidateByHand: each fold is trained on the others alone, and tested.
func TestCrossValidateByHand(t *testing.T) {
	path := circle(t, 101, 0.1)
	o := job.NewCVOptions()
	o.Options, o.Scale = chosen(t, "rbf(gamma=1)", "f2(dim=20)", "svm(C=5)"), "range"
	got := crossValidate(t, path, o)
	k, err := spec.Vectors{}.Kernel("rbf(gamma=1)")
	if err != nil {
		t.Fatal(err)
	}
	svm := model.NewSVM()
	svm.C, svm.MaxPasses = 5, 20000
	r := model.NewRecipe(k, 20)
	r.Learner, r.Choose, r.Calibrate = svm, false, ""
	var errors []float64
	foldsOf(t, path, 5, scale.Range, func(train, test data.Labeled[data.Vector, string]) {
		p, _, err := r.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0.0
		for i, y := range test.Y {
			if p.Predict(test.X.At(i)) != y {
				wrong++
			}
		}
		f := got.Folds[len(errors)]
		errors = append(errors, wrong/float64(len(test.Y)))
		if f.NTrain != len(train.Y) || f.Score.Rows() != len(test.Y) || !near(f.Score.Loss(), errors[len(errors)-1]) {
			t.Errorf("fold %d: %v of %d rows, want %v of %d", f.Fold, f.Score, f.NTrain, errors[len(errors)-1], len(train.Y))
		}
	})
	mean, square := 0.0, 0.0
	for _, e := range errors {
		mean += e / 5
	}
	for _, e := range errors {
		square += (e - mean) * (e - mean)
	}
	if std := math.Sqrt(square / 4); !near(got.Mean["error"], mean) || !near(got.Std["error"], std) ||
		!near(got.Mean["accuracy"], 1-mean) {
		t.Errorf("mean %v, deviation %v, want those of %v", got.Mean, got.Std, errors)
	}
	wantKeys(t, object(t, got), "folds", "mean", "std")
	wantSameJSON(t, got, "cv", path, "--kernel", "rbf(gamma=1)", "--dim", "20", "--map", "f2", "--C", "5",
		"--scale", "range")
}

// TestCrossValidateKinds: every kind and task, with nothing chosen.
func TestCrossValidateKinds(t *testing.T) {
	files := kinds(t)
	files["numbers"] = wave(t, 90)
	for name, path := range files {
		o := job.NewCVOptions()
		args := []string{"cv", path, "--folds", "3"}
		o.Folds = 3
		switch name {
		case "numbers":
			o.Choices.Task = model.Regress
			args = append(args, "--task", "regress")
		case "strings":
			o.Read.Kind = "strings"
			args = append(args, "--as", "strings")
		}
		got := crossValidate(t, path, o)
		if len(got.Folds) != 3 || got.N != 90 {
			t.Errorf("%s: %d folds of %d rows", name, len(got.Folds), got.N)
		}
		for _, f := range got.Folds {
			if v := f.Score.Loss(); v > 0.45 {
				t.Errorf("%s: %v", name, f.Score)
			}
		}
		wantSameJSON(t, got, args...)
	}
}

// TestCrossValidateGroups: the rows of a group are in one fold, and the column of
// groups is not learnt from.
func TestCrossValidateGroups(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,who,label\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%v,p%d,%s\n", float64(i%10)+float64(i)/100, i/10, []string{"low", "high"}[i%10/5])
	}
	path := put(t, "d.csv", b.String())
	o := job.NewCVOptions()
	o.Options, o.Folds, o.Groups = chosen(t, "rbf(gamma=1)", "f2(dim=9)", "svm(C=5)"), 3, "who"
	got := crossValidate(t, path, o)
	for _, f := range got.Folds {
		if f.Score.Rows()%10 != 0 || f.NTrain+f.Score.Rows() != 60 {
			t.Errorf("fold %d has %d rows of groups of ten", f.Fold, f.Score.Rows())
		}
	}
	o.Folds = 7
	if _, err := job.CrossValidate(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "groups") {
		t.Errorf("7 folds of 6 groups: %v", err)
	}
}

func TestCrossValidateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := job.NewCVOptions()
	o.Run.Progress.Step = func(int64) { cancel() }
	if _, err := job.CrossValidate(ctx, circle(t, 200, 0.1), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestSearchInFolds: with an effort each fold searches as a training does, and says what it found.
func TestSearchInFolds(t *testing.T) {
	if testing.Short() {
		t.Skip("a race in each fold")
	}
	o := job.NewCVOptions()
	o.Folds, o.Effort = 2, job.Normal
	out, err := job.CrossValidate(t.Context(), directed(t, 160, false, ""), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range out.Folds {
		if f.Learner != model.LearnerKernelRidge || f.Kernel == "linear" || f.NTrain+f.Score.Rows() != 160 {
			t.Errorf("fold %d: %s of %s on %d and %d rows", f.Fold, f.Learner, f.Kernel, f.NTrain, f.Score.Rows())
		}
	}
	if !out.Searched || out.Learner != model.LearnerKernelRidge {
		t.Errorf("searched %v, %s", out.Searched, out.Learner)
	}
}
