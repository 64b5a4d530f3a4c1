package compute_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/gemm"
)

// TestFixed: sums are within Roundings of those of float64, also for few columns, what lies around them
// stays, and a row has the same bits by itself.
func TestFixed(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testFixed[float64](t, 0x1p-53) })
	t.Run("float32", func(t *testing.T) { testFixed[float32](t, 0x1p-24) })
}

func testFixed[F gemm.Float](t *testing.T, unit float64) {
	for _, cols := range []int{0, 1, 2, 4, 5, 9, 25} {
		for _, depth := range []int{0, 1, 7, 63, 64, 65, 384, 385, 40_000} {
			const rows = 3
			lda, ldd := depth+2, cols+3
			a, b := make([]F, rows*lda), make([]float64, cols*depth)
			for i := range a {
				a[i] = F(1 + math.Sin(float64(i)))
			}
			for i := range b {
				b[i] = float64(F(math.Cos(float64(3 * i))))
			}
			fixed := compute.NewFixed[F](b, cols, depth)
			dst, one := make([]F, rows*ldd), make([]F, cols)
			for i := range dst {
				dst[i] = F(math.NaN())
			}
			fixed.Mul(dst, ldd, a, lda, rows)
			for i := range rows {
				row, of := a[i*lda:][:depth], dst[i*ldd:][:ldd]
				for j, got := range of {
					if j >= cols {
						if got == got {
							t.Fatalf("%d columns of depth %d: element %d, %d is set to %v", cols, depth, i, j, got)
						}
						continue
					}
					want, size := 0.0, 0.0
					for k, v := range row {
						want += float64(v) * b[j*depth+k]
						size += math.Abs(float64(v) * b[j*depth+k])
					}
					// The oracle in float64 has as many roundings as terms.
					off := size * (1.01*float64(compute.Roundings(depth))*unit + float64(depth)*0x1p-53)
					if math.Abs(float64(got)-want) > off {
						t.Errorf("%d columns of depth %d: element %d, %d is %v, want %v within %g", cols, depth, i, j, got, want, off)
					}
				}
				if fixed.Mul(one, cols, row, depth, 1); !slices.Equal(one, of[:cols]) {
					t.Errorf("%d columns of depth %d: row %d by itself is %v, among others %v", cols, depth, i, one, of[:cols])
				}
			}
		}
	}
}
