package gemm_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/run"
)

// rate reports floating-point operations a second.
func rate(b *testing.B, m, n, k int) {
	flops := 2 * float64(m) * float64(n) * float64(k)
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func benchmarkMul[F gemm.Float](b *testing.B, workers, m, n, k int, transposed bool) {
	x, y, c := random[F](1, m*k), random[F](2, n*k), make([]F, m*n)
	right := gemm.Rows(y, k, n, n)
	if transposed {
		right = gemm.Rows(y, n, k, k).T()
	}
	for b.Loop() {
		must(b, gemm.Mul(b.Context(), run.Control{Workers: workers}, 1,
			gemm.Rows(x, m, k, k), right, 0, gemm.Rows(c, m, n, n)))
	}
	rate(b, m, n, k)
}

// eachLevel runs body once a level of the machine and element type.
func eachLevel(b *testing.B, single, double func(b *testing.B)) {
	for l := gemm.Portable; l <= gemm.Best(); l++ {
		defer gemm.SetLevel(l)()
		b.Run(fmt.Sprintf("level=%v/type=float32", l), single)
		b.Run(fmt.Sprintf("level=%v/type=float64", l), double)
	}
}

func BenchmarkMul(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("size=2048/workers=%d", workers), func(b *testing.B) {
			eachLevel(b,
				func(b *testing.B) { benchmarkMul[float32](b, workers, 2048, 2048, 2048, false) },
				func(b *testing.B) { benchmarkMul[float64](b, workers, 2048, 2048, 2048, false) })
		})
	}
}

// BenchmarkMulRows is X·Cᵀ for 10 000 instances and 2 000 landmarks.
func BenchmarkMulRows(b *testing.B) {
	for _, k := range []int{20, 50, 784} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("depth=%d/workers=%d", k, workers), func(b *testing.B) {
				eachLevel(b,
					func(b *testing.B) { benchmarkMul[float32](b, workers, 10000, 2000, k, true) },
					func(b *testing.B) { benchmarkMul[float64](b, workers, 10000, 2000, k, true) })
			})
		}
	}
}

// BenchmarkTile is the same product, tile by tile into scratch.
func BenchmarkTile(b *testing.B) {
	for _, k := range []int{20, 50, 784} {
		b.Run(fmt.Sprintf("depth=%d", k), func(b *testing.B) {
			eachLevel(b,
				func(b *testing.B) { benchmarkTile[float32](b, 10000, 2000, k) },
				func(b *testing.B) { benchmarkTile[float64](b, 10000, 2000, k) })
		})
	}
}

func benchmarkTile[F gemm.Float](b *testing.B, m, n, k int) {
	x, right := random[F](1, m*k), gemm.Pack(random[F](2, n*k), k, n, k)
	rows, cols := gemm.TileSize[F]()
	dst := make([]F, rows*cols)
	var left gemm.Left[F]
	b.ReportAllocs()
	for b.Loop() {
		for i := 0; i < m; i += rows {
			left.Pack(x[i*k:], k, min(rows, m-i), k)
			for j := 0; j < n; j += cols {
				gemm.Tile(dst, cols, &left, right, j, min(j+cols, n), false)
			}
		}
	}
	rate(b, m, n, k)
}

func BenchmarkNorms2(b *testing.B) {
	eachLevel(b, benchmarkNorms2[float32], benchmarkNorms2[float64])
}

func benchmarkNorms2[F gemm.Float](b *testing.B) {
	const n, k = 1000, 50
	x, dst := random[F](1, n*k), make([]F, n)
	for b.Loop() {
		gemm.Norms2(dst, x, k, n, k)
	}
	rate(b, n, 1, k)
}

// BenchmarkGonum is what plain Go is compared with.
func BenchmarkGonum(b *testing.B) {
	const n = 1024
	b.Run("type=float32", func(b *testing.B) {
		x, y, c := random[float32](1, n*n), random[float32](2, n*n), make([]float32, n*n)
		for b.Loop() {
			blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general32(x, n), general32(y, n), 0, general32(c, n))
		}
		rate(b, n, n, n)
	})
	b.Run("type=float64", func(b *testing.B) {
		x, y, c := random[float64](1, n*n), random[float64](2, n*n), make([]float64, n*n)
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general64(x, n), general64(y, n), 0, general64(c, n))
		}
		rate(b, n, n, n)
	})
	defer gemm.SetLevel(gemm.Portable)()
	b.Run("plain/type=float32", func(b *testing.B) { benchmarkMul[float32](b, 0, n, n, n, false) })
	b.Run("plain/type=float64", func(b *testing.B) { benchmarkMul[float64](b, 0, n, n, n, false) })
}

func general32(x []float32, n int) blas32.General {
	return blas32.General{Rows: n, Cols: n, Stride: n, Data: x}
}

func general64(x []float64, n int) blas64.General {
	return blas64.General{Rows: n, Cols: n, Stride: n, Data: x}
}
