// Package feature turns a kernel and a sample into explicit features: the
// mappings F1, F2 and F3 of Balcan, Blum and Vempala.
//
//	F1(x) = (K(x, z_1), …, K(x, z_d))      similarities to d landmarks
//	F2(x) = F1(x)·U⁻¹, M = UᵀU             orthogonal projection onto their span
//	F3(x) = F2(x)·A/√d                     F2, then a random projection
//
// where M is the Gram matrix of the landmarks. F1 takes any similarity
// function; F2 and F3 need a kernel, because they use that M has a root.
//
// F1, F2 and F3 are recipes; their Fit draws the landmarks and returns a
// fitted map: Landmarks, Orthogonal, Compressed. Fitted maps are immutable and
// safe for concurrent use.
package feature

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Map is a fitted map from instances to vectors of Dim features. MapTo fills
// dst, whose length is Dim.
type Map[T any] interface {
	Dim() int
	MapTo(dst []float64, x T)
}

// Blocker is the ability to map a few instances at once, faster than one by
// one and with the same bits. dst holds x.Len() rows of Dim features; first is
// the number of the first row in messages.
type Blocker[T any] interface {
	MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error
}

// Blocker32 is the ability to map a few instances at once into float32. The
// features agree with those of MapBlock to the rounding of float32.
type Blocker32[T any] interface {
	MapBlock32(ctl run.Control, dst []float32, x data.Source[T], first int) error
}

// Rotation is a map x ↦ B·F1(x) with a fixed matrix B, as F2, F3 and a repaired spectrum are: its
// features are known from the similarities to its landmarks.
type Rotation[T any] interface {
	Map[T]
	Landmarks() *Landmarks[T]
	Rotate(dst, similar []float64, rows int)
}

// blockRows is how many instances are mapped together: a whole number of strips
// of the matrix product at every level (6, 14 and 2 rows).
const blockRows = 84

// blockValues is how many features are made between two looks at the context: about a
// tenth of a second of the slowest map, a sketch by Fourier transforms.
const blockValues = 1 << 20

// BlockRows is how many instances are mapped together into dim features each. Results
// do not depend on it.
func BlockRows(dim int) int { return max(1, min(blockRows, blockValues/max(dim, 1))) }

// RowError reports a row that a map cannot take: a feature would not be finite.
type RowError struct {
	Row     int // counted from 0
	Problem string
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %s", e.Row+1, e.Problem) }

// Apply maps all instances of x into a matrix with a row each. Features that are
// not finite are a *RowError.
func Apply[T any](ctx context.Context, ctl run.Control, m Map[T], x data.Source[T]) (*data.Matrix, error) {
	values, err := apply(ctx, ctl, m, x, mapBlock[T])
	if err != nil {
		return nil, err
	}
	return &data.Matrix{Rows: x.Len(), Cols: m.Dim(), Data: values}, nil
}

// Apply32 is Apply in single precision, row after row: half the memory, and
// about twice the speed where the map is a Blocker32.
func Apply32[T any](ctx context.Context, ctl run.Control, m Map[T], x data.Source[T]) ([]float32, error) {
	return apply(ctx, ctl, m, x, mapBlock32[T])
}

func apply[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, m Map[T], x data.Source[T],
	block func(ctl run.Control, m Map[T], dst []F, x data.Source[T], first int) error,
) ([]F, error) {
	n, d := x.Len(), m.Dim()
	bytes := float64(unsafe.Sizeof(F(0))) * float64(n) * float64(d)
	if err := ctl.Reserve("the mapped data", bytes, "use a smaller dimension or fewer rows"); err != nil {
		return nil, err
	}
	dst := alloc.Slice[F](n * d)
	if err := applyTo(ctx, ctl, m, dst, x, block); err != nil {
		return nil, err
	}
	return dst, nil
}

// ApplyTo is Apply into the memory of dst, which has Dim places for each instance.
func ApplyTo[T any](ctx context.Context, ctl run.Control, m Map[T], dst []float64, x data.Source[T]) error {
	return applyTo(ctx, ctl, m, dst, x, mapBlock[T])
}

// ApplyTo32 is Apply32 into such memory.
func ApplyTo32[T any](ctx context.Context, ctl run.Control, m Map[T], dst []float32, x data.Source[T]) error {
	return applyTo(ctx, ctl, m, dst, x, mapBlock32[T])
}

func applyTo[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, m Map[T], dst []F, x data.Source[T],
	block func(ctl run.Control, m Map[T], dst []F, x data.Source[T], first int) error,
) error {
	if done, err := applyThere(ctx, ctl, m, dst, x); done {
		return err
	}
	n, d := x.Len(), m.Dim()
	rows := BlockRows(d)
	return par.For(ctx, ctl, "map", par.Blocks(n, rows), func(i int) error {
		lo, hi := par.Range(i, n, rows)
		if err := block(ctl, m, dst[lo*d:hi*d], data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo); err != nil {
			return err
		}
		if at := vmath.Finite(dst[lo*d : hi*d]); at >= 0 {
			const problem = "feature %d is not finite; the row is too large for the map (scale the data), " +
				"or the map itself is at fault"
			return &RowError{lo + at/d, fmt.Sprintf(problem, at%d+1)}
		}
		return nil
	})
}

func mapBlock32[T any](ctl run.Control, m Map[T], dst []float32, x data.Source[T], first int) error {
	if b, ok := m.(Blocker32[T]); ok {
		return b.MapBlock32(ctl, dst, x, first)
	}
	return round32(dst, func(wide []float64) error { return mapBlock(ctl, m, wide, x, first) })
}

func mapBlock[T any](ctl run.Control, m Map[T], dst []float64, x data.Source[T], first int) error {
	if b, ok := m.(Blocker[T]); ok {
		return b.MapBlock(ctl, dst, x, first)
	}
	d := m.Dim()
	for i := range x.Len() {
		m.MapTo(dst[i*d:(i+1)*d], x.At(i))
	}
	return nil
}

// Identity maps a vector to its own coordinates: no kernel at all. Coordinates
// past Width are dropped.
type Identity struct{ Width int }

// Dim returns Width.
func (m Identity) Dim() int { return m.Width }

// MapTo copies x to dst.
func (m Identity) MapTo(dst []float64, x data.Vector) { x.CopyTo(dst) }
