package kernelized_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// waves returns n rows of d normal coordinates, whose target is a sum of twelve
// sines of projections and noise of deviation 0.2.
func waves(n, d int, block uint64) sample {
	shape := seed.Stream(7, seed.Generator, 0)
	w, phase, height := make([]float64, 12*d), make([]float64, 12), make([]float64, 12)
	for k := range w {
		w[k] = 1.5 * shape.NormFloat64() / math.Sqrt(float64(d))
	}
	for k := range phase {
		phase[k], height[k] = 6*shape.Float64(), shape.NormFloat64()
	}
	rng := seed.Stream(7, seed.Generator, 1+block)
	s := sample{X: data.NewMatrix(n, d), Y: make([]float64, n)}
	for i := range n {
		x := s.X.(*data.Matrix).Row(i)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		s.Y[i] = 0.2 * rng.NormFloat64()
		for k := range phase {
			sum := phase[k]
			for j, v := range x {
				sum += w[k*d+j] * v
			}
			s.Y[i] += height[k] * math.Sin(sum)
		}
	}
	return s
}

func meanSquare(tb testing.TB, e *kernelized.Regression[data.Vector], test sample) float64 {
	tb.Helper()
	scores, err := e.ScoreAll(tb.Context(), run.Control{}, test.X)
	if err != nil {
		tb.Fatal(err)
	}
	sum := 0.0
	for i, f := range scores {
		sum += (f - test.Y[i]) * (f - test.Y[i])
	}
	return sum / float64(len(scores))
}

func BenchmarkRidge(b *testing.B) {
	test := waves(5000, 20, 1)
	for _, n := range []int{2000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := waves(n, 20, 0)
			r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 1.0 / 32})
			r.Lambda = 0.1 / (2 * float64(n))
			var e *kernelized.Regression[data.Vector]
			for b.Loop() {
				var err error
				if e, _, err = r.Fit(b.Context(), d); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(meanSquare(b, e, test), "mse")
		})
	}
}

// BenchmarkRidgeSolvers fits ten targets exactly and by conjugate gradients.
func BenchmarkRidgeSolvers(b *testing.B) {
	const n, targets = 8000, 10
	d, test := waves(n, 20, 0), waves(5000, 20, 1)
	y := data.NewMatrix(n, targets)
	for i := range n {
		for k := range targets {
			y.Row(i)[k] = d.Y[(i+k*k)%n]
		}
	}
	for _, lambda := range []float64{1e-3, 1e-5, 1e-7} {
		for _, solver := range []struct {
			name      string
			tolerance float64
			precision run.Precision
		}{{"exact", 0, run.Float64}, {"1e-3-float64", 1e-3, run.Float64}, {"1e-3-float32", 1e-3, run.Float32}} {
			b.Run(fmt.Sprintf("%g-%s", lambda, solver.name), func(b *testing.B) {
				r := kernelized.NewRidge[data.Vector](kernel.Gaussian{Gamma: 1.0 / 32})
				r.Lambda, r.Tolerance, r.Run.Precision = lambda, solver.tolerance, solver.precision
				var e *kernelized.MultiExpansion[data.Vector]
				var report learn.Report
				for b.Loop() {
					var err error
					if e, report, err = r.FitOutputs(b.Context(), d.X, y, nil); err != nil {
						b.Fatal(err)
					}
				}
				one := &kernelized.Regression[data.Vector]{Expansion: *e.Class(0)}
				b.ReportMetric(meanSquare(b, one, test), "mse")
				b.ReportMetric(float64(report.Iterations), "steps")
				if report.Status != learn.Converged {
					b.Log(report.Status)
				}
			})
		}
	}
}

func BenchmarkFalkon(b *testing.B) {
	test := waves(20000, 20, 1)
	for _, n := range []int{20000, 200000} {
		d := waves(n, 20, 0)
		for _, p := range []run.Precision{run.Float32, run.Float64} {
			b.Run(fmt.Sprintf("%d-%v", n, p), func(b *testing.B) {
				f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 1.0 / 32})
				f.Lambda, f.Landmarks, f.MaxIterations, f.Tolerance, f.Run.Precision = 5e-7, 2000, 20, 0, p
				var e *kernelized.Regression[data.Vector]
				for b.Loop() {
					var err error
					if e, _, err = f.Fit(b.Context(), d); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(meanSquare(b, e, test), "mse")
			})
		}
	}
}

func BenchmarkFalkonOutputs(b *testing.B) {
	d := waves(20000, 20, 0)
	for _, outputs := range []int{1, 4, 16} {
		b.Run(fmt.Sprint(outputs), func(b *testing.B) {
			y := data.NewMatrix(20000, outputs)
			for i := range y.Rows {
				for k := range y.Row(i) {
					y.Row(i)[k] = d.Y[(i+k)%len(d.Y)]
				}
			}
			f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: 1.0 / 32})
			f.MaxIterations, f.Tolerance, f.Run.Precision = 10, 0, run.Float32
			for b.Loop() {
				if _, _, err := f.FitOutputs(b.Context(), d.X, y, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
