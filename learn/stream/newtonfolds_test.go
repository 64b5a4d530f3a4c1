package stream_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/stream"
)

// selected returns some of the rows.
func (p *problem) selected(index []int) *problem {
	out := &problem{x: data.NewMatrix(len(index), p.x.Cols)}
	for k, i := range index {
		copy(out.x.Row(k), p.x.Row(i))
		out.y, out.values = append(out.y, p.y[i]), append(out.values, p.values[i])
		if p.weight != nil {
			out.weight = append(out.weight, p.weight[i])
		}
	}
	return out
}

// heldOut is the mean loss of each fold on the functions that the others give, at a C that weighs
// these as it does all: cross-validation by its definition.
func heldOut(t *testing.T, p *problem, n stream.Newton, classes int, c float64) float64 {
	t.Helper()
	sum, weight := 0.0, 0.0
	for f := range stream.NewtonFolds {
		var in, out []int
		for i := range p.x.Rows {
			if stream.FoldOf(n.Seed, i, stream.NewtonFolds) == f {
				out = append(out, i)
			} else {
				in = append(in, i)
			}
		}
		fitted, held := p.selected(in), p.selected(out)
		n.C, n.Cs = c*p.sample(false).Weight/fitted.sample(false).Weight, nil
		fit, _, err := n.Fit(t.Context(), fitted.sample(false), classes)
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range fit.Models {
			norm := m.Bias * m.Bias / 2
			for _, w := range m.W {
				norm += w * w / 2
			}
			sum += held.objective(n.Loss, 1, learn.PositiveClass(k, classes), m.W, m.Bias, n.Unit) - norm
		}
		weight += held.sample(false).Weight
	}
	return sum / weight
}

// Losses on folds from the sums of one pass are about those of fits without each fold, and the C
// that is chosen is theirs, or as good.
func TestNewtonChoosesByFolds(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers alone, which are the same under the race detector")
	}
	grid := []float64{1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 0.1, 1}
	for _, classes := range []int{2, 3} {
		for _, loss := range []stream.Loss{stream.SquaredHinge, stream.Logistic} {
			for _, begin := range []float64{1e-4, 1e-2, 1} {
				p := noisy(3000, 30, classes, classes == 3)
				n := stream.NewNewton(loss)
				n.C, n.Cs, n.Tolerance, n.Seed = begin, grid, 1e-8, 3
				fit, report, err := n.Fit(t.Context(), p.sample(false), classes)
				if err != nil || report.Status != learn.Converged {
					t.Fatal(report, err)
				}
				want := map[float64]float64{}
				least := math.Inf(1)
				for _, c := range grid {
					want[c] = heldOut(t, p, n, classes, c)
					least = min(least, want[c])
				}
				for _, one := range fit.Choices {
					if math.Abs(one.Loss-want[one.C]) > 0.01*want[one.C] {
						t.Errorf("%s, %d classes, from C=%g: at %g a loss of %v by sums, and %v by fits", loss, classes, begin, one.C,
							one.Loss, want[one.C])
					}
				}
				if want[fit.C] > 1.002*least {
					t.Errorf("%s, %d classes: from C=%g to %g with a loss of %v, and %v is the least", loss, classes, begin, fit.C,
						want[fit.C], least)
				}
				n.C, n.Cs = fit.C, nil
				_, alone, err := n.Fit(t.Context(), p.sample(false), classes)
				if err != nil || math.Abs(alone.Objective-report.Objective) > 1e-6*alone.Objective {
					t.Errorf("the objective is %v at the C chosen, and %v at that alone; %v", report.Objective, alone.Objective, err)
				}
			}
		}
	}
}

// A C that nothing is better than stays, and with it the separator to rounding: gradients are then sums of folds.
func TestNewtonKeepsC(t *testing.T) {
	p := noisy(3000, 30, 2, false)
	n := stream.NewNewton(stream.SquaredHinge)
	n.C = 0.01
	want, _, err := n.Fit(t.Context(), p.sample(false), 2)
	if err != nil {
		t.Fatal(err)
	}
	n.Cs = []float64{0.01, 0.02}
	got, _, err := n.Fit(t.Context(), p.sample(false), 2)
	if err != nil || got.C != n.C || len(got.Choices) != 2 {
		t.Fatal(got, err)
	}
	close(t, "with a choice", got.Models[0].W, want.Models[0].W, rounding)
	n.Cs = []float64{0.01, -1}
	if _, _, err := n.Fit(t.Context(), p.sample(false), 2); err == nil {
		t.Error("a negative C among those to choose from was taken")
	}
}
