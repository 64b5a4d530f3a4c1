// Package gram computes the Gram matrix K(x_i, y_j) in tiles: stored blocks,
// products with K that never store it, and rows; and judges and repairs Gram
// matrices (Check, Clip, Flip, Shift).
//
// Columns binds a kernel to a fixed set of instances (landmarks, support
// vectors, the sample itself), prepares them once, and then meets any number of
// other instances. A kernel on vectors that has a form runs on matrix products, and
// on the device of the run where that supports it; a black box is evaluated pair by
// pair in the same loop. Values are
// checked as they are computed: a kernel that gives NaN or an infinite value is
// an error that names the pair.
//
// Results are the same bits for any number of workers. Cancellation is noticed
// once a strip of rows.
package gram

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Columns is a kernel bound to instances y_0 … y_{m-1}. It is immutable and
// safe for concurrent use.
type Columns[T any] struct {
	kernel     kernel.Kernel[T]
	y          data.Source[T]
	tiler      tiler[T]
	rows, cols int // of a tile
	precision  run.Precision
	buffers    sync.Pool // of *[]float64 or *[]float32, a tile each
	bindings   bindings
}

// tiler computes tiles of K against fixed columns. The rows of a strip are
// packed once for all of its tiles.
type tiler[T any] interface {
	strip(x data.Source[T]) compute.Rows
	tileSize() (rows, cols int)
}

// Bind prepares the columns, to compute in float64. The cost is one pass over y.
func Bind[T any](k kernel.Kernel[T], y data.Source[T]) *Columns[T] {
	return BindPrecision(k, y, run.Float64)
}

// BindPrecision prepares the columns, to compute in the given precision where
// the kernel has a form. A black box decides for itself.
func BindPrecision[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision) *Columns[T] {
	return BindOn(run.Control{Workers: 1}, k, y, p)
}

// BindOn is BindPrecision on the cores of the run, for columns that are bound again and
// again.
func BindOn[T any](ctl run.Control, k kernel.Kernel[T], y data.Source[T], p run.Precision) *Columns[T] {
	c := &Columns[T]{kernel: k, y: y, precision: p, tiler: newTiler(k, y, p, ctl.Cores())}
	if _, slow := c.tiler.(*pairwise[T]); slow {
		c.precision = run.Float64
	}
	c.rows, c.cols = c.tiler.tileSize()
	return c
}

// newTiler returns the fastest way to compute tiles of a kernel: by its form, by
// its features, from the vectors or the parts that it is made of, by blocks, or
// pair by pair. So many workers pack the columns of a form.
func newTiler[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision, workers int) tiler[T] {
	if t, ok := newFormed(k, y, p, workers); ok {
		return t
	}
	if t, ok := newExplicit(k, y, p); ok {
		return t
	}
	if t, ok := newTaken(k, y, p); ok {
		return t
	}
	if t, ok := newCalled(k, y); ok {
		return t
	}
	if t, ok := newCombination(k, y, p); ok {
		return t
	}
	if t, ok := newNormalizer(k, y, p); ok {
		return t
	}
	return newPairwise(k, y)
}

// Len returns the number of columns.
func (c *Columns[T]) Len() int { return c.y.Len() }

// Instances returns the instances that the kernel is bound to.
func (c *Columns[T]) Instances() data.Source[T] { return c.y }

// Precision returns the precision in which values are computed.
func (c *Columns[T]) Precision() run.Precision { return c.precision }

// Kernel returns the kernel.
func (c *Columns[T]) Kernel() kernel.Kernel[T] { return c.kernel }

// Row sets dst[j] = K(x, y_j). It does not check the values.
func (c *Columns[T]) Row(dst []float64, x T) {
	s := c.tiler.strip(data.Slice[T]{x})
	defer s.Release()
	s.Tile64(dst, c.Len(), 0, c.Len())
}

// Tile sets dst[i*Len()+j] = K(x_i, y_j) for a few instances, on the calling
// goroutine. It is what maps are built from; first is the row number of x_0 in
// messages.
func (c *Columns[T]) Tile(dst []float64, x data.Source[T], first int) error {
	return strip(c, dst, c.Len(), x, first, 0, c.Len())
}

// Tile32 is Tile in single precision.
func (c *Columns[T]) Tile32(dst []float32, x data.Source[T], first int) error {
	return strip(c, dst, c.Len(), x, first, 0, c.Len())
}

// strip computes the columns left to right-1 for a few instances into dst, whose
// rows have the stride ld, tile by tile, and checks them. dst begins at column
// left.
func strip[T any, F float32 | float64](
	c *Columns[T], dst []F, ld int, x data.Source[T], first, left, right int,
) error {
	s := c.tiler.strip(x)
	defer s.Release()
	n := x.Len()
	for j0 := left; j0 < right; j0 += c.cols {
		j1 := min(j0+c.cols, right)
		tile(s, dst[j0-left:], ld, j0, j1)
		for i := range n {
			if j := vmath.Finite(dst[i*ld+j0-left:][:j1-j0]); j >= 0 {
				return c.blame(first+i, j0+j, float64(dst[i*ld+j0-left+j]))
			}
		}
	}
	return nil
}

// blame returns the error for a value that is no number: what a kernel that
// computes blocks has to say, or that the value is none.
func (c *Columns[T]) blame(row, col int, value float64) error {
	if t, ok := c.tiler.(interface{ fault() error }); ok && t.fault() != nil {
		return t.fault()
	}
	return &ValueError{Row: row, Col: col, Value: value}
}

// tile computes a tile in the precision of dst.
func tile[F float32 | float64](s compute.Rows, dst []F, ld, j0, j1 int) {
	switch d := any(dst).(type) {
	case []float64:
		s.Tile64(d, ld, j0, j1)
	case []float32:
		s.Tile32(d, ld, j0, j1)
	}
}

// Block returns the matrix K(x_i, y_j).
func (c *Columns[T]) Block(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	if err := c.reserve(ctl, x.Len(), 8); err != nil {
		return nil, err
	}
	dst := &data.Matrix{Rows: x.Len(), Cols: c.Len(), Data: alloc.Slice[float64](x.Len() * c.Len())}
	if err := fill(ctx, ctl, c, dst.Data, x); err != nil {
		return nil, err
	}
	return dst, nil
}

// Block32 returns the matrix K(x_i, y_j) row after row in single precision.
func (c *Columns[T]) Block32(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float32, error) {
	if err := c.reserve(ctl, x.Len(), 4); err != nil {
		return nil, err
	}
	dst := alloc.Slice[float32](x.Len() * c.Len())
	if err := fill(ctx, ctl, c, dst, x); err != nil {
		return nil, err
	}
	return dst, nil
}

func (c *Columns[T]) reserve(ctl run.Control, n, size int) error {
	return ctl.Reserve("a Gram matrix", float64(size)*float64(n)*float64(c.Len()), "take fewer rows or landmarks")
}

// fill sets dst to K(x_i, y_j), on the device of the run.
func fill[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []F, x data.Source[T],
) error {
	if done, err := remoteBlock(ctx, ctl, c.remote(ctl, x, false), dst); done {
		return err
	}
	return block(ctx, ctl, c, dst, x)
}

// block sets dst to K(x_i, y_j), by tiles.
func block[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []F, x data.Source[T],
) error {
	n, m := x.Len(), c.Len()
	width := c.width(n, blockPieces*ctl.Cores())
	across := par.Blocks(m, width)
	err := par.For(ctx, ctl, "kernel", par.Blocks(n, c.rows)*across, func(i int) error {
		lo, hi := par.Range(i/across, n, c.rows)
		left, right := par.Range(i%across, m, width)
		return strip(c, dst[lo*m+left:], m, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo, left, right)
	})
	if err == nil {
		ctl.Counter.Add(int64(n) * int64(m))
	}
	return err
}

// blockPieces is in how many pieces for each core a block is computed at least: they are taken
// as cores become free, and each packs its rows anew.
const blockPieces = 8

// width returns how many columns one piece of work has: all of them, or fewer
// where there are too few strips of rows for so many pieces.
func (c *Columns[T]) width(n, pieces int) int {
	strips := max(1, par.Blocks(n, c.rows))
	tiles := max(1, par.Blocks(c.Len(), c.cols))
	across := min(tiles, par.Blocks(pieces, strips))
	return max(1, par.Blocks(tiles, across)) * c.cols
}

// ValueError reports a kernel value that is no number.
type ValueError struct {
	Row, Col int // K(x_Row, y_Col), counted from 0
	Value    float64
}

func (e *ValueError) Error() string {
	what := "is infinite"
	if math.IsNaN(e.Value) {
		what = "is not a number"
	}
	return fmt.Sprintf("the kernel of row %d and instance %d %s; the data may be too large for this kernel "+
		"(scale them), or the kernel itself is at fault", e.Row+1, e.Col+1, what)
}
