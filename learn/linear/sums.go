package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Sums are the sums over labelled rows that least squares needs, with c the
// weight of a row:
//
//	Gram = Σ c·x·xᵀ   XY = Σ c·y·x   X = Σ c·x   YY = Σ c·y²   Y = Σ c·y   Weight = Σ c
//
// They can be gathered part by part, on several machines even, and merged.
// Sums of the same rows added in the same calls are the same bits for any
// number of workers; cut otherwise they differ by rounding. A Sums belongs to
// one goroutine.
//
// Memory is d² numbers; adding n rows takes n·d² operations by matrix products.
type Sums struct {
	Dim    int
	Rows   int
	Gram   *data.Matrix // the lower triangle; what is above the diagonal is zero
	XY, X  []float64
	YY, Y  float64
	Weight float64
}

// NewSums returns the sums over no rows of so many coordinates.
func NewSums(dim int) *Sums {
	return &Sums{Dim: dim, Gram: data.NewMatrix(dim, dim), XY: make([]float64, dim), X: make([]float64, dim)}
}

// Add adds rows with their labels and weights; nil weights are 1. Rows are
// added in blocks: when ctx ends, or a row is refused with a *learn.DataError
// for a number that is not finite or a coordinate past Dim, Rows says how many
// are in, all those of the blocks before.
func (s *Sums) Add(ctx context.Context, ctl run.Control, x data.Source[data.Vector], y, weight []float64) error {
	n := x.Len()
	if len(y) != n {
		return fmt.Errorf("sums: there are %d rows and %d labels; each row needs one", n, len(y))
	}
	if weight != nil && len(weight) != n {
		return fmt.Errorf("sums: there are %d rows and %d weights; each row needs one", n, len(weight))
	}
	buf := make([]float64, min(gramRows, n)*s.Dim)
	for lo := 0; lo < n; lo += gramRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+gramRows, n)
		var part []float64
		if weight != nil {
			part = weight[lo:hi]
		}
		if err := s.addBlock(ctx, ctl, data.Range[data.Vector]{Of: x, Lo: lo, Hi: hi}, y[lo:hi], part, buf, lo); err != nil {
			return err
		}
	}
	return nil
}

// addBlock adds at most gramRows rows, or none.
func (s *Sums) addBlock(
	ctx context.Context, ctl run.Control, x data.Source[data.Vector], y, weight, buf []float64, first int,
) error {
	for i := range y {
		row := x.At(i)
		_, err := learn.CheckVector(first+i, row)
		switch {
		case err != nil:
			return err
		case row.Dim() > s.Dim:
			return &learn.DataError{Row: first + i,
				Problem: fmt.Sprintf("coordinate %d is past the %d that are summed", row.Dim()-1, s.Dim)}
		case weight != nil && learn.CheckWeight(first+i, weight[i]) != nil:
			return learn.CheckWeight(first+i, weight[i])
		case y[i]-y[i] != 0:
			return &learn.DataError{Row: first + i, Problem: fmt.Sprintf("label is %v and must be finite", y[i])}
		}
	}
	of := func(i int) float64 {
		if weight == nil {
			return 1
		}
		return weight[i]
	}
	// A block is added as a whole: it is some tens of milliseconds.
	err := addGram(context.WithoutCancel(ctx), ctl, s.Gram, buf, len(y), func(row []float64, i int) {
		x.At(i).CopyTo(row)
		if c := of(i); c != 1 {
			vmath.Scale(row, math.Sqrt(c))
		}
	})
	if err != nil {
		return err
	}
	for i, label := range y {
		c := of(i)
		x.At(i).AddTo(s.XY, c*label)
		x.At(i).AddTo(s.X, c)
		s.YY += c * label * label
		s.Y += c * label
		s.Weight += c
	}
	s.Rows += len(y)
	return nil
}

// Merge adds the sums over other rows of the same number of coordinates.
func (s *Sums) Merge(other *Sums) error {
	if s.Dim != other.Dim {
		return fmt.Errorf("sums: over %d coordinates cannot be merged with sums over %d", s.Dim, other.Dim)
	}
	vmath.Axpy(s.Gram.Data, 1, other.Gram.Data)
	vmath.Axpy(s.XY, 1, other.XY)
	vmath.Axpy(s.X, 1, other.X)
	s.YY += other.YY
	s.Y += other.Y
	s.Weight += other.Weight
	s.Rows += other.Rows
	return nil
}

// addGram adds RᵀR to the lower triangle of g for the matrix R of n rows that
// fill writes, with room for them in buf.
func addGram(
	ctx context.Context, ctl run.Control, g *data.Matrix, buf []float64, n int, fill func(row []float64, k int),
) error {
	width := g.Cols
	err := par.For(ctx, ctl.Quiet(), "", par.Blocks(n, fillRows), func(b int) error {
		lo, hi := par.Range(b, n, fillRows)
		for k := lo; k < hi; k++ {
			fill(buf[k*width:][:width], k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return linalg.SymRankT(ctx, ctl.Quiet(), 1, &data.Matrix{Rows: n, Cols: width, Data: buf}, 1, g)
}

// fillRows is how many rows a worker writes at a time.
const fillRows = 64
