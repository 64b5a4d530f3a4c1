// Package compute is the seam between what kerf computes (blocks of K, products
// with it and with fixed matrices) and how a machine does it.
//
// A Backend computes whole blocks and products: what package gram asks for, and
// the least that a device with memory of its own can do without sending K back. On
// the cores of this machine package gram cuts them into tiles and spreads these over
// workers; a Tiler prepares the column side of tiles.
//
// Every back end passes the same conformance suite (kerftest.Backend), and every
// tiler another (kerftest.Tiles), each within an error budget of its own.
package compute

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Tiler computes tiles of K on the cores of this machine. Tilers hold no state of
// a run and are safe for concurrent use.
type Tiler interface {
	// Name tells people which tiler this is.
	Name() string

	// Supports reports whether it can compute the form against these columns.
	// Where it cannot, the caller evaluates the kernel pair by pair.
	Supports(f kernel.Form, y data.Source[data.Vector]) bool

	// Columns packs the column side of tiles.
	Columns(y data.Source[data.Vector], f kernel.Form) Columns
}

// Columns is the column side of tiles, packed once. It is immutable and safe
// for concurrent use.
type Columns interface {
	// Len returns the number of columns.
	Len() int

	// Rows packs a few instances as the row side of tiles.
	Rows(x data.Source[data.Vector]) Rows

	// TileSize returns a size of tiles that stays in cache.
	TileSize() (rows, cols int)
}

// Rows is the row side of tiles. It belongs to one goroutine until it is
// released, and must not be used after.
//
// Both methods set dst[i*ld+j-j0] = K(x_i, y_j) for all rows i and j0 ≤ j < j1,
// in the precision of the tiler, converted to that of dst. A value does not
// depend on which others are computed with it. A value and its mirror image are
// equal bit for bit, and the squared distance of a vector to itself is exactly
// zero.
type Rows interface {
	Tile64(dst []float64, ld, j0, j1 int)
	Tile32(dst []float32, ld, j0, j1 int)
	Release()
}

// For returns the fastest tiler of this machine that computes in the given
// precision, on one core.
func For(p run.Precision) Tiler { return On(p, 1) }

// On is For with so many cores that pack columns.
func On(p run.Precision, workers int) Tiler {
	if p == run.Float32 {
		return CPU[float32]{Workers: workers}
	}
	return CPU[float64]{Workers: workers}
}

// CPU computes tiles by the matrix products of package gemm and the elementwise
// functions of package vmath, in the precision F.
type CPU[F gemm.Float] struct {
	Workers int // that pack columns; 0 counts as 1
}

// Name returns the instruction set in use.
func (CPU[F]) Name() string { return gemm.Current().String() }

// maxAcross is the dimension up to which sums over coordinates that are no inner
// products (the L1 distance) are computed on tiles, which hold all coordinates of
// a vector.
const maxAcross = 1 << 14

// Supports reports true but for such sums over very many coordinates.
func (CPU[F]) Supports(f kernel.Form, y data.Source[data.Vector]) bool {
	return !byCoordinate(f.Pair) || data.Dim(y) <= maxAcross
}
