package feature

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Lift is a map with a bias coordinate, for separators that miss the origin
// (Blum's survey, section 4.5): with u the unit,
//
//	x ↦ (m(x), u) / √(1+u²)
//
// A separator ⟨w, m(x)⟩ ≥ b becomes one through the origin, whose weight for the
// last coordinate is -b/u. Inner products K become (K + u²)/(1 + u²), which is 1
// for x = y where K is; LiftKernel is that kernel. LiftMargin says what is left
// of the margin: at least half of it for u = 1 and vectors of length 1.
//
// It is as safe for concurrent use as the inner map. MapBlock and MapBlock32 are
// as fast as the inner map's, which they use.
type Lift[T any] struct {
	inner Map[T]
	unit  float64
}

// NewLift returns m with a bias coordinate. For vectors of length about R a unit
// of R is a fair choice; 1 for a normalised kernel.
func NewLift[T any](m Map[T], unit float64) (*Lift[T], error) {
	var faults []error
	if m == nil {
		faults = append(faults, errors.New("there is no map to lift"))
	}
	if err := errors.Join(append(faults, validateUnit(unit))...); err != nil {
		return nil, err
	}
	return &Lift[T]{inner: m, unit: unit}, nil
}

func validateUnit(unit float64) error {
	if !(unit > 0) || math.IsInf(unit*unit, 0) || unit*unit == 0 {
		return fmt.Errorf("unit is %v and must be positive, with a square that is a number", unit)
	}
	return nil
}

// LiftKernel returns (K + u²)/(1 + u²), the kernel of Lift: a kernel if K is, and
// normalised if K is. It is a sum and a factor of package kernel, so that tiles
// are computed as fast as those of K.
func LiftKernel[T any](k kernel.Kernel[T], unit float64) (kernel.Kernel[T], error) {
	if k == nil {
		return nil, errors.Join(errors.New("no kernel is set"), validateUnit(unit))
	}
	if err := errors.Join(kernel.Validate(k), validateUnit(unit)); err != nil {
		return nil, err
	}
	return kernel.Scale(1/(1+unit*unit), kernel.Sum(k, kernel.Kernel[T](kernel.Constant[T]{Value: unit * unit}))), nil
}

// LiftMargin returns the margin of the lifted separator for an instance with
// |m(x)| = 1 that has margin ℓ·(⟨w, m(x)⟩ - b) = margin under a w of length 1:
//
//	margin / √((1 + u²)·(1 + b²/u²))
//
// exactly. It is largest for u = √|b|, margin/(1+|b|). At u = 1 it is at least
// margin/2, since |b| < 1 where there are instances of both labels. For vectors
// of length R divide margin, b and u by R.
func LiftMargin(margin, b, unit float64) float64 {
	return margin / (math.Hypot(1, unit) * math.Hypot(1, b/unit))
}

// Dim returns one more than the inner map's dimension.
func (m *Lift[T]) Dim() int { return m.inner.Dim() + 1 }

// Inner returns the map without the coordinate.
func (m *Lift[T]) Inner() Map[T] { return m.inner }

// Unit returns u.
func (m *Lift[T]) Unit() float64 { return m.unit }

// MapTo sets dst = (m(x), u)/√(1+u²).
func (m *Lift[T]) MapTo(dst []float64, x T) {
	d := m.inner.Dim()
	m.inner.MapTo(dst[:d], x)
	spread(dst[:d+1], 1, d, m.unit)
}

// MapBlock maps the instances of x into the rows of dst.
func (m *Lift[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	n, d := x.Len(), m.inner.Dim()
	if err := mapBlock(ctl, m.inner, dst[:n*d], x, first); err != nil {
		return err
	}
	spread(dst, n, d, m.unit)
	return nil
}

// MapBlock32 maps the instances of x into the rows of dst.
func (m *Lift[T]) MapBlock32(ctl run.Control, dst []float32, x data.Source[T], first int) error {
	n, d := x.Len(), m.inner.Dim()
	if err := mapBlock32(ctl, m.inner, dst[:n*d], x, first); err != nil {
		return err
	}
	spread(dst, n, d, m.unit)
	return nil
}

// spread moves n rows of d features that stand at the beginning of dst to n rows
// of d+1, from the last to the first so that none is overwritten before it has
// moved, and adds the coordinate.
func spread[F float32 | float64](dst []F, n, d int, unit float64) {
	length := math.Hypot(1, unit)
	scale, last := F(1/length), F(unit/length)
	for i := n - 1; i >= 0; i-- {
		row := dst[i*(d+1) : (i+1)*(d+1)]
		copy(row[:d], dst[i*d:(i+1)*d])
		vmath.Scale(row[:d], scale)
		row[d] = last
	}
}
