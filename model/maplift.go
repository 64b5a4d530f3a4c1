package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// Lift is the recipe of another map with a bias coordinate: see feature.Lift.
type Lift[T any] struct {
	Dim  int     `json:"dim"`  // features of the other map
	Of   string  `json:"of"`   // its name: one whose dimension can be chosen
	Unit float64 `json:"unit"` // of the coordinate; 1 for features of length about 1
}

// NewLift returns mapping F2 of dim landmarks with a bias coordinate of 1.
func NewLift[T any](dim int) Lift[T] { return Lift[T]{Dim: dim, Of: MapF2, Unit: 1} }

// Name returns "lift".
func (Lift[T]) Name() string { return MapLift }

// WithDim returns the recipe with another number of features.
func (r Lift[T]) WithDim(d int) Mapper[T] { r.Dim = d; return r }

// inner returns the recipe of the other map.
func (r Lift[T]) inner() (Mapper[T], error) {
	if r.Of == MapLift || !SizedMap(r.Of) {
		return nil, outOfRange("Of", r.Of, "a map whose dimension can be chosen, such as f1, f2, f3 or project")
	}
	return NewMapper[T](r.Of, map[string]any{"dim": r.Dim})
}

// Validate reports fields out of range.
func (r Lift[T]) Validate() error {
	var faults []error
	if !(r.Unit*r.Unit > 0 && r.Unit > 0) || r.Unit*r.Unit-r.Unit*r.Unit != 0 {
		faults = append(faults, outOfRange("Unit", r.Unit, "positive, with a square that is a number"))
	}
	m, err := r.inner()
	if err == nil {
		err = m.Validate()
	}
	return errors.Join(append(faults, err)...)
}

// Fit fits the other map.
func (r Lift[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	inner, err := r.inner()
	if err != nil {
		return nil, err
	}
	m, err := inner.Fit(ctx, p)
	if err != nil {
		return nil, err
	}
	return fitted[T](feature.NewLift(m, r.Unit))
}

func (Lift[T]) describe(m feature.Map[T], h *MapHeader) bool {
	l, ok := m.(*feature.Lift[T])
	if !ok {
		return false
	}
	s, of := storerOf(l.Inner())
	if s == nil {
		return false
	}
	h.Unit, h.Of, h.Landmarks, h.Drawn = l.Unit(), &of, of.Landmarks, of.Drawn
	return true
}

func (Lift[T]) blobs(m feature.Map[T], kind Kind[T]) ([]blob, error) {
	inner := m.(*feature.Lift[T]).Inner()
	s, _ := storerOf(inner)
	return s.blobs(inner, kind)
}

func (Lift[T]) open(f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	h := f.Header.Map
	if h.Of == nil || h.Of.Kind == MapLift || h.Of.Dim != h.Dim-1 {
		return nil, fmt.Errorf("its map lift has no other map of %d features", h.Dim-1)
	}
	inside := *f
	inside.Header.Map = *h.Of
	m, err := openMap(&inside, k, kind)
	if err != nil {
		return nil, err
	}
	return fitted[T](feature.NewLift(m, h.Unit))
}
