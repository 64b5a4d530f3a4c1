// Package gram computes the Gram matrix K(x_i, y_j) in tiles: stored blocks,
// products with K that never store it, and rows.
//
// Columns binds a kernel to a fixed set of instances (landmarks, support
// vectors, the sample itself), prepares them once, and then meets any number of
// other instances. A kernel on vectors that has a form runs on the tiles of a
// back end; a black box is evaluated pair by pair in the same loop. Values are
// checked as they are computed: a kernel that gives NaN or an infinite value is
// an error that names the pair.
//
// Results are the same bits for any number of workers. Cancellation is noticed
// once a tile.
package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vec"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// The shape of a tile: so many rows against so many columns, 128 KiB of values.
const (
	tileRows = 64
	tileCols = 256
)

// Columns is a kernel bound to instances y_0 … y_{m-1}. It is immutable and
// safe for concurrent use.
type Columns[T any] struct {
	kernel kernel.Kernel[T]
	y      data.Source[T]
	tiler  tiler[T]
}

// tiler computes one tile: K(x_i, y_j) for the instances of x and the columns
// of block c.
type tiler[T any] interface {
	tile(dst []float64, ld int, x data.Source[T], c int)
}

// Bind prepares the columns. The cost is one pass over y.
func Bind[T any](k kernel.Kernel[T], y data.Source[T]) *Columns[T] {
	c := &Columns[T]{kernel: k, y: y}
	if t, ok := newFormed(k, y); ok {
		c.tiler = t
	} else {
		c.tiler = newPairwise(k, y)
	}
	return c
}

// Len returns the number of columns.
func (c *Columns[T]) Len() int { return c.y.Len() }

// Instances returns the instances that the kernel is bound to.
func (c *Columns[T]) Instances() data.Source[T] { return c.y }

// Kernel returns the kernel.
func (c *Columns[T]) Kernel() kernel.Kernel[T] { return c.kernel }

// Row sets dst[j] = K(x, y_j). It does not check the values.
func (c *Columns[T]) Row(dst []float64, x T) {
	one := data.Slice[T]{x}
	for b := range c.blocks() {
		lo, _ := par.Range(b, c.Len(), tileCols)
		c.tiler.tile(dst[lo:], c.Len(), one, b)
	}
}

func (c *Columns[T]) blocks() int { return par.Blocks(c.Len(), tileCols) }

// Tile sets dst[i*Len()+j] = K(x_i, y_j) for a few instances, on the calling
// goroutine. It is what maps are built from; first is the row number of x_0 in
// messages.
func (c *Columns[T]) Tile(dst []float64, x data.Source[T], first int) error {
	for b := range c.blocks() {
		lo, _ := par.Range(b, c.Len(), tileCols)
		c.tiler.tile(dst[lo:], c.Len(), x, b)
	}
	if i := vec.Finite(dst[:x.Len()*c.Len()]); i >= 0 {
		return &ValueError{Row: first + i/c.Len(), Col: i % c.Len(), Value: dst[i]}
	}
	return nil
}

// Block returns the matrix K(x_i, y_j).
func (c *Columns[T]) Block(ctx context.Context, ctl run.Control, x data.Source[T]) (*data.Matrix, error) {
	n, m := x.Len(), c.Len()
	if err := ctl.Reserve("a Gram matrix", 8*float64(n)*float64(m), "take fewer rows or landmarks"); err != nil {
		return nil, err
	}
	dst := data.NewMatrix(n, m)
	cols := c.blocks()
	err := par.For(ctx, ctl, "kernel", par.Blocks(n, tileRows)*cols, func(i int) error {
		lo, hi := par.Range(i/cols, n, tileRows)
		return c.store(dst.Data, m, x, lo, hi, i%cols)
	})
	if err != nil {
		return nil, err
	}
	ctl.Counter.Add(int64(n) * int64(m))
	return dst, nil
}

// store computes the tile of rows lo..hi-1 and block b into its place in dst,
// whose rows have the stride ld, and checks it.
func (c *Columns[T]) store(dst []float64, ld int, x data.Source[T], lo, hi, b int) error {
	left, right := par.Range(b, c.Len(), tileCols)
	c.tiler.tile(dst[lo*ld+left:], ld, data.Range[T]{Of: x, Lo: lo, Hi: hi}, b)
	for i := lo; i < hi; i++ {
		if j := vec.Finite(dst[i*ld+left : i*ld+right]); j >= 0 {
			return &ValueError{Row: i, Col: left + j, Value: dst[i*ld+left+j]}
		}
	}
	return nil
}

// Product sets dst = K·v, that is dst[i] = Σ_j K(x_i, y_j)·v[j], without
// storing K. The sum runs over j in order.
func (c *Columns[T]) Product(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], v []float64) error {
	n, m := x.Len(), c.Len()
	if len(dst) != n || len(v) != m {
		panic("gram: lengths do not match")
	}
	defer ctl.Counter.Add(int64(n) * int64(m))
	return par.For(ctx, ctl, "kernel", par.Blocks(n, tileRows), func(i int) error {
		lo, hi := par.Range(i, n, tileRows)
		clear(dst[lo:hi])
		tile := make([]float64, tileRows*tileCols)
		return c.each(tile, x, lo, hi, func(left, right int) {
			w := right - left
			for r := range hi - lo {
				dst[lo+r] += vec.Dot(tile[r*w:(r+1)*w], v[left:right])
			}
		})
	})
}

// ProductT sets dst = Kᵀ·u, that is dst[j] = Σ_i K(x_i, y_j)·u[i], without
// storing K. The sum runs over i in order.
func (c *Columns[T]) ProductT(ctx context.Context, ctl run.Control, dst []float64, x data.Source[T], u []float64) error {
	n, m := x.Len(), c.Len()
	if len(dst) != m || len(u) != n {
		panic("gram: lengths do not match")
	}
	defer ctl.Counter.Add(int64(n) * int64(m))
	return par.For(ctx, ctl, "kernel", c.blocks(), func(b int) error {
		left, right := par.Range(b, m, tileCols)
		out, w := dst[left:right], right-left
		clear(out)
		tile := make([]float64, tileRows*w)
		for i := range par.Blocks(n, tileRows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			lo, hi := par.Range(i, n, tileRows)
			if err := c.local(tile, x, lo, hi, b); err != nil {
				return err
			}
			for r := range hi - lo {
				vec.Axpy(out, u[lo+r], tile[r*w:(r+1)*w])
			}
		}
		return nil
	})
}

// each computes the tiles of rows lo..hi-1, one after the other, and hands over
// the columns of each.
func (c *Columns[T]) each(tile []float64, x data.Source[T], lo, hi int, use func(left, right int)) error {
	for b := range c.blocks() {
		if err := c.local(tile, x, lo, hi, b); err != nil {
			return err
		}
		use(par.Range(b, c.Len(), tileCols))
	}
	return nil
}

// local computes a checked tile into a buffer whose rows are as wide as it.
func (c *Columns[T]) local(tile []float64, x data.Source[T], lo, hi, b int) error {
	left, right := par.Range(b, c.Len(), tileCols)
	w := right - left
	c.tiler.tile(tile, w, data.Range[T]{Of: x, Lo: lo, Hi: hi}, b)
	if i := vec.Finite(tile[:(hi-lo)*w]); i >= 0 {
		return &ValueError{Row: lo + i/w, Col: left + i%w, Value: tile[i]}
	}
	return nil
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
	return fmt.Sprintf("the kernel of row %d and instance %d %s; the data may be too large for this kernel (scale them), or the kernel itself is at fault", e.Row+1, e.Col+1, what)
}

// formed computes tiles on a back end.
type formed struct {
	backend compute.Backend
	form    kernel.Form
	panels  []*compute.Panel
}

// newFormed returns the tiler of a kernel on vectors whose form the back end
// supports, and false for any other.
func newFormed[T any](k kernel.Kernel[T], y data.Source[T]) (tiler[T], bool) {
	form, ok := kernel.FormOf(k)
	if !ok {
		return nil, false
	}
	vectors, ok := any(y).(data.Source[data.Vector])
	backend := compute.Default()
	if !ok || !backend.Supports(form) {
		return nil, false
	}
	f := formed{backend: backend, form: form}
	shift := compute.Shift(vectors, form)
	for b := range par.Blocks(y.Len(), tileCols) {
		lo, hi := par.Range(b, y.Len(), tileCols)
		f.panels = append(f.panels, compute.Pack(data.Range[data.Vector]{Of: vectors, Lo: lo, Hi: hi}, form, shift))
	}
	t, ok := any(f).(tiler[T])
	return t, ok
}

func (f formed) tile(dst []float64, ld int, x data.Source[data.Vector], c int) {
	f.backend.Tile(dst, ld, f.panels[c].Rows(x, f.form), f.panels[c], f.form)
}

// pairwise evaluates a black box pair by pair. A normalised kernel is taken
// apart, so that K(y, y) is computed once a column and K(x, x) once a row.
type pairwise[T any] struct {
	inner      kernel.Kernel[T]
	normalized bool
	y          data.Source[T]
	diag       []float64 // K(y_j, y_j), where normalised
}

func newPairwise[T any](k kernel.Kernel[T], y data.Source[T]) pairwise[T] {
	p := pairwise[T]{y: y}
	p.inner, p.normalized = kernel.Unnormalized(k)
	if p.normalized {
		p.diag = make([]float64, y.Len())
		for j := range p.diag {
			p.diag[j] = kernel.Diag(p.inner, y.At(j))
		}
	}
	return p
}

func (p pairwise[T]) tile(dst []float64, ld int, x data.Source[T], c int) {
	lo, hi := par.Range(c, p.y.Len(), tileCols)
	for i := range x.Len() {
		xi := x.At(i)
		row := dst[i*ld : i*ld+hi-lo]
		for j := range row {
			row[j] = p.inner.Eval(xi, p.y.At(lo+j))
		}
		if p.normalized {
			xx := kernel.Diag(p.inner, xi)
			for j := range row {
				row[j] = kernel.Cosine(row[j], xx, p.diag[lo+j])
			}
		}
	}
}
