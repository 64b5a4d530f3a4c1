package feature_test

import (
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// BenchmarkOblivious maps 100,000 vectors of 50 coordinates: by Fourier features
// to 2,000, by a tensor sketch of degree 2 to 1,000.
func BenchmarkOblivious(b *testing.B) {
	x := data.NewMatrix(100000, 50)
	for i := range x.Len() {
		copy(x.Row(i), points(1, 50, uint64(i))[0].Value)
	}
	f, err := feature.NewFourier(kernel.Gaussian{Gamma: 0.01}, 2000).Fit(ctx, 50)
	if err != nil {
		b.Fatal(err)
	}
	s, err := feature.NewTensorSketch(kernel.Polynomial{Degree: 2, Gamma: 1}, 1000).Fit(ctx, 50)
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range []feature.ObliviousMap{f, s} {
		b.Run(m.Shape().Kind+"/float64", func(b *testing.B) {
			for b.Loop() {
				if _, err := feature.Apply(ctx, run.Control{}, m, x); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(m.Shape().Kind+"/float32", func(b *testing.B) {
			for b.Loop() {
				if _, err := feature.Apply32(ctx, run.Control{}, m, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
