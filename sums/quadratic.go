package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Quadratic is what is known at a point w of a sum of losses f of rows x, by which a
// step of Newton's method is found:
//
//	Value = Σ f(w·x)   Gradient = Σ f'(w·x)·x   Hessian = Σ f”(w·x)·x·xᵀ
//
// and Ahead, the sums of losses at other points along a line through w.
type Quadratic struct {
	Rows     int
	Value    float64
	Gradient []float64
	Hessian  *data.Matrix // the lower triangle; what is above the diagonal is zero
	Ahead    []float64
}

// NewQuadratic returns the sums over no rows of dim coordinates, with so many points
// ahead.
func NewQuadratic(dim, ahead int) *Quadratic {
	return &Quadratic{Gradient: make([]float64, dim), Hessian: data.NewMatrix(dim, dim), Ahead: make([]float64, ahead)}
}

// QuadraticBytes returns how much memory a Quadratic of so many coordinates takes.
func QuadraticBytes(dim int) float64 { return 8 * float64(dim) * (float64(dim) + 1) }

// Slopes adds Σ slope·x over rows to the gradient, and counts the rows.
func (q *Quadratic) Slopes(ctx context.Context, ctl run.Control, x *data.Matrix, slope []float64) error {
	if x.Cols != len(q.Gradient) || len(slope) != x.Rows {
		panic("sums: rows and slopes do not fit the gradient")
	}
	if err := ctx.Err(); err != nil || x.Rows == 0 {
		return err
	}
	q.Rows += x.Rows
	one := &data.Matrix{Rows: x.Rows, Cols: 1, Data: slope}
	sum := &data.Matrix{Rows: x.Cols, Cols: 1, Data: q.Gradient}
	if x.Cols == 0 {
		return nil
	}
	return linalg.TMul(context.WithoutCancel(ctx), ctl.Quiet(), 1, x, one, 1, sum)
}

// Bend adds Σ curvature·x·xᵀ over rows to the Hessian. It writes to x.
func (q *Quadratic) Bend(ctx context.Context, ctl run.Control, x *data.Matrix, curvature []float64) error {
	if x.Cols != len(q.Gradient) || len(curvature) != x.Rows {
		panic("sums: rows and curvatures do not fit the Hessian")
	}
	if err := ctx.Err(); err != nil || x.Rows == 0 || x.Cols == 0 {
		return err
	}
	for i, c := range curvature {
		vmath.Scale(x.Row(i), math.Sqrt(c))
	}
	return linalg.SymRankT(context.WithoutCancel(ctx), ctl.Quiet(), 1, x, 1, q.Hessian)
}

// Merge adds the sums over other rows.
func (q *Quadratic) Merge(other *Quadratic) error {
	if len(q.Gradient) != len(other.Gradient) || len(q.Ahead) != len(other.Ahead) {
		return fmt.Errorf("sums of losses over %d coordinates and %d points cannot be merged with those over %d and %d",
			len(q.Gradient), len(q.Ahead), len(other.Gradient), len(other.Ahead))
	}
	vmath.Axpy(q.Gradient, 1, other.Gradient)
	vmath.Axpy(q.Hessian.Data, 1, other.Hessian.Data)
	vmath.Axpy(q.Ahead, 1, other.Ahead)
	q.Value += other.Value
	q.Rows += other.Rows
	return nil
}

// AppendBinary adds the binary form to b.
func (q *Quadratic) AppendBinary(b []byte) ([]byte, error) {
	b = putCount(putCount(putCount(append(b, tagQuadratic), len(q.Gradient)), len(q.Ahead)), q.Rows)
	b = putNumbers(putNumbers(putNumbers(b, q.Value), q.Gradient...), q.Ahead...)
	for i := range q.Gradient {
		b = putNumbers(b, q.Hessian.Row(i)[:i+1]...)
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (q *Quadratic) UnmarshalBinary(b []byte) error {
	r := read(b, tagQuadratic)
	dim, ahead, rows := r.count(8), r.count(8), r.count(0)
	d := float64(dim)
	if !r.room(1 + d + float64(ahead) + d*(d+1)/2) {
		return r.end("sums of losses")
	}
	one := NewQuadratic(dim, ahead)
	one.Rows, one.Value = rows, r.number()
	r.numbers(one.Gradient)
	r.numbers(one.Ahead)
	for i := range dim {
		r.numbers(one.Hessian.Row(i)[:i+1])
	}
	if err := r.end("sums of losses"); err != nil {
		return err
	}
	*q = *one
	return nil
}
