package vmath_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestWiden(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	special := append(specialValues[float32](), 0x1p-149, 0x1.8p-127)
	atLevels(t, func(t *testing.T) {
		for _, n := range sizes() {
			x := make([]float32, n)
			for i := range x {
				if x[i] = float32(r.NormFloat64()); r.IntN(3) == 0 {
					x[i] = special[r.IntN(len(special))]
				}
			}
			guarded := slices.Repeat([]float64{42}, n+2)
			vmath.Widen(guarded[1:n+1], x)
			for i, v := range x {
				if !same(guarded[i+1], float64(v)) {
					t.Fatalf("%v at %d of %d becomes %v", v, i, n, guarded[i+1])
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
	vmath.Widen(make([]float64, 2), []float32{math.Pi})
}
