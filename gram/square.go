package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Square is the matrix K(x_i, x_j) among the instances of a sample, for several
// products with it. Each pair is computed once, on or above the diagonal, and
// stands for both of its places, so that the matrix is symmetric even where the
// kernel is not. Where the n²/2 values fit into half of the run's memory the first
// product keeps them for the others; else each computes them anew, to the same
// bits. On another device than the CPU the back end decides what it keeps. It
// serves one goroutine at a time.
type Square[T any] struct {
	columns *Columns[T]
	there   remote
	left    []int           // the first column that a strip of rows has: the tile of its diagonal begins there
	single  *upper[float32] // nil where the values are not kept
	double  *upper[float64]
}

// upper holds the strips of rows of K one after the other, each from the column
// left on.
type upper[F float32 | float64] struct {
	values []F
	start  []int // of each strip in values
	filled bool
}

// NewSquare binds the kernel to the sample, in the precision and on the device of
// ctl. Nothing is computed yet.
func NewSquare[T any](ctl run.Control, k kernel.Kernel[T], x data.Source[T]) *Square[T] {
	c := BindPrecision(k, x, ctl.Precision)
	s := &Square[T]{columns: c, there: c.remote(ctl, x)}
	n, total := x.Len(), 0
	start := make([]int, par.Blocks(n, c.rows))
	s.left = make([]int, len(start))
	for i := range start {
		lo, hi := par.Range(i, n, c.rows)
		s.left[i], start[i] = lo/c.cols*c.cols, total
		total += (hi - lo) * (n - s.left[i])
	}
	switch {
	case s.there.chosen():
	case c.precision == run.Float32 && ctl.Reserve("", 2*4*float64(total), "") == nil:
		s.single = &upper[float32]{values: alloc.Slice[float32](total), start: start}
	case c.precision == run.Float64 && ctl.Reserve("", 2*8*float64(total), "") == nil:
		s.double = &upper[float64]{values: alloc.Slice[float64](total), start: start}
	}
	return s
}

// Len returns n.
func (s *Square[T]) Len() int { return s.columns.Len() }

// Precision returns the precision in which values are computed.
func (s *Square[T]) Precision() run.Precision { return s.columns.Precision() }

// Product sets dst[k] = K·v[k] for every row k of v. A value of K that is read
// serves both of its places and all rows: two multiplications and additions a
// vector. Each row of dst is as it would be alone.
//
// In float32 v is rounded, and the sums over 1024 columns and over a strip's rows
// are single; the sums of these are double.
func (s *Square[T]) Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	if dst.Rows != v.Rows || dst.Cols != s.Len() || v.Cols != s.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := s.there.product(ctx, ctl, dst, v); done {
		return err
	}
	if s.Precision() == run.Float32 {
		return squareProduct(ctx, ctl, s, dst, v, s.single)
	}
	return squareProduct(ctx, ctl, s, dst, v, s.double)
}

const (
	squareParts = 16   // partial sums of a product; they fix the order of a sum, whatever the workers
	squareCols  = 1024 // columns of a strip that meet all vectors before the next ones are read
)

func squareProduct[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, s *Square[T], dst, v *data.Matrix, kept *upper[F],
) error {
	c, n, strips := s.columns, s.Len(), len(s.left)
	if kept != nil {
		if err := fillUpper(ctx, ctl, s, kept); err != nil {
			return err
		}
		ctl = ctl.Quiet()
	}
	w := converted[F](v.Data)
	parts := make([][]float64, min(strips, squareParts))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		part, sums := make([]float64, len(w)), make([]F, v.Rows*squareCols)
		var buffer []F
		if kept == nil {
			buffer = make([]F, c.rows*n)
		}
		for i := g; i < strips; i += len(parts) {
			if err := ctx.Err(); err != nil {
				return err
			}
			values := buffer
			if kept != nil {
				values = kept.values[kept.start[i]:]
			} else if err := upperStrip(s, i, values); err != nil {
				return err
			}
			multiplyStrip(s, i, values, w, part, sums)
		}
		parts[g] = part
		return nil
	})
	if err != nil {
		return err
	}
	if kept == nil {
		ctl.Counter.Add(int64(n) * int64(n+1) / 2)
	}
	clear(dst.Data)
	return par.For(ctx, ctl, "", dst.Rows, func(k int) error {
		for _, p := range parts {
			vmath.Axpy(dst.Row(k), 1, p[k*n:(k+1)*n])
		}
		return nil
	})
}

// fillUpper computes all strips, once.
func fillUpper[T any, F float32 | float64](ctx context.Context, ctl run.Control, s *Square[T], kept *upper[F]) error {
	if kept.filled {
		return nil
	}
	n := int64(s.Len())
	err := par.For(ctx, ctl, "kernel", len(s.left), func(i int) error {
		return upperStrip(s, i, kept.values[kept.start[i]:])
	})
	if err == nil {
		kept.filled = true
		ctl.Counter.Add(n * (n + 1) / 2)
	}
	return err
}

// upperStrip computes strip i, and mirrors the square on the diagonal.
func upperStrip[T any, F float32 | float64](s *Square[T], i int, dst []F) error {
	c, n, left := s.columns, s.Len(), s.left[i]
	lo, hi := par.Range(i, n, c.rows)
	ld := n - left
	if err := strip(c, dst[:(hi-lo)*ld], ld, data.Range[T]{Of: c.y, Lo: lo, Hi: hi}, lo, left, n); err != nil {
		return err
	}
	square := dst[lo-left:]
	for a := range hi - lo {
		for b := range a {
			square[a*ld+b] = square[b*ld+a]
		}
	}
	return nil
}

// multiplyStrip adds to part what the values of strip i, with those that mirror
// them, contribute to the product with w. sums is scratch.
func multiplyStrip[T any, F float32 | float64](s *Square[T], i int, values, w []F, part []float64, sums []F) {
	n, left := s.Len(), s.left[i]
	lo, hi := par.Range(i, n, s.columns.rows)
	ld, vectors := n-left, len(w)/n
	for j0, j1 := lo, hi; j0 < n; j0, j1 = j1, min(j1+squareCols, n) {
		width := j1 - j0
		clear(sums[:vectors*min(width, squareCols)])
		for a := lo; a < hi; a++ {
			row := values[(a-lo)*ld+j0-left:][:width]
			for k := 0; k < len(w); k += n {
				part[k+a] += float64(vmath.Dot(row, w[k+j0:k+j1]))
				if j0 > lo { // the square on the diagonal holds both halves
					vmath.Axpy(sums[k/n*width:][:width], w[k+a], row)
				}
			}
		}
		for k := 0; j0 > lo && k < vectors; k++ {
			addRow(part[k*n+j0:k*n+j1], 1, sums[k*width:][:width])
		}
	}
}
