package compute_test

import (
	"fmt"
	"testing"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
)

// A sum of n ≤ 34 products in any order is within n·2⁻⁵³ of Σ|a||b|, in single
// precision n·2⁻²⁴.
const (
	double = 34 * 0x1p-53
	single = 34 * 0x1p-24
)

// TestLevels runs the suite on every instruction set that this machine has, in
// both precisions.
func TestLevels(t *testing.T) {
	for level := gemm.Portable; level <= gemm.Best(); level++ {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			defer gemm.SetLevel(level)()
			defer vmath.Limit(vmath.Level(level))()
			t.Run("float64", func(t *testing.T) { kerftest.Tiles(t, compute.CPU[float64]{}, double) })
			t.Run("float32", func(t *testing.T) { kerftest.Tiles(t, compute.CPU[float32]{}, single) })
		})
	}
}
