package learn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// middle separates numbers at the mean of the two classes' means.
type middle struct{ fail bool }

type threshold struct{ at, sign float64 }

func (s threshold) Score(x float64) float64 { return s.sign * (x - s.at) }

func (s threshold) Predict(x float64) float64 {
	if s.Score(x) >= 0 {
		return 1
	}
	return -1
}

func (m middle) Validate() error { return nil }

func (m middle) Fit(_ context.Context, d data.Labeled[float64, float64]) (threshold, learn.Report, error) {
	if m.fail {
		return threshold{}, learn.Report{}, errors.New("no")
	}
	var sum, count [2]float64
	for i, y := range d.Y {
		side := 0
		if y > 0 {
			side = 1
		}
		sum[side] += d.X.At(i)
		count[side]++
	}
	low, high := sum[0]/count[0], sum[1]/count[1]
	sign := 1.0
	if high < low {
		sign = -1
	}
	return threshold{at: (low + high) / 2, sign: sign}, learn.Report{Status: learn.Converged, Iterations: 1}, nil
}

// TestOneVsOne separates numbers around 0, 10, 20 and 30.
func TestOneVsOne(t *testing.T) {
	for classes := 2; classes <= 4; classes++ {
		d := data.Labeled[float64, int]{}
		x := data.Slice[float64]{}
		for i := range 5 * classes {
			x = append(x, float64(10*(i%classes))+float64(i/classes)-2)
			d.Y = append(d.Y, i%classes)
		}
		d.X = x
		for workers := 1; workers <= 3; workers++ {
			o := learn.OneVsOne[float64, threshold]{Learner: middle{}, Classes: classes, Run: run.Control{Workers: workers}}
			m, r, err := o.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if r.Iterations != learn.Pairs(classes) || m.Classes() != classes || len(m.Binary()) != learn.Pairs(classes) {
				t.Errorf("%d classes: %+v", classes, r)
			}
			for i, want := range d.Y {
				if got := m.Predict(d.X.At(i)); got != want {
					t.Errorf("%v is of class %d, want %d", d.X.At(i), got, want)
				}
			}
		}
	}
}

// TestPairAt walks over all pairs in order.
func TestPairAt(t *testing.T) {
	for classes := 2; classes < 8; classes++ {
		p := 0
		for i := range classes {
			for j := i + 1; j < classes; j++ {
				if a, b := learn.PairAt(p, classes); a != i || b != j {
					t.Errorf("pair %d of %d classes is (%d, %d), want (%d, %d)", p, classes, a, b, i, j)
				}
				p++
			}
		}
		if p != learn.Pairs(classes) {
			t.Errorf("%d classes have %d pairs, want %d", classes, learn.Pairs(classes), p)
		}
	}
}

// TestVote: the first of those with most votes wins, and 0 is a vote for the
// second of a pair.
func TestVote(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		want   int
	}{
		{[]float64{1}, 0}, {[]float64{0}, 1}, {[]float64{-1}, 1},
		{[]float64{1, 1, 1}, 0},
		{[]float64{-1, 1, 1}, 1},
		{[]float64{1, -1, 1}, 0}, // a vote each
		{[]float64{-1, -1, -1}, 2},
	} {
		classes := 2
		if len(c.scores) == 3 {
			classes = 3
		}
		if got := learn.Vote(c.scores, classes); got != c.want {
			t.Errorf("%v: class %d, want %d", c.scores, got, c.want)
		}
	}
}

func TestOneVsOneRefusals(t *testing.T) {
	d := data.Labeled[float64, int]{X: data.Slice[float64]{0, 1, 2}, Y: []int{0, 1, 2}}
	if err := (learn.OneVsOne[float64, threshold]{Classes: 1}).Validate(); err == nil {
		t.Error("no fault of an empty recipe")
	}
	type pairs = learn.OneVsOne[float64, threshold]
	if _, _, err := (pairs{Learner: middle{}, Classes: 4}).Fit(t.Context(), d); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("a class without rows: %v", err)
	}
	if _, _, err := (pairs{Learner: middle{fail: true}, Classes: 3}).Fit(t.Context(), d); err == nil {
		t.Error("the learner's error is lost")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, r, err := pairs{Learner: middle{}, Classes: 3}.Fit(ctx, d)
	if !errors.Is(err, context.Canceled) || r.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
	if _, err := learn.NewVoting[float64](3, []threshold{{}}); err == nil {
		t.Error("too few separators: no error")
	}
	if m, err := learn.NewVoting[float64](2, []threshold{{at: 1, sign: 1}}); err != nil || m.Predict(2) != 0 ||
		m.Predict(0) != 1 {
		t.Errorf("%v", err)
	}
}
