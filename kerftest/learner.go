package kerftest

import (
	"context"
	"errors"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Learner checks that a binary learner keeps its contract on the sample d, whose
// labels are +1 and -1: it fits the same model twice, predicts the sign of its
// score, gives the best so far when it is cancelled, and refuses samples that
// cannot be learnt from with the errors of package learn.
func Learner[T any, M learn.Separator[T]](t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64]) {
	t.Helper()
	ctx := context.Background()
	if err := l.Validate(); err != nil {
		t.Fatalf("Validate: %v", err)
	}
	m, report, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatalf("Fit: %v", err)
	}
	if report.Status != learn.Converged && report.Status != learn.IterationLimit {
		t.Errorf("status %q", report.Status)
	}
	if report.Iterations < 1 || report.Elapsed <= 0 {
		t.Errorf("report says nothing: %+v", report)
	}
	again, _, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatalf("second Fit: %v", err)
	}
	for i := range d.Y {
		x := d.X.At(i)
		score := m.Score(x)
		if score-score != 0 {
			t.Fatalf("score of row %d is %v", i, score)
		}
		if other := again.Score(x); other != score {
			t.Fatalf("row %d scores %v at first and %v after another fit", i, score, other)
		}
		if want := sign(score); m.Predict(x) != want {
			t.Fatalf("row %d scores %v and is predicted as %v", i, score, m.Predict(x))
		}
	}
	t.Run("cancelled", func(t *testing.T) { learnerCancelled(t, l, d) })
	t.Run("refusals", func(t *testing.T) { learnerRefusals(t, l, d) })
}

// sign is +1 from 0 upwards: Blum's separators call w·x ≥ 0 positive.
func sign(score float64) float64 {
	if score >= 0 {
		return 1
	}
	return -1
}

func learnerCancelled[T any, M learn.Separator[T]](t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64]) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, report, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatalf("Fit: %v", err)
	}
	if report.Status != learn.Cancelled {
		t.Errorf("status %q", report.Status)
	}
	if s := m.Score(d.X.At(0)); s-s != 0 {
		t.Errorf("score %v", s)
	}
}

func learnerRefusals[T any, M learn.Separator[T]](t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64]) {
	ctx := context.Background()
	one := make([]float64, len(d.Y))
	for i := range one {
		one[i] = 1
	}
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: one}); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("one class: %v", err)
	}
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: data.Slice[T](nil)}); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	odd := append([]float64(nil), d.Y...)
	odd[len(odd)-1] = 0.5
	var fault *learn.DataError
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: odd}); !errors.As(err, &fault) || fault.Row != len(odd)-1 {
		t.Errorf("a label of 0.5: %v", err)
	}
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: d.Y[1:]}); err == nil {
		t.Error("no error where a label is missing")
	}
}
