package kernelized_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// In float32 the scores are those of float64: the residual is within 1e-5 of the targets, for
// the values of K as they are rounded. Where the condition is too much they are float64's own.
func TestRidgeSingle(t *testing.T) {
	for _, n := range []int{1, 2, 63, 64, 65, 130, 300} {
		for _, weighted := range []bool{false, true} {
			for _, mu := range []float64{10, 1e-2, 1e-4, 1e-13} {
				d := waves(n, 3, 5)
				if weighted {
					d.Weight, _ = repeated(n)
				}
				total := float64(n)
				if weighted {
					total = 0
					for _, w := range d.Weight {
						total += w
					}
				}
				if total == 0 {
					continue
				}
				r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 0.3})
				r.Lambda = mu / 2 / total
				want, exact, err := r.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				r.Run.Precision = run.Float32
				got, report, err := r.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if report.Status != exact.Status || report.Support != exact.Support {
					t.Errorf("%d rows, μ = %v: %+v, want %+v", n, mu, report, exact)
				}
				size := 0.0
				for _, y := range d.Y {
					size += y * y
				}
				// K is rounded to 2⁻²⁴, which moves α by at most n·2⁻²⁴/μ of itself.
				tolerance := (2e-5 + min(1e-2, float64(n)*0x1p-24/mu)) * math.Sqrt(size)
				for i := range d.Y {
					isNear(t, "score", got.Score(d.X.At(i)), want.Score(d.X.At(i)), tolerance)
				}
			}
		}
	}
}

// The bits are the same for any number of workers and along a path, and targets in another unit give weights
// in that unit.
func TestRidgeSinglePath(t *testing.T) {
	d := waves(200, 3, 9)
	y := data.NewMatrix(200, 10)
	for i := range y.Rows {
		for k := range y.Cols {
			y.Row(i)[k] = math.Sin(float64((k + 1) * i))
		}
	}
	r := kernelized.NewRidge[data.Vector](kernel.Laplacian{Gamma: 0.4})
	r.Run.Precision = run.Float32
	path, err := r.OutputsPath(d.X, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{1e-2, 1e-5, 1e-3} {
		along, _, err := path.Next(t.Context(), lambda)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 3} {
			r.Lambda, r.Run.Workers = lambda, workers
			alone, _, err := r.FitOutputs(t.Context(), d.X, y, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(along.Weight.Data, alone.Weight.Data) {
				t.Fatalf("λ = %v, %d workers: other bits than along the path", lambda, workers)
			}
		}
	}
	small, large := waves(100, 3, 9), waves(100, 3, 9)
	for i := range large.Y {
		large.Y[i] *= 0x1p200
	}
	a, _, err := r.Fit(t.Context(), small)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := r.Fit(t.Context(), large)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range a.Weight {
		isNear(t, "weight in another unit", b.Weight[i]/0x1p200, v, 1e-9*(1+math.Abs(v)))
	}
}
