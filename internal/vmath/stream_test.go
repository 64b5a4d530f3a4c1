package vmath_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// TestStream copies slices of all lengths to all alignments, and nothing beside them.
func TestStream(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		stream[float32](t)
		stream[float64](t)
	})
}

func stream[F vmath.Float](t *testing.T) {
	for _, n := range append(sizes(), 255, 256, 257, 1000) {
		for shift := range 17 {
			x, dst, want := make([]F, n+20), make([]F, n+20), make([]F, n+20)
			for i := range x {
				x[i], dst[i], want[i] = F(i+1), F(-i), F(-i)
			}
			copy(want[shift:shift+n], x[3:])
			if vmath.Stream(dst[shift:shift+n], x[3:n+3]); !slices.Equal(dst, want) {
				t.Fatalf("%d numbers to place %d", n, shift)
			}
		}
	}
}
