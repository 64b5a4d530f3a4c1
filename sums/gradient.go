package sums

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Gradient is what is known at a point W of a sum of losses f of the scores W·x of rows x,
// of which there are several each:
//
//	Value = Σ f(W·x)   Slope = Σ f'(W·x)·xᵀ, a row a score
//
// and Ahead, the sums of losses at other points along a line through W.
type Gradient struct {
	Rows  int
	Value float64
	Slope *data.Matrix
	Ahead []float64
}

// NewGradient returns the sums over no rows of dim coordinates with so many scores, and
// with so many points ahead.
func NewGradient(scores, dim, ahead int) *Gradient {
	return &Gradient{Slope: data.NewMatrix(scores, dim), Ahead: make([]float64, ahead)}
}

// Add adds Σ slope·xᵀ over rows, whose slopes are a row each, and counts the rows.
func (g *Gradient) Add(ctx context.Context, ctl run.Control, x, slope *data.Matrix) error {
	if x.Cols != g.Slope.Cols || slope.Cols != g.Slope.Rows || slope.Rows != x.Rows {
		panic("sums: rows and slopes do not fit the gradient")
	}
	if err := ctx.Err(); err != nil || x.Rows == 0 {
		return err
	}
	g.Rows += x.Rows
	if len(g.Slope.Data) == 0 {
		return nil
	}
	return linalg.TMul(context.WithoutCancel(ctx), ctl.Quiet(), 1, slope, x, 1, g.Slope)
}

// Merge adds the sums over other rows.
func (g *Gradient) Merge(other *Gradient) error {
	if !g.Fits(other) {
		return fmt.Errorf("gradients of %d scores, %d coordinates and %d points cannot be merged with those of %d, %d and %d",
			g.Slope.Rows, g.Slope.Cols, len(g.Ahead), other.Slope.Rows, other.Slope.Cols, len(other.Ahead))
	}
	vmath.Axpy(g.Slope.Data, 1, other.Slope.Data)
	vmath.Axpy(g.Ahead, 1, other.Ahead)
	g.Value += other.Value
	g.Rows += other.Rows
	return nil
}

// Fits reports whether the sums are of as many scores, coordinates and points.
func (g *Gradient) Fits(other *Gradient) bool {
	return g.Slope.Rows == other.Slope.Rows && g.Slope.Cols == other.Slope.Cols && len(g.Ahead) == len(other.Ahead)
}

// AppendBinary adds the binary form to b.
func (g *Gradient) AppendBinary(b []byte) ([]byte, error) {
	b = putCount(putCount(append(b, tagGradient), g.Slope.Rows), g.Slope.Cols)
	b = putCount(putCount(b, len(g.Ahead)), g.Rows)
	return putNumbers(putNumbers(putNumbers(b, g.Value), g.Slope.Data...), g.Ahead...), nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (g *Gradient) UnmarshalBinary(b []byte) error {
	r := read(b, tagGradient)
	scores, dim, ahead, rows := r.count(8), r.count(8), r.count(8), r.count(0)
	if !r.room(1 + float64(scores)*float64(dim) + float64(ahead)) {
		return r.end("gradients")
	}
	one := NewGradient(scores, dim, ahead)
	one.Rows, one.Value = rows, r.number()
	r.numbers(one.Slope.Data)
	r.numbers(one.Ahead)
	if err := r.end("gradients"); err != nil {
		return err
	}
	*g = *one
	return nil
}
