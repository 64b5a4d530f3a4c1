package gram

import (
	"context"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// ProductNormalMany is the product that solvers of least-squares problems need,
// for several vectors at once and with a weight for each instance of x: for every
// row k it sets
//
//	dst[k] = Kᵀ·C·(K·v[k] + u[k]),   C = diag(weight)
//
// computing each value of K once for all of them. dst and v have Len columns, u
// has one an instance of x; v or u may be nil for zero, weight may be nil for 1.
//
// In float32 the sums over 4096 columns and over a strip's rows are single, the
// sums of these double. Beside the values of K, a vector costs two
// multiplications and additions a value.
func (c *Columns[T]) ProductNormalMany(
	ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v, u *data.Matrix, weight []float64,
) error {
	if dst.Cols != c.Len() || v != nil && (v.Cols != c.Len() || v.Rows != dst.Rows) ||
		u != nil && (u.Cols != x.Len() || u.Rows != dst.Rows) || weight != nil && len(weight) != x.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := c.remote(ctl, x, false).normal(ctx, ctl, dst, v, u, weight); done {
		return err
	}
	return c.normalMany(ctx, ctl, dst, x, v, u, weight)
}

// normalMany is ProductNormalMany by tiles.
func (c *Columns[T]) normalMany(
	ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v, u *data.Matrix, weight []float64,
) error {
	if c.precision == run.Float32 {
		return normalMany[T, float32](ctx, ctl, c, dst, x, v, u, weight, nil)
	}
	return normalMany[T, float64](ctx, ctl, c, dst, x, v, u, weight, nil)
}

// Against is the matrix of K between instances and the columns, for several
// products with it. Where it fits into half of the run's memory the first product
// keeps its values for the others; else each computes them anew. On another device
// than the CPU the back end decides what it keeps. It serves one goroutine at a
// time.
type Against[T any] struct {
	columns *Columns[T]
	x       data.Source[T]
	there   remote
	single  *keptRows[float32] // nil where they are not kept
	double  *keptRows[float64]
}

// keptRows are the rows of K, once they have been computed.
type keptRows[F float32 | float64] struct {
	values []F
	filled bool
}

// Against returns the matrix of K between x and the columns, on the device of ctl.
func (c *Columns[T]) Against(ctl run.Control, x data.Source[T]) *Against[T] {
	a := &Against[T]{columns: c, x: x, there: c.remote(ctl, x, true)}
	if a.there.chosen() {
		return a
	}
	n, size := x.Len()*c.Len(), 8
	if c.precision == run.Float32 {
		size = 4
	}
	switch {
	case ctl.Reserve("", 2*float64(size)*float64(n), "") != nil:
	case size == 4:
		a.single = &keptRows[float32]{values: alloc.Slice[float32](n)}
	default:
		a.double = &keptRows[float64]{values: alloc.Slice[float64](n)}
	}
	return a
}

// Precision returns the precision in which values are computed.
func (a *Against[T]) Precision() run.Precision { return a.columns.Precision() }

// ProductNormalMany is that of Columns, bit for bit.
func (a *Against[T]) ProductNormalMany(
	ctx context.Context, ctl run.Control, dst, v, u *data.Matrix, weight []float64,
) error {
	if done, err := a.there.normal(ctx, ctl, dst, v, u, weight); done {
		return err
	}
	switch {
	case a.single != nil:
		return normalMany(ctx, ctl, a.columns, dst, a.x, v, u, weight, a.single)
	case a.double != nil:
		return normalMany(ctx, ctl, a.columns, dst, a.x, v, u, weight, a.double)
	}
	return a.columns.normalMany(ctx, ctl, dst, a.x, v, u, weight)
}

// Product is ProductMany of Columns, bit for bit on the CPU, where it keeps nothing.
func (a *Against[T]) Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	if done, err := a.there.product(ctx, ctl, dst, v); done {
		return err
	}
	return a.columns.productMany(ctx, ctl, dst, a.x, v)
}

// manyStrip is the memory of a worker: a strip of K and its share of the sums.
type manyStrip[F float32 | float64] struct{ k, sums []F }

func normalMany[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst *data.Matrix, x data.Source[T], v, u *data.Matrix,
	weight []float64, kept *keptRows[F],
) error {
	n, m, outputs := x.Len(), c.Len(), dst.Rows
	if kept == nil || !kept.filled {
		defer ctl.Counter.Add(int64(n) * int64(m))
	}
	var w []F
	if v != nil {
		w = converted[F](v.Data)
	}
	var strips sync.Pool
	size := partStrips * c.rows
	parts := make([][]float64, par.Blocks(n, size))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		s, ok := strips.Get().(*manyStrip[F])
		if !ok {
			s = &manyStrip[F]{sums: make([]F, outputs*m)}
			if kept == nil {
				s.k = make([]F, c.rows*m)
			}
		}
		defer strips.Put(s)
		part := make([]float64, outputs*m)
		first, last := par.Range(g, n, size)
		for lo := first; lo < last; lo += c.rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+c.rows, last)
			rows := data.Range[T]{Of: x, Lo: lo, Hi: hi}
			values := s.k
			if kept != nil {
				values = kept.values[lo*m : hi*m]
			}
			if kept == nil || !kept.filled {
				stripUnchecked(c, values[:(hi-lo)*m], rows)
			}
			clear(s.sums)
			for i := lo; i < hi; i++ {
				row := values[(i-lo)*m : (i-lo+1)*m]
				for k := range outputs {
					a := 0.0
					if w != nil {
						a = dotParts(row, w[k*m:(k+1)*m])
					}
					if u != nil {
						a += u.Row(k)[i]
					}
					if weight != nil {
						a *= weight[i]
					}
					vmath.Axpy(s.sums[k*m:(k+1)*m], F(a), row)
				}
			}
			// A value of K that is no number makes the sums none; it is looked for
			// only then.
			if vmath.Finite(s.sums) >= 0 {
				if err := strip(c, values[:(hi-lo)*m], m, rows, lo, 0, m); err != nil {
					return err
				}
			}
			addRow(part, 1, s.sums)
		}
		parts[g] = part
		return nil
	})
	if err != nil {
		return err
	}
	if kept != nil {
		kept.filled = true
	}
	clear(dst.Data)
	for _, p := range parts {
		vmath.Axpy(dst.Data, 1, p)
	}
	return nil
}

// stripUnchecked computes all columns for a few instances, tile by tile.
func stripUnchecked[T any, F float32 | float64](c *Columns[T], dst []F, x data.Source[T]) {
	s := c.tiler.strip(x)
	defer s.Release()
	m := c.Len()
	for left := 0; left < m; left += c.cols {
		tile(s, dst[left:], m, left, min(left+c.cols, m))
	}
}

// dotPart is how many products are added in F before the sum goes on in float64.
const dotPart = 4096

// dotParts returns ⟨x, y⟩.
func dotParts[F float32 | float64](x, y []F) float64 {
	sum := 0.0
	for left := 0; left < len(x); left += dotPart {
		right := min(left+dotPart, len(x))
		sum += float64(vmath.Dot(x[left:right], y[left:right]))
	}
	return sum
}

// ProductMany sets dst[k][i] = Σ_j K(x_i, y_j)·v[k][j] for every row k of v,
// computing each value of K once for all of them. Sums are as in Product.
func (c *Columns[T]) ProductMany(
	ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v *data.Matrix,
) error {
	if dst.Rows != v.Rows || dst.Cols != x.Len() || v.Cols != c.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := c.remote(ctl, x, false).product(ctx, ctl, dst, v); done {
		return err
	}
	return c.productMany(ctx, ctl, dst, x, v)
}

// productMany is ProductMany by tiles.
func (c *Columns[T]) productMany(
	ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v *data.Matrix,
) error {
	if c.precision == run.Float32 {
		return productMany[T, float32](ctx, ctl, c, dst, x, v)
	}
	return productMany[T, float64](ctx, ctl, c, dst, x, v)
}

func productMany[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst *data.Matrix, x data.Source[T], v *data.Matrix,
) error {
	n, m, w := x.Len(), c.Len(), converted[F](v.Data)
	defer ctl.Counter.Add(int64(n) * int64(m))
	clear(dst.Data)
	return par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows), func(b int) error {
		lo, hi := par.Range(b, n, c.rows)
		return tiles(c, x, lo, hi, func(tile []F, left, right int) bool {
			width, doubt := right-left, v.Rows == 0
			for i := lo; i < hi; i++ {
				row := tile[(i-lo)*width : (i-lo+1)*width]
				for k := range v.Rows {
					a := vmath.Dot(row, w[k*m+left:k*m+right]) // a value that is no number times 0 is none
					doubt = doubt || a-a != 0
					dst.Row(k)[i] += float64(a)
				}
			}
			return !doubt
		})
	})
}
