package gram

import (
	"context"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// ProductNormalMany is ProductNormal for several vectors at once, with a weight
// for each instance of x: for every row k it sets
//
//	dst[k] = Kᵀ·C·(K·v[k] + u[k]),   C = diag(weight)
//
// computing each value of K once for all of them. dst and v have Len columns, u
// has one an instance of x; v or u may be nil for zero, weight may be nil for 1.
//
// In float32 the sums over 4096 columns and over a strip's rows are single, the
// sums of these double. Beside the values of K, a vector costs two
// multiplications and additions a value.
func (c *Columns[T]) ProductNormalMany(ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v, u *data.Matrix, weight []float64) error {
	if dst.Cols != c.Len() || v != nil && (v.Cols != c.Len() || v.Rows != dst.Rows) ||
		u != nil && (u.Cols != x.Len() || u.Rows != dst.Rows) || weight != nil && len(weight) != x.Len() {
		panic("gram: lengths do not match")
	}
	if c.precision == run.Float32 {
		return normalMany[T, float32](ctx, ctl, c, dst, x, v, u, weight)
	}
	return normalMany[T, float64](ctx, ctl, c, dst, x, v, u, weight)
}

// manyStrip is the memory of a worker: a strip of K and its share of the sums.
type manyStrip[F float32 | float64] struct{ k, sums []F }

func normalMany[T any, F float32 | float64](ctx context.Context, ctl run.Control, c *Columns[T], dst *data.Matrix, x data.Source[T], v, u *data.Matrix, weight []float64) error {
	n, m, outputs := x.Len(), c.Len(), dst.Rows
	defer ctl.Counter.Add(int64(n) * int64(m))
	var w []F
	if v != nil {
		w = converted[F](v.Data)
	}
	var strips sync.Pool
	size := gatherStrips * c.rows
	parts := make([][]float64, par.Blocks(n, size))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		s, ok := strips.Get().(*manyStrip[F])
		if !ok {
			s = &manyStrip[F]{k: make([]F, c.rows*m), sums: make([]F, outputs*m)}
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
			stripUnchecked(c, s.k[:(hi-lo)*m], rows)
			clear(s.sums)
			for i := lo; i < hi; i++ {
				row := s.k[(i-lo)*m : (i-lo+1)*m]
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
				if err := strip(c, s.k[:(hi-lo)*m], m, rows, lo, 0, m); err != nil {
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
func (c *Columns[T]) ProductMany(ctx context.Context, ctl run.Control, dst *data.Matrix, x data.Source[T], v *data.Matrix) error {
	if dst.Rows != v.Rows || dst.Cols != x.Len() || v.Cols != c.Len() {
		panic("gram: lengths do not match")
	}
	if c.precision == run.Float32 {
		return productMany[T, float32](ctx, ctl, c, dst, x, v)
	}
	return productMany[T, float64](ctx, ctl, c, dst, x, v)
}

func productMany[T any, F float32 | float64](ctx context.Context, ctl run.Control, c *Columns[T], dst *data.Matrix, x data.Source[T], v *data.Matrix) error {
	n, m, w := x.Len(), c.Len(), converted[F](v.Data)
	defer ctl.Counter.Add(int64(n) * int64(m))
	clear(dst.Data)
	return par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows), func(b int) error {
		lo, hi := par.Range(b, n, c.rows)
		return tiles(c, x, lo, hi, func(tile []F, left, right int) {
			width := right - left
			for i := lo; i < hi; i++ {
				row := tile[(i-lo)*width : (i-lo+1)*width]
				for k := range v.Rows {
					dst.Row(k)[i] += float64(vmath.Dot(row, w[k*m+left:k*m+right]))
				}
			}
		})
	})
}
