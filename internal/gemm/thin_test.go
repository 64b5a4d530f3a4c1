package gemm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
)

func TestTileThin(t *testing.T) { atEachLevel(t, testTileThin[float32], testTileThin[float64]) }

// fewOf returns rows of which one element in eight, and none of the first four, differs
// from 0.
func fewOf[F gemm.Float](seed uint64, rows, cols int) []F {
	x := random[F](seed, rows*cols)
	for i := range x {
		if p := i % cols; p < 4 || (p+5*(i/cols))%8 > 0 {
			x[i] = 0
		}
	}
	return x
}

// testTileThin wants the bits of Tile, wherever the tile is cut, and nothing around it
// touched.
func testTileThin[F gemm.Float](t *testing.T) {
	_, nr, kc, _, _ := gemm.Blocking[F]()
	for _, k := range []int{0, 1, 7, 8, 9, 31, 32, 33, 123, kc - 1, kc, kc + 1, 2*kc + 3} {
		m, n := 33, 2*nr+5
		a, y := fewOf[F](uint64(k), m, k), random[F](2, n*k)
		clear(a[:min(len(a), 2*k)]) // rows without values
		right := gemm.Pack(y, k, n, k)
		var thin gemm.Thin[F]
		var left gemm.Left[F]
		for _, r := range []struct{ i0, i1, j0, j1 int }{
			{0, m, 0, n}, {0, 0, 0, n}, {0, 1, 0, n}, {1, 3, 2, 2}, {2, 9, 1, 2}, {0, 8, nr, 2 * nr},
			{5, 22, nr - 1, 2*nr + 1}, {m - 1, m, n - 1, n}, {3, m, nr + 3, n},
		} {
			rows, cols := r.i1-r.i0, r.j1-r.j0
			if !thin.Pack(a[r.i0*k:], k, rows, k) {
				t.Fatalf("k=%d: rows %v have too many values", k, r)
			}
			left.Pack(a[r.i0*k:], k, rows, k)
			dst, want := nanGrid[F](rows, cols, 3), make([]F, rows*cols)
			gemm.TileThin(dst.Data, dst.Stride, &thin, right, r.j0, r.j1)
			gemm.Tile(want, cols, &left, right, r.j0, r.j1, false)
			dst.checkGuards(t)
			for i := range rows {
				compare(t, fmt.Sprintf("k=%d tile %v row %d", k, r, i),
					dst.Data[i*dst.Stride:][:cols], want[i*cols:][:cols])
			}
		}
	}
}

func TestThinValues(t *testing.T) { atEachLevel(t, testThinValues[float32], testThinValues[float64]) }

// testThinValues has one value a row, which each product shows as it is, and rows of too
// many.
func testThinValues[F gemm.Float](t *testing.T) {
	const k = 40
	a, y := make([]F, 3*k), make([]F, k)
	a[5], a[k+5], a[2*k+39] = 2, F(math.NaN()), F(math.Inf(-1))
	y[5], y[39] = 3, 4
	var thin gemm.Thin[F]
	if !thin.Pack(a, k, 3, k) {
		t.Fatal("rows of one value have too many")
	}
	got := make([]F, 3)
	gemm.TileThin(got, 1, &thin, gemm.Pack(y, k, 1, k), 0, 1)
	if got[0] != 6 || got[1] == got[1] || !math.IsInf(float64(got[2]), -1) {
		t.Errorf("products are %v, want 6, NaN and -Inf", got)
	}
	if thin.Pack(random[F](3, 3*k), k, 3, k) {
		t.Error("full rows count as rows of few values")
	}
}
