package vmath_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestNarrow(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	special := append(specialValues[float64](), 0x1p-149, 0x1p-150, 0x1.8p-149, 1+0x1p-24, 1+0x1.8p-23)
	atLevels(t, func(t *testing.T) {
		for _, n := range sizes() {
			x := make([]float64, n)
			for i := range x {
				if x[i] = r.NormFloat64(); r.IntN(3) == 0 {
					x[i] = special[r.IntN(len(special))]
				}
			}
			guarded := slices.Repeat([]float32{42}, n+2)
			vmath.Narrow(guarded[1:n+1], x)
			for i, v := range x {
				if !same(guarded[i+1], float32(v)) {
					t.Fatalf("%v at %d of %d becomes %v, want %v", v, i, n, guarded[i+1], float32(v))
				}
			}
			if guarded[0] != 42 || guarded[n+1] != 42 {
				t.Fatalf("n = %d: wrote outside", n)
			}
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("lengths that differ are taken")
		}
	}()
	vmath.Narrow(make([]float32, 2), []float64{math.Pi})
}
