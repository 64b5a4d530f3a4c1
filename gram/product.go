package gram

import (
	"context"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Product sets dst = K·v, that is dst[i] = Σ_j K(x_i, y_j)·v[j], without
// storing K. In float32 the sums of a tile are single, those over tiles double.
func (c *Columns[T]) Product(
	ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v []float64,
) error {
	if len(dst) != x.Len() || len(v) != c.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := c.remote(ctl, x).product(ctx, ctl, oneRow(dst), oneRow(v)); done {
		return err
	}
	if c.precision == run.Float32 {
		return product[T, float32](ctx, ctl, c, dst, x, v)
	}
	return product[T, float64](ctx, ctl, c, dst, x, v)
}

func product[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []float64, x data.Source[T], v []float64,
) error {
	n, w := x.Len(), converted[F](v)
	defer ctl.Counter.Add(int64(n) * int64(c.Len()))
	return par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows), func(i int) error {
		lo, hi := par.Range(i, n, c.rows)
		return times(c, dst[lo:hi], x, lo, hi, w)
	})
}

// times sets dst to the product of rows lo to hi-1 of K with v, tile by tile.
func times[T any, F float32 | float64](c *Columns[T], dst []float64, x data.Source[T], lo, hi int, v []F) error {
	clear(dst)
	return tiles(c, x, lo, hi, func(tile []F, left, right int) {
		w := right - left
		for i := range dst {
			dst[i] += float64(vmath.Dot(tile[i*w:(i+1)*w], v[left:right]))
		}
	})
}

// tiles computes rows lo to hi-1 of K, one tile after the other in the same
// memory, and hands each over when it has been checked.
func tiles[T any, F float32 | float64](
	c *Columns[T], x data.Source[T], lo, hi int, use func(tile []F, left, right int),
) error {
	s := c.tiler.strip(data.Range[T]{Of: x, Lo: lo, Hi: hi})
	defer s.Release()
	buffer := c.borrow().(*[]F)
	defer c.buffers.Put(buffer)
	for left := 0; left < c.Len(); left += c.cols {
		right := min(left+c.cols, c.Len())
		w := right - left
		t := (*buffer)[:(hi-lo)*w]
		tile(s, t, w, left, right)
		if i := vmath.Finite(t); i >= 0 {
			return c.blame(lo+i/w, left+i%w, float64(t[i]))
		}
		use(t, left, right)
	}
	return nil
}

// borrow returns memory for a tile in the precision of the columns.
func (c *Columns[T]) borrow() any {
	if b := c.buffers.Get(); b != nil {
		return b
	}
	if c.precision == run.Float32 {
		b := make([]float32, c.rows*c.cols)
		return &b
	}
	b := make([]float64, c.rows*c.cols)
	return &b
}

func converted[F float32 | float64](v []float64) []F {
	if same, ok := any(v).([]F); ok {
		return same
	}
	out := make([]F, len(v))
	for i, a := range v {
		out[i] = F(a)
	}
	return out
}

// ProductT sets dst = Kᵀ·u, that is dst[j] = Σ_i K(x_i, y_j)·u[i], without
// storing K. The sums are double.
func (c *Columns[T]) ProductT(
	ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], u []float64,
) error {
	if len(dst) != c.Len() || len(u) != x.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := c.remote(ctl, x).normal(ctx, ctl, oneRow(dst), nil, oneRow(u), nil); done {
		return err
	}
	return c.sumStrips(ctx, ctl, dst, x, func(part []float64, lo, hi int) error {
		return c.transposed(part, x, lo, hi, u[lo:hi])
	})
}

// ProductNormal sets dst = Kᵀ·(K·v + u), computing each value of K once and
// storing a strip of rows at a time; u may be nil for zero. It is the product
// that solvers of least-squares problems need.
func (c *Columns[T]) ProductNormal(
	ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v, u []float64,
) error {
	if len(dst) != c.Len() || len(v) != c.Len() || u != nil && len(u) != x.Len() {
		panic("gram: lengths do not match")
	}
	if done, err := c.remote(ctl, x).normal(ctx, ctl, oneRow(dst), oneRow(v), oneRow(u), nil); done {
		return err
	}
	if c.precision == run.Float32 {
		return normal[T, float32](ctx, ctl, c, dst, x, v, u)
	}
	return normal[T, float64](ctx, ctl, c, dst, x, v, u)
}

func normal[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []float64, x data.Source[T], v, u []float64,
) error {
	m, w := c.Len(), converted[F](v)
	var strips sync.Pool
	return c.sumStrips(ctx, ctl, dst, x, func(part []float64, lo, hi int) error {
		stored, ok := strips.Get().(*[]F)
		if !ok {
			s := make([]F, c.rows*m)
			stored = &s
		}
		defer strips.Put(stored)
		k := (*stored)[:(hi-lo)*m]
		if err := strip(c, k, m, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo, 0, m); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			row, sum := k[(i-lo)*m:(i-lo+1)*m], 0.0
			for left := 0; left < m; left += c.cols {
				right := min(left+c.cols, m)
				sum += float64(vmath.Dot(row[left:right], w[left:right]))
			}
			if u != nil {
				sum += u[i]
			}
			addRow(part, sum, row)
		}
		return nil
	})
}

// addRow adds a·row to dst in float64.
func addRow[F float32 | float64](dst []float64, a float64, row []F) {
	if same, ok := any(row).([]float64); ok {
		vmath.Axpy(dst, a, same)
		return
	}
	for j, k := range row {
		dst[j] += a * float64(k)
	}
}

// transposed adds the product of the transpose of rows lo to hi-1 with u.
func (c *Columns[T]) transposed(part []float64, x data.Source[T], lo, hi int, u []float64) error {
	if c.precision == run.Float32 {
		return addTiles[T, float32](c, part, x, lo, hi, u)
	}
	return addTiles[T, float64](c, part, x, lo, hi, u)
}

func addTiles[T any, F float32 | float64](
	c *Columns[T], part []float64, x data.Source[T], lo, hi int, u []float64,
) error {
	return tiles(c, x, lo, hi, func(tile []F, left, right int) {
		w := right - left
		for i, a := range u {
			addRow(part[left:right], a, tile[i*w:(i+1)*w])
		}
	})
}

// partStrips is how many strips add up into one partial sum. It fixes the
// order of the sum, whatever the workers.
const partStrips = 16

// sumStrips sums over strips: use adds its share for the rows lo to hi-1 to part.
// The partial sums are added to dst in order.
func (c *Columns[T]) sumStrips(
	ctx context.Context, ctl run.Control, dst []float64, x data.Source[T],
	use func(part []float64, lo, hi int) error,
) error {
	n, m := x.Len(), c.Len()
	defer ctl.Counter.Add(int64(n) * int64(m))
	size := partStrips * c.rows
	parts := make([][]float64, par.Blocks(n, size))
	err := par.For(ctx, ctl, "kernel", len(parts), func(g int) error {
		parts[g] = make([]float64, m)
		first, last := par.Range(g, n, size)
		for lo := first; lo < last; lo += c.rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := use(parts[g], lo, min(lo+c.rows, last)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	clear(dst)
	for _, p := range parts {
		vmath.Axpy(dst, 1, p)
	}
	return nil
}
