package stream

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Basis says that the rows of blocks are similarities s and features B·s, with a square matrix B. A
// product of w with features is one of Bᵀw with similarities, and a sum of features is B times one of
// similarities: of most rows the features are not needed. It is immutable and safe for concurrent
// use.
type Basis struct {
	Matrix *data.Matrix                           // B
	Rotate func(dst, similar []float64, rows int) // sets rows of dst to the features of rows of similarities
}

// weights returns Bᵀw.
func (b *Basis) weights(w []float64) []float64 {
	out := make([]float64, b.Matrix.Cols)
	for i, v := range w {
		vmath.Axpy(out, v, b.Matrix.Row(i))
	}
	return out
}

// sum replaces a sum of similarities by that of features.
func (b *Basis) sum(g []float64) {
	out := make([]float64, len(g))
	for i := range out {
		out[i] = vmath.Dot(b.Matrix.Row(i), g)
	}
	copy(g, out)
}

// rotatedTogether is how many rows are rotated at a time: few enough for a core's cache.
const rotatedTogether = 84

// features sets the rows of dst to the features of similarities.
func (b *Basis) features(ctx context.Context, ctl run.Control, dst, similar *data.Matrix) error {
	return par.For(ctx, ctl.Quiet(), "", par.Blocks(similar.Rows, rotatedTogether), func(i int) error {
		lo, hi := par.Range(i, similar.Rows, rotatedTogether)
		b.Rotate(dst.Data[lo*dst.Cols:hi*dst.Cols], similar.Data[lo*similar.Cols:hi*similar.Cols], hi-lo)
		return nil
	})
}
