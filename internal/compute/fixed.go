package compute

import "github.com/kerf-ml/kerf/internal/gemm"

// Fixed is a matrix B that rows are multiplied with many times. It is immutable
// and safe for concurrent use.
type Fixed struct {
	blocks []fixedBlock
	cols   int
}

// fixedBlock is some rows of B, packed to the depth that they need.
type fixedBlock struct {
	packed *gemm.Packed[float64]
	at     int
}

// NewFixed packs a matrix of cols rows and depth columns.
func NewFixed(b []float64, cols, depth int) *Fixed {
	return &Fixed{cols: cols, blocks: []fixedBlock{{packed: gemm.Pack(b, depth, cols, depth)}}}
}

// lowerBlock is how many rows of a triangle are packed to the same depth.
const lowerBlock = 64

// NewLower packs the lower triangle of an n×n matrix, block by block to the
// depth of its last row, so that products cost half of a square's.
func NewLower(l []float64, n int) *Fixed {
	f := &Fixed{cols: n}
	for lo := 0; lo < n; lo += lowerBlock {
		hi := min(lo+lowerBlock, n)
		f.blocks = append(f.blocks, fixedBlock{packed: gemm.Pack(l[lo*n:], n, hi-lo, hi), at: lo})
	}
	return f
}

// Mul sets dst[i*ldd+j] = Σ_k a[i*lda+k]·B[j,k] for i < rows and all j.
func (f *Fixed) Mul(dst []float64, ldd int, a []float64, lda, rows int) {
	if rows == 0 {
		return
	}
	var left gemm.Left[float64]
	for _, b := range f.blocks {
		left.Pack(a, lda, rows, b.packed.Depth())
		gemm.Tile(dst[b.at:], ldd, &left, b.packed, 0, b.packed.Len(), false)
	}
}
