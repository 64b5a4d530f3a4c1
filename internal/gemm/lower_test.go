package gemm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
)

// TestTileLower compares products with a triangle with the sum itself, at sizes
// across the edges of strips and of blocks of depth, at every level.
func TestTileLower(t *testing.T) {
	for l := gemm.Portable; l <= gemm.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer gemm.SetLevel(l)()
			for _, n := range []int{1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 383, 384, 385, 401} {
				for _, rows := range []int{1, 5, 6, 7, 14, 15, 83, 84, 85} {
					checkLower[float64](t, rows, n, 1e-12)
					checkLower[float32](t, rows, n, 1e-4)
				}
			}
		})
	}
}

func checkLower[F gemm.Float](t *testing.T, rows, n int, tolerance float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rows), uint64(n)))
	lda, ldd := n+3, n+5
	a, b := make([]F, rows*lda), make([]F, n*n)
	for i := range a {
		a[i] = F(rng.NormFloat64())
	}
	for i := range n {
		for j := range i + 1 {
			b[i*n+j] = F(rng.NormFloat64())
		}
	}
	dst := make([]F, rows*ldd)
	for i := range dst {
		dst[i] = F(math.NaN())
	}
	var left gemm.Left[F]
	left.Pack(a, lda, rows, n)
	gemm.TileLower(dst, ldd, &left, gemm.PackLower(b, n, n))
	for i := range rows {
		for j := range ldd {
			got, want := float64(dst[i*ldd+j]), 0.0
			if j >= n {
				if !math.IsNaN(got) {
					t.Fatalf("rows %d, n %d: wrote past the row", rows, n)
				}
				continue
			}
			for p := range j + 1 {
				want += float64(a[i*lda+p]) * float64(b[j*n+p])
			}
			if !(math.Abs(got-want) <= tolerance*(1+math.Sqrt(float64(n)))) {
				t.Fatalf("rows %d, n %d: element (%d, %d) is %v, want %v", rows, n, i, j, got, want)
			}
		}
	}
}
