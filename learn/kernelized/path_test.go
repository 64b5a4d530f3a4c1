package kernelized_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// alongside checks the reports of a path against those of fits by themselves:
// both objectives are within their gaps of the optimum, and the path takes fewer than most times their
// steps in all.
func alongside(t *testing.T, path, alone []learn.Report, most float64) {
	t.Helper()
	together, apart := 0, 0
	for k, r := range path {
		q := alone[k]
		if r.Status != learn.Converged || math.Abs(r.Objective-q.Objective) > r.Gap+q.Gap+1e-12*math.Abs(q.Objective) {
			t.Errorf("step %d: %q, objective %v with a gap of %v, want %v with %v", k, r.Status, r.Objective, r.Gap,
				q.Objective, q.Gap)
		}
		together, apart = together+r.Iterations, apart+q.Iterations
	}
	t.Logf("%d steps, %d in fits by themselves", together, apart)
	if float64(together) >= most*float64(apart) {
		t.Errorf("%d steps, and %d in fits by themselves", together, apart)
	}
}

func TestPath(t *testing.T) {
	cs := []float64{0.1, 1, 5, 50, 3} // up, and down in the end
	for _, n := range []int{300, 2200} {
		d := clouds(n, 3, 6)
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.5})
		s.Tolerance = 1e-4
		path, err := s.Path(d)
		if err != nil {
			t.Fatal(err)
		}
		models, reports := kerftest.Path(t, path, cs...)
		alone := make([]learn.Report, len(cs))
		for k, c := range cs {
			s.C = c
			if _, alone[k], err = s.Fit(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			total := 0.0
			for _, w := range models[k].Weight {
				total += w
				if math.Abs(w) > c {
					t.Errorf("C = %v: a weight of %v", c, w)
				}
			}
			if math.Abs(total) > 1e-9*c*float64(n) {
				t.Errorf("C = %v: the weights sum to %v", c, total)
			}
			if reports[k].Evaluations == 0 {
				t.Errorf("C = %v: no evaluations", c)
			}
		}
		alongside(t, reports, alone, 1)
		s.Run.Workers = 3
		if path, err = s.Path(d); err != nil {
			t.Fatal(err)
		}
		again, _ := kerftest.Path(t, path, cs...)
		for k := range cs {
			if !slices.Equal(again[k].Weight, models[k].Weight) || again[k].Bias != models[k].Bias {
				t.Errorf("n = %d, step %d: workers change the result", n, k)
			}
		}
	}
}

func TestPathRegression(t *testing.T) {
	d := clouds(400, 2, 3)
	for i := range d.Y {
		d.Y[i] += d.X.At(i).Value[0]
	}
	cs := []float64{0.5, 2, 8}
	s := kernelized.NewSVR[data.Vector](kernel.Gaussian{Gamma: 0.5})
	s.Tolerance = 1e-5
	path, err := s.Path(d)
	if err != nil {
		t.Fatal(err)
	}
	_, reports := kerftest.Path(t, path, cs...)
	alone := make([]learn.Report, len(cs))
	for k, c := range cs {
		s.C = c
		if _, alone[k], err = s.Fit(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	alongside(t, reports, alone, 1)
}

// TestPathClasses: many classes along a path, in both ways to have them.
func TestPathClasses(t *testing.T) {
	d := clouds(500, 3, 8)
	y := make([]int, len(d.Y))
	for i := range y {
		if d.Y[i] > 0 {
			y[i] = 1 + i%2
		}
	}
	many := data.Labeled[data.Vector, int]{X: d.X, Y: y}
	cs := []float64{1, 4, 16}
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.5})
	s.Tolerance = 1e-4
	rest, err := s.RestPath(many, 3)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := s.ClassPath(many, 3)
	if err != nil {
		t.Fatal(err)
	}
	var along, alone [2][]learn.Report
	for _, c := range cs {
		s.C = c
		for k, fit := range []func() (learn.Report, learn.Report, error){
			func() (learn.Report, learn.Report, error) {
				_, warm, err := rest.Next(t.Context(), c)
				if err != nil {
					return warm, warm, err
				}
				_, cold, err := s.FitRest(t.Context(), many, 3)
				return warm, cold, err
			},
			func() (learn.Report, learn.Report, error) {
				_, warm, err := pairs.Next(t.Context(), c)
				if err != nil {
					return warm, warm, err
				}
				_, cold, err := s.FitClasses(t.Context(), many, 3)
				return warm, cold, err
			},
		} {
			warm, cold, err := fit()
			if err != nil {
				t.Fatal(err)
			}
			along[k], alone[k] = append(along[k], warm), append(alone[k], cold)
		}
	}
	alongside(t, along[0], alone[0], 1)
	alongside(t, along[1], alone[1], 1.05) // steps over all variables of few rows are as few from the start
}

func TestPathRefusals(t *testing.T) {
	d := clouds(20, 2, 1)
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 1})
	if _, err := s.Path(labeled{X: d.X, Y: d.Y, Weight: []float64{1}}); err == nil {
		t.Error("a weight for 20 rows: no error")
	}
	s.Checkpoint = kernelized.Checkpoint{From: []byte{1}}
	if _, err := s.Path(d); err == nil {
		t.Error("a checkpoint: no error")
	}
	s.Checkpoint = kernelized.Checkpoint{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path, err := s.Path(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, report, err := path.Next(ctx, 1); err != nil || report.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %+v", err, report)
	}
}
