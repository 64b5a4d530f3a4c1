package kernelized_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

var lambdas = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5}

// Ridge has one matrix for all prices and must not differ by a bit from fits of
// their own; a weighted one scales the matrix in place.
func TestRidgePath(t *testing.T) {
	d := corners(130, 3, 5)
	weight := make([]float64, d.X.Len())
	for i := range weight {
		weight[i] = float64(i % 4)
	}
	for _, w := range [][]float64{nil, weight} {
		r := kernelized.NewRidgeClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
		d.Weight = w
		path, err := r.ClassPath(d, 3)
		if err != nil {
			t.Fatal(err)
		}
		var evaluations int64
		for i, lambda := range lambdas {
			m, report, err := path.Next(t.Context(), lambda)
			if err != nil {
				t.Fatal(err)
			}
			r.Lambda = lambda
			want, cold, err := r.FitClasses(t.Context(), d, 3)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m, want) || report.Objective != cold.Objective {
				t.Errorf("lambda %v: the path differs", lambda)
			}
			if evaluations = cold.Evaluations; i > 0 {
				evaluations = 0
			}
			if report.Evaluations != evaluations {
				t.Errorf("lambda %v took %d kernel evaluations, want %d", lambda, report.Evaluations, evaluations)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if m, report, err := path.Next(ended, 1); err != nil || m == nil || report.Status != learn.Cancelled {
			t.Errorf("cancelled: %v, %+v", err, report)
		}
		m, _, err := path.Next(t.Context(), lambdas[0])
		r.Lambda = lambdas[0]
		if want, _, _ := r.FitClasses(t.Context(), d, 3); err != nil || !reflect.DeepEqual(m, want) {
			t.Errorf("after a cancelled price: %v", err)
		}
	}
}

// Falkon starts from the price before: the same objective in fewer steps.
func TestFalkonClassPath(t *testing.T) {
	d := corners(400, 3, 5)
	f := kernelized.NewFalkonClassifier[data.Vector](kernel.Gaussian{Gamma: 0.3})
	f.Landmarks, f.Tolerance, f.MaxIterations = 60, 1e-7, 500
	least := lambdas[len(lambdas)-1]
	path, err := f.ClassPath(d, 3, least)
	if err != nil {
		t.Fatal(err)
	}
	warm, cold := 0, 0
	for _, lambda := range lambdas {
		_, got, err := path.Next(t.Context(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		f.Lambda = lambda
		_, want, err := f.FitClasses(t.Context(), d, 3)
		if err != nil {
			t.Fatal(err)
		}
		// The gradient is within 1e-7 of that at 0, and the objective so within its square.
		if math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective {
			t.Errorf("lambda %v: objective %v, want %v", lambda, got.Objective, want.Objective)
		}
		warm, cold = warm+got.Iterations, cold+want.Iterations
	}
	if warm > cold {
		t.Errorf("the path took %d steps, fits from nothing %d", warm, cold)
	}
}

func TestLambdaPathOfNumbers(t *testing.T) {
	d := waves(90, 3, 8)
	y := &data.Matrix{Rows: len(d.Y), Cols: 1, Data: d.Y}
	r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 0.3})
	f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 0.3})
	f.Landmarks = 20
	exact, err := r.OutputPath(d.X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	near, err := f.OutputPath(d.X, y, nil, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*kernelized.LambdaPath[data.Vector]{exact, near} {
		if m, _, err := p.Next(t.Context(), 1e-3); err != nil || m.Weight.Cols != 1 {
			t.Errorf("%v", err)
		}
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, _, err := p.Next(t.Context(), bad); err == nil {
				t.Errorf("lambda %v is taken", bad)
			}
		}
	}
	if _, err := f.OutputPath(d.X, y, nil, 0); err == nil {
		t.Error("a least lambda of 0 is taken")
	}
	if _, err := r.OutputPath(d.X, data.NewMatrix(3, 1), nil); err == nil {
		t.Error("3 targets of 90 rows are taken")
	}
}
