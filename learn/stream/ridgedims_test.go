package stream_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/stream"
)

// Each number of first coordinates has the errors of a fit to these alone, and the smallest
// within two hundredths of the least is taken.
func TestRidgeChoosesDims(t *testing.T) {
	for _, numbers := range []bool{true, false} {
		p := noisy(1500, 6, 3, true)
		classes := 3
		if numbers {
			classes = 0
		}
		r := stream.Ridge{Lambdas: []float64{1e-3, 10, 1e3}, Intercept: true, Folds: 4, Seed: 3, Dims: []int{1, 2, 4, 6},
			Shift: []float64{0.3, 0.2, 0.1, 0, 0.1, 0.2}}
		fit, err := r.Fit(t.Context(), p.sample(numbers), classes)
		if err != nil {
			t.Fatal(err)
		}
		least, at := math.Inf(1), 0
		for _, s := range fit.Steps {
			least = min(least, s.Error)
		}
		smallest := 0
		for _, d := range r.Dims {
			few := *p
			few.x = data.NewMatrix(p.x.Rows, d)
			for i := range p.x.Rows {
				copy(few.x.Row(i), p.x.Row(i))
			}
			one := r
			one.Dims, one.Shift = nil, r.Shift[:d]
			want, err := one.Fit(t.Context(), few.sample(numbers), classes)
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(1)
			for _, s := range want.Steps {
				got := fit.Steps[at]
				if at++; got.Dim != d || got.Lambda != s.Lambda || math.Abs(got.Error-s.Error) > rounding*s.Error {
					t.Errorf("%+v, want %+v of %d coordinates", got, s, d)
				}
				best = min(best, s.Error)
			}
			if smallest > 0 || best > 1.02*least {
				continue
			}
			smallest = d
			if fit.Dim != d || fit.Lambda != want.Lambda {
				t.Fatalf("%d coordinates and λ = %v, want %d and %v of %+v", fit.Dim, fit.Lambda, d, want.Lambda, fit.Steps)
			}
			for k, m := range want.Models {
				close(t, "leading", append(fit.Models[k].W, fit.Models[k].Bias), append(m.W, m.Bias), rounding)
			}
		}
		if smallest == 0 || at != len(fit.Steps) {
			t.Errorf("nothing was chosen of %d steps", len(fit.Steps))
		}
	}
}

func TestRidgeDimFaults(t *testing.T) {
	p := noisy(100, 3, 2, false)
	for _, dims := range [][]int{{0, 3}, {2, 2}, {3, 1}, {1, 4}} {
		r := stream.Ridge{Lambdas: []float64{1}, Folds: 3, Dims: dims}
		if _, err := r.Fit(t.Context(), p.sample(true), 0); err == nil {
			t.Errorf("dims %v were taken", dims)
		}
	}
}

// TestChoose: what has no function or no error counts for nothing; where none has one, the largest
// λ and all coordinates are taken.
func TestChoose(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		steps  []stream.Step
		dim    int
		lambda float64
	}{
		{[]stream.Step{{1, 2, 3}, {9, 2, 3}, {1, 4, 2.99}}, 2, 9},
		{[]stream.Step{{1, 2, 3}, {9, 2, 4}, {1, 4, 2}, {9, 4, 1}}, 4, 9},
		{[]stream.Step{{1, 2, inf}, {9, 2, inf}, {1, 4, inf}, {9, 4, 1}}, 4, 9},
		{[]stream.Step{{1, 4, inf}, {9, 4, inf}}, 4, 9},
		{[]stream.Step{{1, 2, inf}, {9, 2, inf}, {1, 4, inf}, {9, 4, inf}}, 4, 9},
		{[]stream.Step{{1, 2, nan}, {9, 2, 3}, {1, 4, 3}, {9, 4, nan}}, 2, 9},
		{[]stream.Step{{1, 2, 0}, {9, 2, 0}, {1, 4, 0}, {9, 4, 0}}, 2, 9},
	} {
		if dim, lambda := stream.Choose(4, 1, c.steps); dim != c.dim || lambda != c.lambda {
			t.Errorf("%v: %d coordinates and λ = %v, want %d and %v", c.steps, dim, lambda, c.dim, c.lambda)
		}
	}
}
