package job_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// chance is a table of labels, or numbers, that have nothing to do with the rest;
// one in ten is "yes" and weighs as given.
func chance(t testing.TB, n int, weight float64, numbers bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,w,label\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		label, w := "no", 1.0
		if i%10 == 0 {
			label, w = "yes", weight
		}
		if numbers {
			label = fmt.Sprint(math.Round(1000*rng.NormFloat64()) / 1000)
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%g,%s\n", rng.NormFloat64(), rng.NormFloat64(), w, label)
	}
	return put(t, "chance.csv", b.String())
}

// warned trains and returns the warnings.
func warned(t *testing.T, path string, o job.TrainOptions) (*job.Trained, string) {
	t.Helper()
	var b strings.Builder
	o.Warn = func(text string) { b.WriteString(text + "\n") }
	out, err := job.Train(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, b.String()
}

const noBetter = "no better than always answering"

// TestBaselineOfChance: a model of labels that have nothing to do with the
// instances stands beside the share of the rarer class, and a warning says so.
func TestBaselineOfChance(t *testing.T) {
	o := quickly()
	o.Holdout, o.Choices.Kernel, o.Read.Drop = 0.3, "rbf(gamma=1)", []string{"w"}
	out, said := warned(t, chance(t, 300, 1, false), o)
	b := out.Baseline
	if b == nil || *b.Class != "no" || math.Abs(*b.Error-0.1) > 0.001 || b.Beaten {
		t.Errorf("baseline %+v", b)
	}
	if !strings.Contains(said, noBetter+` "no"`) || !strings.Contains(b.String(), "by more than chance") {
		t.Errorf("warned %q; baseline %s", said, b)
	}
	if want := len(out.Trials) + len(out.Picked.Dims) + len(out.Picked.Maps) - 1; out.Tried != want || want < 5 {
		t.Errorf("%d tried, not %d", out.Tried, want)
	}
}

// TestBaselineByWeight: what is rare weighs most.
func TestBaselineByWeight(t *testing.T) {
	o := quickly()
	o.Choices.Kernel, o.Choices.Map.Name, o.Read.Weight = "linear", model.MapNone, "w"
	out, _ := warned(t, chance(t, 300, 27, false), o) // 30 rows of 27, 270 of 1
	if b := out.Baseline; *b.Class != "yes" || math.Abs(*b.Error-0.25) > 1e-12 {
		t.Errorf("baseline %+v", b)
	}
}

// TestBaselineBeaten: a model that has learnt something is not warned of, and what
// is expected of it on new rows is what the test rows show.
func TestBaselineBeaten(t *testing.T) {
	o := quickly()
	o.Holdout, o.Choices.Kernel = 0.3, "rbf(gamma=1)"
	path := circle(t, 400, 0)
	out, said := warned(t, path, o)
	if b := out.Baseline; b == nil || !b.Beaten || strings.Contains(said, noBetter) {
		t.Errorf("baseline %+v, warned %q", b, said)
	}
	e := out.Expected
	if e == nil || e.Metric != "error" || e.Value != out.Test.Loss() || *e.Low > e.Value || *e.High < e.Value {
		t.Errorf("expected %+v, test %s", e, out.Test)
	}
	o.Holdout = 0
	out, _ = warned(t, path, o)
	if e := out.Expected; e == nil || e.Rows != 100 || !(*e.Low <= e.Value && e.Value <= *e.High) {
		t.Errorf("expected of rows held out %+v", e) // a quarter of 400
	}
}

// TestBaselineOfNumbers: the mean has R² 0 on the rows that it is the mean of.
func TestBaselineOfNumbers(t *testing.T) {
	o := quickly()
	o.Choices.Task, o.Choices.Kernel = model.Regress, "rbf(gamma=1)"
	out, said := warned(t, wave(t, 300), o)
	b := out.Baseline
	if b == nil || math.Abs(*b.R2) > 1e-9 || !b.Beaten || strings.Contains(said, noBetter) {
		t.Errorf("baseline %+v, warned %q", b, said)
	}
	if e := out.Expected; e == nil || e.Metric != "rmse" || !(*e.Low < e.Value && e.Value < *e.High) {
		t.Errorf("expected %+v", e)
	}
	o.Holdout, o.Read.Drop = 0.3, []string{"w"}
	if out, said = warned(t, chance(t, 300, 1, true), o); out.Baseline.Beaten || !strings.Contains(said, noBetter) {
		t.Errorf("baseline %+v, warned %q", out.Baseline, said)
	}
}

// TestBaselineOfOneClass: there is none.
func TestBaselineOfOneClass(t *testing.T) {
	o := quickly()
	o.Choices.Learner.Name, o.Choices.Kernel = model.LearnerOneClass, "rbf(gamma=1)"
	out, said := warned(t, circle(t, 60, 0), o)
	if out.Baseline != nil || out.Expected != nil || strings.Contains(said, noBetter) {
		t.Errorf("baseline %+v, expected %+v, warned %q", out.Baseline, out.Expected, said)
	}
}

// TestBaselineElsewhere: cross-validations, searches and evaluations have one too,
// and their JSON says it.
func TestBaselineElsewhere(t *testing.T) {
	path := chance(t, 200, 1, false)
	cv := job.NewCVOptions()
	cv.Folds, cv.Choices.Kernel, cv.Choices.Map.Name = 2, "linear", model.MapNone
	var said []string
	cv.Warn = func(text string) { said = append(said, text) }
	v, err := job.CrossValidate(t.Context(), path, cv)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(v.Baseline["error"]-0.1) > 1e-12 || !strings.Contains(fmt.Sprint(said), "no better by more than chance") {
		t.Errorf("folds have the baseline %v, warned %q", v.Baseline, said)
	}
	o := quickly()
	o.Choices = cv.Choices
	o.Output = filepath.Join(t.TempDir(), "m.kerf")
	trained, _ := warned(t, path, o)
	m, err := model.Load(o.Output)
	if err != nil {
		t.Fatal(err)
	}
	e, err := job.Evaluate(t.Context(), m, path, job.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	for name, result := range map[string]any{"train": trained, "cv": v, "eval": e, "score": trained.Train} {
		text, err := json.Marshal(result)
		var keys struct{ Baseline struct{ Error float64 } }
		if err == nil {
			err = json.Unmarshal(text, &keys)
		}
		if err != nil || math.Abs(keys.Baseline.Error-0.1) > 1e-12 {
			t.Errorf("%s: baseline %+v, %v", name, keys, err)
		}
	}
}
