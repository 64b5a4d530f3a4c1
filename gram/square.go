package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/compute"
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
	s := &Square[T]{columns: c, there: c.remote(ctl, x, true)}
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

// Kept reports whether the values are kept, so that products after the first only read them.
func (s *Square[T]) Kept() bool { return s.single != nil || s.double != nil }

// Fill computes the values that are kept, if they are, before the first product does.
func (s *Square[T]) Fill(ctx context.Context, ctl run.Control) error {
	switch {
	case s.single != nil:
		return fillUpper(ctx, ctl, s, s.single)
	case s.double != nil:
		return fillUpper(ctx, ctl, s, s.double)
	}
	return nil
}

// Product sets dst[k] = K·v[k] for every row k of v. A value of K that is read
// serves both of its places and all rows: two multiplications and additions a
// vector. Each row of dst is as it would be alone, where there are more than four but for rounding.
//
// In float32 v is rounded, and the sums over 1024 columns and over a strip's rows
// are single; the sums of these are double.
func (s *Square[T]) Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	if s.Precision() == run.Float32 {
		return squareProduct[T, float32, float32](ctx, ctl, s, dst, v, s.single)
	}
	return s.ProductWide(ctx, ctl, dst, v)
}

// ProductWide is Product with v and all sums in double, whatever the precision of
// the values of K: for residuals, in which large terms cancel. A back end of another
// device has its own sums.
func (s *Square[T]) ProductWide(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	if s.Precision() == run.Float32 {
		return squareProduct[T, float32, float64](ctx, ctl, s, dst, v, s.single)
	}
	return squareProduct[T, float64, float64](ctx, ctl, s, dst, v, s.double)
}

const (
	squareParts = 16   // partial sums of a product; they fix the order of a sum, whatever the workers
	squareCols  = 1024 // columns of a strip that meet all vectors before the next ones are read
)

// squareProduct has values in F and sums in G.
func squareProduct[T any, F, G float32 | float64](
	ctx context.Context, ctl run.Control, s *Square[T], dst, v *data.Matrix, kept *upper[F],
) error {
	c, n, strips := s.columns, s.Len(), len(s.left)
	if dst.Rows != v.Rows || dst.Cols != n || v.Cols != n {
		panic("gram: lengths do not match")
	}
	if done, err := s.there.product(ctx, ctl, dst, v); done {
		return err
	}
	if kept != nil {
		if err := fillUpper(ctx, ctl, s, kept); err != nil {
			return err
		}
		ctl = ctl.Quiet()
	}
	w := converted[G](v.Data)
	parts := make([][]float64, min(strips, squareParts))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		m := &stripProduct[G]{
			w: w, part: make([]float64, len(w)), sums: make([]G, v.Rows*max(squareCols, c.rows)),
		}
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
			multiplyStrip(s, i, values, m)
		}
		parts[g] = m.part
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

// stripProduct is the product of some strips with the vectors w, a row each.
type stripProduct[G float32 | float64] struct {
	w    []G
	part []float64 // the sums so far
	sums []G       // scratch: those of a block
	wide []G       // scratch: its values
}

// multiplyStrip adds what the values of strip i, with those that mirror them,
// contribute to the product.
func multiplyStrip[T any, F, G float32 | float64](s *Square[T], i int, values []F, m *stripProduct[G]) {
	n, left := s.Len(), s.left[i]
	lo, hi := par.Range(i, n, s.columns.rows)
	vectors, high := len(m.w)/n, hi-lo
	for j0, j1 := lo, hi; j0 < n; j0, j1 = j1, min(j1+squareCols, n) {
		width := j1 - j0
		block, ld := widened(m, values[j0-left:], n-left, high, width)
		if vectors <= fewVectors {
			m.follow(block, ld, n, high, lo, j0, j1)
			continue
		}
		compute.MulT(m.sums, high, m.w[j0:], n, block, ld, vectors, high, width)
		for k := range vectors {
			addRow(m.part[k*n+lo:k*n+hi], 1, m.sums[k*high:(k+1)*high])
		}
		if j0 == lo { // the square on the diagonal holds both halves
			continue
		}
		compute.Mul(m.sums, width, m.w[lo:], n, block, ld, vectors, width, high)
		for k := range vectors {
			addRow(m.part[k*n+j0:k*n+j1], 1, m.sums[k*width:(k+1)*width])
		}
	}
}

// fewVectors is up to how many vectors a row of values is taken for both of its products at once: what is packed for
// products of matrices is read once more, and written.
const fewVectors = 4

// follow multiplies a block of rows from lo on and columns from j0 on row by row.
func (m *stripProduct[G]) follow(block []G, ld, n, high, lo, j0, j1 int) {
	width := j1 - j0
	sums := m.sums[:len(m.w)/n*width]
	clear(sums)
	for r := range high {
		row := block[r*ld:][:width]
		for at := 0; at < len(m.w); at += n {
			m.part[at+lo+r] += float64(vmath.Dot(row, m.w[at+j0:at+j1]))
		}
		if j0 == lo { // the square on the diagonal holds both halves
			continue
		}
		for k := range len(m.w) / n {
			vmath.Axpy(sums[k*width:(k+1)*width], m.w[k*n+lo+r], row)
		}
	}
	for k := range len(sums) / width {
		addRow(m.part[k*n+j0:k*n+j1], 1, sums[k*width:(k+1)*width])
	}
}

// widened returns a block of values in the type of the sums, and its stride.
func widened[F, G float32 | float64](m *stripProduct[G], values []F, ld, high, width int) ([]G, int) {
	if same, ok := any(values).([]G); ok {
		return same, ld
	}
	if len(m.wide) < high*width {
		m.wide = make([]G, high*width)
	}
	for i := range high {
		row := m.wide[i*width : (i+1)*width]
		for j, v := range values[i*ld:][:width] {
			row[j] = G(v)
		}
	}
	return m.wide, width
}
