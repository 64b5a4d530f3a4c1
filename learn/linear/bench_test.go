package linear_test

import (
	"fmt"
	"testing"

	"github.com/kerf-ml/kerf/learn/linear"
)

func BenchmarkSVM(b *testing.B) {
	d := noisy(20000, 500, 0.1, 1)
	for _, c := range []float64{0.001, 0.01, 1} {
		b.Run(fmt.Sprintf("20000x500/C=%v", c), func(b *testing.B) {
			recipe := linear.NewSVM()
			recipe.C = c
			for b.Loop() {
				_, r, err := recipe.Fit(b.Context(), d)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Iterations), "passes")
				b.ReportMetric(r.Gap/r.Objective, "gap")
			}
		})
	}
}

func BenchmarkPerceptron(b *testing.B) {
	d := noisy(20000, 500, 0, 1)
	b.Run("20000x500", func(b *testing.B) {
		for b.Loop() {
			_, r, err := linear.NewPerceptron().Fit(b.Context(), d)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Iterations), "passes")
		}
	})
}

func BenchmarkSquaredHinge(b *testing.B) {
	d := noisy(20000, 500, 0.1, 1)
	for _, solver := range []linear.Solver{linear.Newton, linear.Descent} {
		b.Run(fmt.Sprintf("20000x500/%v", solver), func(b *testing.B) {
			recipe := linear.NewSVM()
			recipe.C, recipe.Loss, recipe.Solver = 0.01, linear.SquaredHinge, solver
			for b.Loop() {
				_, r, err := recipe.Fit(b.Context(), d)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Iterations), "passes")
				b.ReportMetric(r.Gap/r.Objective, "gap")
			}
		})
	}
}
