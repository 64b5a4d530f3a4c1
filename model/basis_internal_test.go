package model

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// Features follow from similarities closely where landmarks are apart, and not where they nearly depend on one another.
func TestTame(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var z data.Slice[data.Vector]
	for range 40 {
		z = append(z, data.Dense(rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()))
	}
	for gamma, want := range map[float64]bool{2: true, 1e-3: false} {
		f2, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: gamma}, 40).Fit(t.Context(), z)
		if err != nil {
			t.Fatal(err)
		}
		b, landmarks := basisOf[data.Vector](f2)
		if b == nil || landmarks.Dim() != f2.Dim() {
			t.Fatalf("γ=%g: F2 has no basis", gamma)
		}
		if got := tame(b, landmarks); got != want {
			t.Errorf("γ=%g: tame is %t", gamma, got)
		}
		similar, features := make([]float64, landmarks.Dim()), make([]float64, f2.Dim())
		landmarks.MapTo(similar, z[7])
		f2.MapTo(features, z[7])
		if !want {
			continue
		}
		for i, v := range features {
			sum := 0.0
			for j, s := range similar {
				sum += b.Matrix.Row(i)[j] * s
			}
			if d := sum - v; d > 1e-11 || d < -1e-11 {
				t.Errorf("feature %d is %v, and %v by the basis", i, v, sum)
			}
		}
	}
	if b, _ := basisOf[data.Vector](feature.NewLandmarks(kernel.Gaussian{Gamma: 1}, z[:3], 0)); b != nil {
		t.Error("similarities alone have a basis")
	}
}
