package gram

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// combination makes tiles of a sum or product of kernels from the tiles of its
// parts.
type combination[T any] struct {
	op    kernel.Operation
	parts []tiler[T]
	outer kernel.Scalar
}

// newCombination returns the tiler of a kernel that is made of others, and false
// for any other, and where no part would gain: pair by pair is then as good.
func newCombination[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision) (tiler[T], bool) {
	c, ok := kernel.CombinationOf(k)
	if !ok || len(c.Parts) == 0 {
		return nil, false
	}
	t := &combination[T]{op: c.Op, outer: c.Map}
	fast := false
	for _, part := range c.Parts {
		one := newTiler(part, y, p, 1)
		_, slow := one.(*pairwise[T])
		fast = fast || !slow
		t.parts = append(t.parts, one)
	}
	return t, fast
}

func (c *combination[T]) tileSize() (rows, cols int) { return c.parts[0].tileSize() }

func (c *combination[T]) strip(x data.Source[T]) compute.Rows {
	s := &combinedRows{op: c.op, outer: c.outer, n: x.Len()}
	for _, p := range c.parts {
		s.parts = append(s.parts, p.strip(x))
	}
	return s
}

// combinedRows is the row side of a combination's tiles.
type combinedRows struct {
	op    kernel.Operation
	outer kernel.Scalar
	parts []compute.Rows
	n     int
}

func (s *combinedRows) Tile64(dst []float64, ld, j0, j1 int) { combineTiles(s, dst, ld, j0, j1) }
func (s *combinedRows) Tile32(dst []float32, ld, j0, j1 int) { combineTiles(s, dst, ld, j0, j1) }

func (s *combinedRows) Release() {
	for _, p := range s.parts {
		p.Release()
	}
}

func combineTiles[F float32 | float64](s *combinedRows, dst []F, ld, j0, j1 int) {
	tile(s.parts[0], dst, ld, j0, j1)
	w := j1 - j0
	other := make([]F, s.n*w)
	for _, p := range s.parts[1:] {
		tile(p, other, w, j0, j1)
		for i := range s.n {
			row := dst[i*ld:][:w]
			if s.op == kernel.Multiply {
				vmath.ScaleRow(row, 1, other[i*w:(i+1)*w])
			} else {
				vmath.Axpy(row, 1, other[i*w:(i+1)*w])
			}
		}
	}
	for i := range s.n {
		compute.Apply(s.outer, dst[i*ld:][:w])
	}
}

// normalizer divides the tiles of a kernel by the lengths of both sides.
type normalizer[T any] struct {
	kernel kernel.Kernel[T]
	inner  tiler[T]
	scale  []float64 // 1/√K(y, y), 0 where that is not positive
}

// newNormalizer returns the tiler of a normalised combination, and false for any
// other kernel. Forms and explicit features normalise by themselves.
func newNormalizer[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision) (tiler[T], bool) {
	inner, normalized := kernel.Unnormalized(k)
	if !normalized {
		return nil, false
	}
	c, ok := newCombination(inner, y, p)
	if !ok {
		return nil, false
	}
	t := &normalizer[T]{kernel: inner, inner: c, scale: make([]float64, y.Len())}
	for j := range t.scale {
		t.scale[j] = kernel.Cosine(1, kernel.Diag(inner, y.At(j)), 1)
	}
	return t, true
}

func (t *normalizer[T]) tileSize() (rows, cols int) { return t.inner.tileSize() }

func (t *normalizer[T]) strip(x data.Source[T]) compute.Rows {
	s := &normalizedRows{Rows: t.inner.strip(x), columns: t.scale, rows: make([]float64, x.Len())}
	for i := range s.rows {
		s.rows[i] = kernel.Cosine(1, kernel.Diag(t.kernel, x.At(i)), 1)
	}
	return s
}

// normalizedRows is the row side of normalised tiles.
type normalizedRows struct {
	compute.Rows
	rows, columns []float64
}

func (s *normalizedRows) Tile64(dst []float64, ld, j0, j1 int) {
	s.Rows.Tile64(dst, ld, j0, j1)
	scaleTile(s, dst, ld, j0, j1)
}

func (s *normalizedRows) Tile32(dst []float32, ld, j0, j1 int) {
	s.Rows.Tile32(dst, ld, j0, j1)
	scaleTile(s, dst, ld, j0, j1)
}

func scaleTile[F float32 | float64](s *normalizedRows, dst []F, ld, j0, j1 int) {
	columns := converted[F](s.columns[j0:j1])
	for i, scale := range s.rows {
		vmath.ScaleRow(dst[i*ld:][:j1-j0], F(scale), columns)
	}
}

// taken computes tiles of vectors that are taken from the instances.
type taken[T any] struct {
	get   func(x T) data.Vector
	inner tiler[data.Vector]
}

// newTaken returns the tiler of a kernel on vectors that instances hold, and
// false for any other.
func newTaken[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision) (tiler[T], bool) {
	get, of, ok := kernel.VectorsOf(k)
	if !ok {
		return nil, false
	}
	t := &taken[T]{get: get}
	t.inner = newTiler(of, t.vectors(y), p, 1)
	return t, true
}

func (t *taken[T]) tileSize() (rows, cols int)          { return t.inner.tileSize() }
func (t *taken[T]) strip(x data.Source[T]) compute.Rows { return t.inner.strip(t.vectors(x)) }

func (t *taken[T]) vectors(x data.Source[T]) data.Source[data.Vector] {
	out := make(data.Slice[data.Vector], x.Len())
	for i := range out {
		out[i] = t.get(x.At(i))
	}
	return out
}

// called computes tiles by a kernel that takes whole blocks.
type called[T any] struct {
	blocks kernel.Blocks[T]
	y      []T
	first  atomic.Pointer[error] // what went wrong first
}

// fault returns what went wrong, nil where nothing did.
func (t *called[T]) fault() error {
	if err := t.first.Load(); err != nil {
		return *err
	}
	return nil
}

// newCalled returns the tiler of a kernel that computes blocks by itself, and
// false for any other.
func newCalled[T any](k kernel.Kernel[T], y data.Source[T]) (tiler[T], bool) {
	b, ok := kernel.BlocksOf(k)
	if !ok {
		return nil, false
	}
	return &called[T]{blocks: b, y: collect(y)}, true
}

func collect[T any](x data.Source[T]) []T {
	out := make([]T, x.Len())
	for i := range out {
		out[i] = x.At(i)
	}
	return out
}

func (t *called[T]) tileSize() (rows, cols int)          { return 64, 256 }
func (t *called[T]) strip(x data.Source[T]) compute.Rows { return &calledRows[T]{t, collect(x)} }

// calledRows is the row side of called tiles.
type calledRows[T any] struct {
	*called[T]
	x []T
}

func (s *calledRows[T]) Tile64(dst []float64, ld, j0, j1 int) { call(s, dst, ld, j0, j1) }
func (s *calledRows[T]) Tile32(dst []float32, ld, j0, j1 int) { call(s, dst, ld, j0, j1) }
func (s *calledRows[T]) Release()                             {}

func call[T any, F float32 | float64](s *calledRows[T], dst []F, ld, j0, j1 int) {
	w := j1 - j0
	values := make([]float64, len(s.x)*w)
	if err := s.blocks.EvalBlock(values, s.x, slices.Clone(s.y[j0:j1])); err != nil {
		s.first.CompareAndSwap(nil, &err)
		for i := range values {
			values[i] = math.NaN()
		}
	}
	for i := range s.x {
		row := dst[i*ld:][:w]
		for j, v := range values[i*w : (i+1)*w] {
			row[j] = F(v)
		}
	}
}
