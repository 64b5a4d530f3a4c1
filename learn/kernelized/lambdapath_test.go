package kernelized_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

var lambdas = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5}

// Ridge has one matrix for all penalties and must not differ by a bit from fits of
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
			t.Errorf("after a cancelled penalty: %v", err)
		}
	}
}

// Falkon starts from the penalty before: the same objective in fewer steps.
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

// A path of numbers, or of two classes, ends where a fit by itself does.
func TestLambdaPathOfNumbers(t *testing.T) {
	d, k := waves(90, 3, 8), kernel.Gaussian{Gamma: 0.3}
	r, f := kernelized.NewRidge[data.Vector](k), kernelized.NewFalkon[data.Vector](k)
	r.Lambda, f.Lambda, f.Landmarks = 1e-3, 1e-3, 20
	exact, err := r.Path(d)
	if err != nil {
		t.Fatal(err)
	}
	near, err := f.Path(d, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := kerftest.Path(t, exact, 1e-3)
	if want, _, err := r.Fit(t.Context(), d); err != nil || !reflect.DeepEqual(one[0], want) {
		t.Errorf("ridge: the path differs, %v", err)
	}
	two, _ := kerftest.Path(t, near, 1e-3)
	if want, _, err := f.Fit(t.Context(), d); err != nil || !reflect.DeepEqual(two[0], want) {
		t.Errorf("falkon: the path differs, %v", err)
	}
	if _, err := f.Path(d, 0); err == nil {
		t.Error("a least lambda of 0 is taken")
	}
	if _, err := r.Path(sample{X: d.X, Y: d.Y[:3]}); err == nil {
		t.Error("3 targets of 90 rows are taken")
	}
	labels := ring(90)
	signs, err := kernelized.RidgeClassifier[data.Vector]{Ridge: r}.Path(labels)
	if err != nil {
		t.Fatal(err)
	}
	models, _ := kerftest.Path(t, signs, 1e-3)
	want, _, err := kernelized.RidgeClassifier[data.Vector]{Ridge: r}.Fit(t.Context(), labels)
	if err != nil || !reflect.DeepEqual(models[0], want) {
		t.Errorf("labels by ridge: the path differs, %v", err)
	}
	signs, err = kernelized.FalkonClassifier[data.Vector]{Falkon: f}.Path(labels, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	models, _ = kerftest.Path(t, signs, 1e-3)
	want, _, err = kernelized.FalkonClassifier[data.Vector]{Falkon: f}.Fit(t.Context(), labels)
	if err != nil || !reflect.DeepEqual(models[0], want) {
		t.Errorf("labels by falkon: the path differs, %v", err)
	}
}
