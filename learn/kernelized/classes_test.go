package kernelized_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// corners returns n points about the corners of a square, a class each, the
// first of the given number.
func corners(n, classes int, s uint64) data.Labeled[data.Vector, int] {
	rng := seed.Stream(s, seed.Generator, 1)
	m, y := data.NewMatrix(n, 2), make([]int, n)
	for i := range n {
		y[i] = i % classes
		m.Row(i)[0] = 2*float64(y[i]%2) + rng.NormFloat64()
		m.Row(i)[1] = 2*float64(y[i]/2) + rng.NormFloat64()
	}
	return data.Labeled[data.Vector, int]{X: m, Y: y}
}

// TestPairs: FitClasses finds what the same SVM finds pair by pair, and both
// predict alike.
func TestPairs(t *testing.T) {
	for _, classes := range []int{2, 3, 4} {
		d := corners(210, classes, 7)
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.7})
		e, r, err := s.FitClasses(t.Context(), d, classes)
		if err != nil {
			t.Fatal(err)
		}
		pairs := learn.OneVsOne[data.Vector, *kernelized.Expansion[data.Vector]]{Learner: s, Classes: classes}
		v, q, err := pairs.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if r.Objective != q.Objective || r.Iterations != q.Iterations || e.Classes() != classes {
			t.Errorf("%d classes: %+v and %+v", classes, r, q)
		}
		all, err := e.PredictAll(t.Context(), run.Control{}, d.X)
		if err != nil {
			t.Fatal(err)
		}
		scores := make([]float64, learn.Pairs(classes))
		for i := range d.Y {
			x := d.X.At(i)
			e.Scores(scores, x)
			for p, b := range v.Binary() {
				near(t, "score", scores[p], b.Score(x), 1e-9)
			}
			if c := v.Predict(x); e.Predict(x) != c || all[i] != c {
				t.Errorf("row %d: %d, %d and %d", i, e.Predict(x), all[i], c)
			}
		}
		for _, workers := range []int{1, 2, 3} {
			s.Run.Workers = workers
			f, _, err := s.FitClasses(t.Context(), d, classes)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(f.Weight.Data, e.Weight.Data) || !slices.Equal(f.Bias, e.Bias) {
				t.Errorf("%d workers: another result", workers)
			}
		}
	}
}

// TestRest: FitRest finds what the same SVM finds class by class.
func TestRest(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := corners(150, classes, 8)
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.7})
		e, r, err := s.FitRest(t.Context(), d, classes)
		if err != nil {
			t.Fatal(err)
		}
		rest := learn.OneVsRest[data.Vector, *kernelized.Expansion[data.Vector]]{Learner: s, Classes: classes}
		m, q, err := rest.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if r.Objective != q.Objective || r.Evaluations == 0 || r.Evaluations > q.Evaluations {
			t.Errorf("%d classes: %+v and %+v", classes, r, q)
		}
		got, want := make([]float64, classes), make([]float64, classes)
		for i := range d.Y {
			e.Scores(got, d.X.At(i))
			m.Scores(want, d.X.At(i))
			for k := range got {
				near(t, "score", got[k], want[k], 1e-9)
				near(t, "score", e.Class(k).Score(d.X.At(i)), want[k], 1e-9)
			}
		}
	}
}

func TestClassesRefusals(t *testing.T) {
	d := corners(20, 3, 1)
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 1})
	if _, _, err := s.FitClasses(t.Context(), d, 4); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("a class without rows: %v", err)
	}
	if _, _, err := s.FitClasses(t.Context(), d, 1); err == nil {
		t.Error("one class: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, r, err := s.FitClasses(ctx, d, 3); !errors.Is(err, context.Canceled) || r.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
	if e, r, err := s.FitRest(ctx, d, 3); err != nil || r.Status != learn.Cancelled || e.Classes() != 3 {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
	s.Checkpoint.From = []byte{1}
	if _, _, err := s.FitClasses(t.Context(), d, 3); !errors.Is(err, learn.ErrState) {
		t.Errorf("no checkpoint of pairs: %v", err)
	}
	if _, _, err := s.FitRest(t.Context(), d, 3); !errors.Is(err, learn.ErrState) {
		t.Errorf("no checkpoint of classes: %v", err)
	}
}
