package compute

import (
	"sync"

	"github.com/kerf-ml/kerf/internal/gemm"
)

// Fixed is a matrix B that rows are multiplied with many times, in the
// precision F. It is immutable and safe for concurrent use.
type Fixed[F gemm.Float] struct {
	full  *gemm.Packed[F] // one of the two
	lower *gemm.Lower[F]
	lefts sync.Pool // of *gemm.Left[F]
}

// NewFixed packs a matrix of cols rows and depth columns.
func NewFixed[F gemm.Float](b []float64, cols, depth int) *Fixed[F] {
	return &Fixed[F]{full: gemm.Pack(rounded[F](b), depth, cols, depth)}
}

// NewLower packs the lower triangle of an n×n matrix that is zero above it:
// products cost half of a square's.
func NewLower[F gemm.Float](l []float64, n int) *Fixed[F] {
	return &Fixed[F]{lower: gemm.PackLower(rounded[F](l), n, n)}
}

// rounded returns the numbers in the precision F, the slice itself where that
// is float64.
func rounded[F gemm.Float](b []float64) []F {
	if same, ok := any(b).([]F); ok {
		return same
	}
	r := make([]F, len(b))
	for i, v := range b {
		r[i] = F(v)
	}
	return r
}

// Mul sets dst[i*ldd+j] = Σ_k a[i*lda+k]·B[j,k] for i < rows and all j.
func (f *Fixed[F]) Mul(dst []F, ldd int, a []F, lda, rows int) {
	if rows == 0 {
		return
	}
	left, ok := f.lefts.Get().(*gemm.Left[F])
	if !ok {
		left = new(gemm.Left[F])
	}
	if f.lower != nil {
		left.Pack(a, lda, rows, f.lower.Len())
		gemm.TileLower(dst, ldd, left, f.lower)
	} else {
		left.Pack(a, lda, rows, f.full.Depth())
		gemm.Tile(dst, ldd, left, f.full, 0, f.full.Len(), false)
	}
	f.lefts.Put(left)
}

// Roundings returns of how many roundings, one after the other, a sum of m terms of Mul has the error
// at most, whatever the level: a block of depth term by term, then the blocks.
func Roundings(m int) int {
	const least, most = 256, 384 // depths of blocks
	return min(m, most) + (m+least-1)/least
}
