package feature

import (
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/run"
)

// rotated is the map x ↦ B·F1(x) with a fixed matrix B: what F2, F3 and a
// repaired spectrum have in common.
type rotated[T any] struct {
	landmarks *Landmarks[T]
	matrix    *data.Matrix                   // B
	lower     bool                           // B is zero above its diagonal
	double    func() *compute.Fixed[float64] // B as the cores need it, packed when they first do
	single    func() *compute.Fixed[float32] // nil unless similarities are computed in float32
	doubles   sync.Pool                      // of *[]float64, similarities of a block
	singles   sync.Pool                      // of *[]float32
}

// newRotated returns the map for B.
func newRotated[T any](m *Landmarks[T], b *data.Matrix, lower bool) *rotated[T] {
	r := &rotated[T]{landmarks: m, matrix: b, lower: lower}
	r.double = sync.OnceValue(func() *compute.Fixed[float64] { return fixed[float64](b, lower) })
	if m.Precision() == run.Float32 {
		r.single = sync.OnceValue(func() *compute.Fixed[float32] { return fixed[float32](b, lower) })
	}
	return r
}

// fixed packs a matrix for products.
func fixed[F float32 | float64](b *data.Matrix, lower bool) *compute.Fixed[F] {
	if lower {
		return compute.NewLower[F](b.Data, b.Rows)
	}
	return compute.NewFixed[F](b.Data, b.Rows, b.Cols)
}

// Dim returns the number of features.
func (m *rotated[T]) Dim() int { return m.matrix.Rows }

// Landmarks returns the landmarks as the map F1.
func (m *rotated[T]) Landmarks() *Landmarks[T] { return m.landmarks }

// MapTo maps one instance.
func (m *rotated[T]) MapTo(dst []float64, x T) {
	similar := borrow[float64](&m.doubles, m.landmarks.Dim())
	m.landmarks.MapTo(*similar, x)
	m.double().Mul(dst, m.Dim(), *similar, m.landmarks.Dim(), 1)
	m.doubles.Put(similar)
}

// MapBlock maps the instances of x into the rows of dst.
func (m *rotated[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	similar := borrow[float64](&m.doubles, x.Len()*m.landmarks.Dim())
	defer m.doubles.Put(similar)
	if err := m.landmarks.MapBlock(ctl, *similar, x, first); err != nil {
		return err
	}
	m.Rotate(dst, *similar, x.Len())
	return nil
}

// Rotate sets rows of dst to the features of instances whose similarities to the landmarks
// are known, rows of them: those that MapBlock gives them, bit for bit.
func (m *rotated[T]) Rotate(dst, similar []float64, rows int) {
	m.double().Mul(dst, m.Dim(), similar, m.landmarks.Dim(), rows)
}

// MapBlock32 maps the instances of x into the rows of dst. Where similarities
// are computed in float32, so is the product with the matrix; otherwise both
// are computed in float64 and the features are rounded.
func (m *rotated[T]) MapBlock32(ctl run.Control, dst []float32, x data.Source[T], first int) error {
	if m.single == nil {
		return round32(dst, func(wide []float64) error { return m.MapBlock(ctl, wide, x, first) })
	}
	similar := borrow[float32](&m.singles, x.Len()*m.landmarks.Dim())
	defer m.singles.Put(similar)
	if err := m.landmarks.MapBlock32(ctl, *similar, x, first); err != nil {
		return err
	}
	m.single().Mul(dst, m.Dim(), *similar, m.landmarks.Dim(), x.Len())
	return nil
}

// round32 computes in float64 and rounds into dst.
func round32(dst []float32, compute func(wide []float64) error) error {
	wide := make([]float64, len(dst))
	if err := compute(wide); err != nil {
		return err
	}
	for i, a := range wide {
		dst[i] = float32(a)
	}
	return nil
}

// borrow takes a slice of n numbers of any value from a pool. It goes back with
// Put.
func borrow[F float32 | float64](pool *sync.Pool, n int) *[]F {
	if s, ok := pool.Get().(*[]F); ok && cap(*s) >= n {
		*s = (*s)[:n]
		return s
	}
	s := make([]F, n)
	return &s
}
