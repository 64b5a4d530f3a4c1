package feature_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// TestRowsOfFloat32 fits and maps vectors that lie in memory as float32, and the
// same as float64: the bits are the same.
func TestRowsOfFloat32(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	narrow, wide := data.NewMatrix32(150, 6), data.NewMatrix(150, 6)
	for i := range narrow.Data {
		narrow.Data[i] = rng.Float32()
		wide.Data[i] = float64(narrow.Data[i])
	}
	k := kernel.Gaussian{Gamma: 0.5}
	fits := map[string]func(x data.Source[data.Vector]) (feature.Map[data.Vector], error){
		"f1": func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewF1[data.Vector](k, 20).Fit(ctx, x)
		},
		"f2": func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewF2[data.Vector](k, 20).Fit(ctx, x)
		},
		"f3": func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewF3(feature.NewF2[data.Vector](k, 20), project.Gaussian{Dim: 9, Seed: 3}).Fit(ctx, x)
		},
		"fourier": func(data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewFourier(k, 20).Fit(ctx, 6)
		},
		"sketch": func(data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewTensorSketch(kernel.NewPolynomial(2), 20).Fit(ctx, 6)
		},
		"monomials": func(data.Source[data.Vector]) (feature.Map[data.Vector], error) {
			return feature.NewMonomials(ctx, run.Control{}, kernel.NewPolynomial(2), 6)
		},
	}
	for name, fit := range fits {
		a, err := fit(narrow)
		check(t, err)
		b, err := fit(wide)
		check(t, err)
		got, err := feature.Apply(ctx, run.Control{}, a, narrow)
		check(t, err)
		want, err := feature.Apply(ctx, run.Control{}, b, wide)
		check(t, err)
		got32, err := feature.Apply32(ctx, run.Control{}, a, narrow)
		check(t, err)
		want32, err := feature.Apply32(ctx, run.Control{}, b, wide)
		check(t, err)
		if !slices.Equal(got.Data, want.Data) || !slices.Equal(got32, want32) {
			t.Errorf("%s: float32 in memory changes the features", name)
		}
	}
}
