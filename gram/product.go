package gram

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Product sets dst = K·v, that is dst[i] = Σ_j K(x_i, y_j)·v[j], without
// storing K. In float32 the sums of a tile are single, those over tiles double.
func (c *Columns[T]) Product(
	ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v []float64,
) error {
	return c.ProductMany(ctx, ctl, oneRow(dst), x, oneRow(v))
}

func oneRow(v []float64) *data.Matrix { return &data.Matrix{Rows: 1, Cols: len(v), Data: v} }

// tiles computes rows lo to hi-1 of K, one tile after the other in the same
// memory, and hands each over. use reports whether what it made of a tile is finite,
// which it is not where a value of the tile is not: only then the values are looked at.
func tiles[T any, F float32 | float64](
	c *Columns[T], x data.Source[T], lo, hi int, use func(tile []F, left, right int) (finite bool),
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
		if use(t, left, right) {
			continue
		}
		if i := vmath.Finite(t); i >= 0 {
			return c.blame(lo+i/w, left+i%w, float64(t[i]))
		}
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

// partStrips is how many strips add up into one partial sum. It fixes the
// order of the sum, whatever the workers.
const partStrips = 16
