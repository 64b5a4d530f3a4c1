package compute

import (
	"slices"
	"sync"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// Fixed is a matrix B that rows are multiplied with many times, in the
// precision F. It is immutable and safe for concurrent use.
type Fixed[F gemm.Float] struct {
	full  *gemm.Packed[F] // one of the three
	lower *gemm.Lower[F]
	few   [][]F
	lefts sync.Pool // of *gemm.Left[F]
}

// fewMost is up to how many rows of B sums are taken one by one: a tile of products has three
// vectors of columns whatever they hold, and rows to pack.
const fewMost = 4

// NewFixed packs a matrix of cols rows and depth columns.
func NewFixed[F gemm.Float](b []float64, cols, depth int) *Fixed[F] {
	r := rounded[F](b)
	if cols == 0 || cols > fewMost {
		return &Fixed[F]{full: gemm.Pack(r, depth, cols, depth)}
	}
	f := &Fixed[F]{few: make([][]F, cols)}
	for j := range f.few {
		f.few[j] = slices.Clone(r[j*depth : (j+1)*depth])
	}
	return f
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
	if f.few != nil {
		for i := range rows {
			for j, b := range f.few {
				dst[i*ldd+j] = vmath.Dot(a[i*lda:][:len(b)], b)
			}
		}
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
// at most, whatever the level: a block of depth term by term, then the blocks; with few rows of B
// a product, the terms of a partial sum and the partial sums, which are folded in halves.
func Roundings(m int) int {
	const least, most = 256, 384 // depths of blocks
	const partial, halves = 64, 6
	return max(min(m, most)+(m+least-1)/least, 1+m/partial+halves)
}
