package kerftest

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Learner checks that a binary learner keeps its contract on the sample d, whose
// labels are +1 and -1: it fits the same model twice, predicts the sign of its
// score, gives the best so far when it is cancelled, and refuses samples that
// cannot be learnt from with the errors of package learn; rows that contradict
// each other it bears.
func Learner[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64],
) {
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
	t.Run("contradiction", func(t *testing.T) { learnerContradiction(t, l, d) })
	t.Run("weights", func(t *testing.T) { learnerWeights(t, l, d) })
}

// learnerContradiction fits one instance with both labels, and all instances
// alike: nothing can be learnt, and what comes back is an error or a model with
// finite scores.
func learnerContradiction[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64],
) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, n := range []int{2, 20} {
		var same data.Labeled[T, float64]
		var x data.Slice[T]
		for i := range n {
			x, same.Y = append(x, d.X.At(0)), append(same.Y, float64(2*(i%2)-1))
		}
		same.X = x
		m, report, err := l.Fit(ctx, same)
		if ctx.Err() != nil {
			t.Fatalf("%d rows that are the same: it does not end", n)
		}
		if err != nil {
			continue
		}
		if report.Status == "" {
			t.Errorf("%d rows that are the same: there is no status", n)
		}
		for i := range d.Y {
			if s := m.Score(d.X.At(i)); s-s != 0 {
				t.Fatalf("%d rows that are the same: row %d scores %v", n, i, s)
			}
		}
	}
}

// sign is +1 from 0 upwards: Blum's separators call w·x ≥ 0 positive.
func sign(score float64) float64 {
	if score >= 0 {
		return 1
	}
	return -1
}

func learnerCancelled[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64],
) {
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

func learnerRefusals[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64],
) {
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
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: odd}); !errors.As(err, &fault) ||
		fault.Row != len(odd)-1 {
		t.Errorf("a label of 0.5: %v", err)
	}
	if _, _, err := l.Fit(ctx, data.Labeled[T, float64]{X: d.X, Y: d.Y[1:]}); err == nil {
		t.Error("no error where a label is missing")
	}
}

// learnerWeights refuses weights that cannot be, and takes weights of 1 for none.
func learnerWeights[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64],
) {
	ctx := context.Background()
	plain, _, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	d.Weight = slices.Repeat([]float64{1}, len(d.Y))
	ones, _, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatalf("weights of 1: %v", err)
	}
	if a, b := ones.Score(d.X.At(0)), plain.Score(d.X.At(0)); math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
		t.Errorf("weights of 1 score %v and none %v", a, b)
	}
	for i, y := range d.Y {
		d.Weight[i] = max(0, y)
	}
	if _, _, err := l.Fit(ctx, d); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("weight on one class: %v", err)
	}
	d.Weight = d.Weight[1:]
	if _, _, err := l.Fit(ctx, d); err == nil {
		t.Error("no error where a weight is missing")
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		d.Weight = slices.Repeat([]float64{1}, len(d.Y))
		d.Weight[1] = bad
		var fault *learn.DataError
		if _, _, err := l.Fit(ctx, d); !errors.As(err, &fault) || fault.Row != 1 {
			t.Errorf("a weight of %v: %v", bad, err)
		}
	}
	clear(d.Weight)
	if _, _, err := l.Fit(ctx, d); err == nil {
		t.Error("no error where all weights are 0")
	}
}

// Weights checks that weights of rows are repetitions to a learner: that a row of
// weight k counts as k rows, and one of weight 0 as none. The scores of both models
// may differ by a part within of the largest. It is for learners that find an
// optimum, and not for those that take rows in random order.
func Weights[T any, M learn.Separator[T]](
	t *testing.T, l learn.Learner[T, float64, M], d data.Labeled[T, float64], within float64,
) {
	t.Helper()
	ctx := context.Background()
	d.Weight = make([]float64, len(d.Y))
	var index []int
	for i := range d.Weight {
		k := []int{1, 0, 2, 3}[i%4]
		d.Weight[i] = float64(k)
		for range k {
			index = append(index, i)
		}
	}
	one, _, err := l.Fit(ctx, d)
	if err != nil {
		t.Fatalf("Fit with weights: %v", err)
	}
	repeated := d.Select(index)
	repeated.Weight = nil
	two, _, err := l.Fit(ctx, repeated)
	if err != nil {
		t.Fatalf("Fit with rows repeated: %v", err)
	}
	largest := 0.0
	for i := range d.Y {
		largest = max(largest, math.Abs(two.Score(d.X.At(i))))
	}
	for i := range d.Y {
		a, b := one.Score(d.X.At(i)), two.Score(d.X.At(i))
		if !(math.Abs(a-b) <= within*largest) {
			t.Fatalf("row %d scores %v with weights and %v with rows repeated", i, a, b)
		}
	}
}
