package feature_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// The first features of F2 are a map of their own, of fewer landmarks. A feature is the same sum
// in either, of which tiles of another width may round the terms otherwise: by 1e-12 for
// features of length 1 and landmarks as far from each other as these.
func TestLeading(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := data.NewMatrix(50, 3)
	for k := range x.Data {
		x.Data[k] = rng.NormFloat64()
	}
	m, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 33).Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	whole := make([]float64, m.Dim())
	for _, dim := range []int{1, 7, 8, 9, 32, m.Dim()} {
		few := m.Leading(dim)
		if few.Dim() != dim || few.Landmarks().Dim() != dim {
			t.Fatalf("%d features of %d landmarks, want %d", few.Dim(), few.Landmarks().Dim(), dim)
		}
		part := make([]float64, dim)
		for i := range x.Rows {
			m.MapTo(whole, x.At(i))
			few.MapTo(part, x.At(i))
			if !slices.EqualFunc(part, whole[:dim], func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }) {
				t.Fatalf("row %d, %d features: %v, want %v", i, dim, part, whole[:dim])
			}
		}
	}
}
