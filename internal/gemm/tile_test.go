package gemm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/run"
)

func TestTile(t *testing.T) { atEachLevel(t, testTile[float32], testTile[float64]) }

// testTile wants every tile to have the bits that the whole product has there,
// wherever it is cut, and to touch nothing around it.
func testTile[F gemm.Float](t *testing.T) {
	_, nr, kc, mc, _ := gemm.Blocking[F]()
	for _, k := range []int{0, 1, 20, kc - 1, kc, kc + 1, 2*kc + 3} {
		m, n := mc+9, 2*nr+5
		a, b := randomGrid[F](1, m, k, 1), randomGrid[F](2, n, k, 4)
		want := make([]F, m*n)
		must(t, gemm.Mul(t.Context(), run.Control{}, 1, a.Matrix, b.T(), 0, gemm.Rows(want, m, n, n)))
		right := gemm.Pack(b.Data, b.Stride, n, k)
		if right.Len() != n || right.Depth() != k {
			t.Fatalf("packed %d rows of depth %d, want %d of %d", right.Len(), right.Depth(), n, k)
		}
		var left gemm.Left[F]
		for _, r := range []struct{ i0, i1, j0, j1 int }{
			{0, m, 0, n}, {0, 0, 0, n}, {0, 1, 0, n}, {1, 3, 2, 2}, {2, 9, 1, 2},
			{5, 20, nr, 2 * nr}, {5, 22, nr - 1, 2*nr + 1}, {m - 1, m, n - 1, n}, {3, m, nr + 3, n},
		} {
			rows, cols := r.i1-r.i0, r.j1-r.j0
			dst := nanGrid[F](rows, cols, 3)
			left.Pack(a.Data[r.i0*a.Stride:], a.Stride, rows, k)
			gemm.Tile(dst.Data, dst.Stride, &left, right, r.j0, r.j1, false)
			dst.checkGuards(t)
			for i := range rows {
				compare(t, fmt.Sprintf("k=%d tile %v row %d", k, r, i),
					dst.Data[i*dst.Stride:][:cols], want[(r.i0+i)*n+r.j0:][:cols])
			}
		}
	}
}

func TestTileAdds(t *testing.T) { atEachLevel(t, testTileAdds[float32], testTileAdds[float64]) }

// testTileAdds wants a tile that adds to what the first block of depth gave to
// be the tile of the whole depth.
func testTileAdds[F gemm.Float](t *testing.T) {
	_, _, kc, _, _ := gemm.Blocking[F]()
	const m, n = 19, 37
	k := 2*kc + 5
	x, y := random[F](1, m*k), random[F](2, n*k)
	var left gemm.Left[F]
	left.Pack(x, k, m, k)
	want, got := make([]F, m*n), make([]F, m*n)
	gemm.Tile(want, n, &left, gemm.Pack(y, k, n, k), 0, n, false)
	left.Pack(x, k, m, kc)
	gemm.Tile(got, n, &left, gemm.Pack(y, k, n, kc), 0, n, false)
	left.Pack(x[kc:], k, m, k-kc)
	gemm.Tile(got, n, &left, gemm.Pack(y[kc:], k, n, k-kc), 0, n, true)
	compare(t, "added", got, want)
}

func TestNorm2(t *testing.T) { atEachLevel(t, testNorm2[float32], testNorm2[float64]) }

// testNorm2 wants the bits of the diagonal of X·Xᵀ, and the sum of squares.
func testNorm2[F gemm.Float](t *testing.T) {
	_, _, kc, _, _ := gemm.Blocking[F]()
	for _, k := range []int{0, 1, 2, 7, 8, 9, 50, kc - 1, kc, kc + 1, 3*kc + 17} {
		for _, n := range []int{0, 1, 7, 8, 9, 17} {
			x := randomGrid[F](uint64(k), n, k, 2)
			c := make([]F, n*n)
			must(t, gemm.Mul(t.Context(), run.Control{}, 1, x.Matrix, x.T(), 0, gemm.Rows(c, n, n, n)))
			dst := nanGrid[F](1, n, 0)
			gemm.Norms2(dst.Data, x.Data, x.Stride, n, k)
			dst.checkGuards(t)
			for i := range n {
				row := x.Data[i*x.Stride:][:k]
				if got := gemm.Norm2(row); got != c[i*n+i] || dst.Data[i] != got {
					t.Fatalf("k=%d row %d: Norm2 %v, Norms2 %v, product %v", k, i, got, dst.Data[i], c[i*n+i])
				}
				sum := 0.0
				for _, v := range row {
					sum += float64(v) * float64(v)
				}
				// k roundings of a sum of positive terms, and the oracle's.
				if got := float64(dst.Data[i]); math.Abs(got-sum) > float64(k+1)*epsilon[F]()*sum {
					t.Fatalf("k=%d row %d: %v, want %v", k, i, got, sum)
				}
			}
		}
	}
}

func TestTileAllocates(t *testing.T) {
	atEachLevel(t, testTileAllocates[float32], testTileAllocates[float64])
}

func testTileAllocates[F gemm.Float](t *testing.T) {
	const m, n, k = 70, 100, 50
	x, dst := random[F](1, m*k), make([]F, m*n)
	right := gemm.Pack(random[F](2, n*k), k, n, k)
	var left gemm.Left[F]
	got := testing.AllocsPerRun(10, func() {
		left.Pack(x, k, m, k)
		gemm.Tile(dst, n, &left, right, 1, n-1, false)
		gemm.Norms2(dst, x, k, m, k)
		gemm.Norm2(x[:k])
	})
	if got != 0 {
		t.Errorf("%v allocations a tile, want none", got)
	}
}

func TestTileSize(t *testing.T) { atEachLevel(t, testTileSize[float32], testTileSize[float64]) }

func testTileSize[F gemm.Float](t *testing.T) {
	mr, nr, _, _, _ := gemm.Blocking[F]()
	rows, cols := gemm.TileSize[F]()
	if rows <= 0 || cols <= 0 || rows%mr != 0 || cols%nr != 0 {
		t.Errorf("tile of %d×%d for kernels of %d×%d", rows, cols, mr, nr)
	}
}
