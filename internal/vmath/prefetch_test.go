package vmath_test

import (
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// TestPrefetch asks for slices of all lengths, to the end of their memory; they stay
// as they are.
func TestPrefetch(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		for _, n := range sizes() {
			x, y := make([]float64, n), make([]float32, n)
			for i := range x {
				x[i], y[i] = float64(i), float32(i)
			}
			vmath.Prefetch(x)
			vmath.Prefetch(y)
			for i := range x {
				if x[i] != float64(i) || y[i] != float32(i) {
					t.Fatalf("length %d: element %d has changed", n, i)
				}
			}
		}
		vmath.Prefetch[float64](nil)
	})
}
