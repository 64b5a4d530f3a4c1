package compute

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Backend computes blocks of K and products with it for kernels on vectors that
// have a form. Back ends hold no state of a run and are safe for concurrent use.
type Backend interface {
	// Name tells people which back end this is.
	Name() string

	// Supports reports whether it can compute the form against these columns in
	// this precision. Where it cannot, the caller computes by tiles of its own.
	Supports(f kernel.Form, y data.Source[data.Vector], p run.Precision) bool

	// Bind brings the columns y_0 … y_{m-1} to the back end.
	Bind(f kernel.Form, y data.Source[data.Vector], p run.Precision) (Bound, error)
}

// Bound is the column side of K on a back end. It is immutable and safe for
// concurrent use. What it holds outside of Go's memory it gives back when the
// garbage collector finds it (runtime.AddCleanup), and so does a Matrix.
type Bound interface {
	// Against brings the instances x_0 … x_{n-1} to the back end, or arranges for
	// them to come piece by piece, for any number of calls of the Matrix. often says
	// that there will be several products, for which values of K may be kept.
	Against(x data.Source[data.Vector], often bool) (Matrix, error)
}

// Mapper is a Matrix that multiplies its rows by a fixed matrix B, of as many columns as there are y: the
// features of maps that are B times similarities.
type Mapper interface {
	// Map64 and Map32 set dst[i·dim+j] = Σ_k b[j][k]·K(x_i, y_k), where b has dim rows, as the CPU does: K is in
	// the precision of the Bound, the product in that of dst but that it is double where K is. lower
	// says that b[j][k] = 0 for k > j. finite reports whether all that they set is.
	Map64(ctx context.Context, ctl run.Control, dst []float64, b *data.Matrix, lower bool) (finite bool, err error)
	Map32(ctx context.Context, ctl run.Control, dst []float32, b *data.Matrix, lower bool) (finite bool, err error)
}

// Matrix is K(x_i, y_j) for i < n and j < m. It serves one goroutine at a time.
//
// A call gives the same bits whenever it is made. It notices soon that ctx is
// cancelled and returns ctx.Err(). Values that are not finite are not looked for:
// they and sums with them come out as they do in floating point, and the caller
// sees to it. Evaluations and progress are the caller's to count.
type Matrix interface {
	// Block64 and Block32 set dst[i·m+j] = K(x_i, y_j), in the precision of the
	// Bound, converted to that of dst.
	Block64(ctx context.Context, ctl run.Control, dst []float64) error
	Block32(ctx context.Context, ctl run.Control, dst []float32) error

	// Product sets dst[k][i] = Σ_j K(x_i, y_j)·v[k][j] for every row k of v.
	Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error

	// ProductNormal sets dst[k] = Kᵀ·C·(K·v[k] + u[k]) for every row k of dst, with
	// C = diag(weight). v or u may be nil for zero, weight may be nil for 1.
	ProductNormal(ctx context.Context, ctl run.Control, dst, v, u *data.Matrix, weight []float64) error
}
