package gram

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// formed computes tiles on a back end.
type formed struct{ columns compute.Columns }

// newFormed returns the tiler of a kernel on vectors whose form the back end
// supports, and false for any other.
func newFormed[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision, workers int) (tiler[T], bool) {
	form, ok := kernel.FormOf(k)
	if !ok {
		return nil, false
	}
	vectors, ok := any(y).(data.Source[data.Vector])
	backend := compute.On(p, workers)
	if !ok || !backend.Supports(form, vectors) {
		return nil, false
	}
	t, ok := any(formed{backend.Columns(vectors, form)}).(tiler[T])
	return t, ok
}

func (f formed) strip(x data.Source[data.Vector]) compute.Rows { return f.columns.Rows(x) }

func (f formed) tileSize() (rows, cols int) { return f.columns.TileSize() }

// pairwise evaluates a black box pair by pair. A normalised kernel is taken
// apart, so that K(y, y) is computed once a column and K(x, x) once a row.
type pairwise[T any] struct {
	inner      kernel.Kernel[T]
	normalized bool
	with       []func(x T) float64 // x ↦ K(x, y_j)
	diag       []float64           // K(y_j, y_j), where normalised
}

func newPairwise[T any](k kernel.Kernel[T], y data.Source[T]) *pairwise[T] {
	p := &pairwise[T]{with: make([]func(x T) float64, y.Len())}
	p.inner, p.normalized = kernel.Unnormalized(k)
	for j := range p.with {
		p.with[j] = kernel.Prepare(p.inner, y.At(j))
	}
	if p.normalized {
		p.diag = make([]float64, y.Len())
		for j := range p.diag {
			p.diag[j] = kernel.Diag(p.inner, y.At(j))
		}
	}
	return p
}

func (p *pairwise[T]) strip(x data.Source[T]) compute.Rows {
	s := &pairs[T]{pairwise: p, x: x}
	if p.normalized {
		s.own = make([]float64, x.Len())
		for i := range s.own {
			s.own[i] = kernel.Diag(p.inner, x.At(i))
		}
	}
	return s
}

func (p *pairwise[T]) tileSize() (rows, cols int) { return 16, 64 }

// pairs is the row side of tiles of a black box.
type pairs[T any] struct {
	*pairwise[T]
	x   data.Source[T]
	own []float64 // K(x_i, x_i), where normalised
}

func (p *pairs[T]) Tile64(dst []float64, ld, j0, j1 int) { evaluate(p, dst, ld, j0, j1) }
func (p *pairs[T]) Tile32(dst []float32, ld, j0, j1 int) { evaluate(p, dst, ld, j0, j1) }
func (p *pairs[T]) Release()                             {}

func evaluate[T any, F float32 | float64](p *pairs[T], dst []F, ld, j0, j1 int) {
	for i := range p.x.Len() {
		xi := p.x.At(i)
		row := dst[i*ld:][:j1-j0]
		if !p.normalized {
			for j := range row {
				row[j] = F(p.with[j0+j](xi))
			}
			continue
		}
		for j := range row {
			row[j] = F(kernel.Cosine(p.with[j0+j](xi), p.own[i], p.diag[j0+j]))
		}
	}
}
