package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
)

// rawMapper is a map of the coordinates themselves, which looks at no kernel.
type rawMapper interface{ raw() bool }

func (None[T]) raw() bool    { return true }
func (Project[T]) raw() bool { return true }
func (Powers[T]) raw() bool  { return true }

func (r Lift[T]) raw() bool {
	m, err := r.inner()
	return err == nil && isRaw(m)
}

func isRaw[T any](m Mapper[T]) bool {
	r, ok := m.(rawMapper)
	return ok && r.raw()
}

// RawMap reports whether the map of a name, with some of its hyperparameters, looks at no
// kernel.
func RawMap(name string, args map[string]any) bool {
	m, err := NewMapper[data.Vector](name, args)
	return err == nil && isRaw(m)
}

// Project is the recipe of a random projection of the vectors themselves to Dim
// dimensions.
type Project[T any] struct {
	Dim        int    `json:"dim"`
	Projection string `json:"projection"` // a kind of package project; empty means gaussian
}

// NewProject returns the Gaussian projection to dim dimensions.
func NewProject[T any](dim int) Project[T] { return Project[T]{Dim: dim} }

// Name returns "project".
func (Project[T]) Name() string { return MapProject }

// WithDim returns the recipe with another number of dimensions.
func (r Project[T]) WithDim(d int) Mapper[T] { r.Dim = d; return r }

// Validate reports fields out of range.
func (r Project[T]) Validate() error {
	_, fault := project.Recall(projectionKind(r.Projection), max(r.Dim, 1), 1)
	return errors.Join(checkDim(r.Dim), named("Projection", fault))
}

// projectionKind returns a kind of projection, the Gaussian one where none is named.
func projectionKind(kind string) string {
	if kind == "" {
		return project.KindGaussian
	}
	return kind
}

// Fit draws the projection.
func (r Project[T]) Fit(_ context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(MapProject, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		return r.draw(data.Dim(p.X), p.Seed)
	})
}

func (r Project[T]) draw(width int, seed uint64) (feature.Map[data.Vector], error) {
	recipe, err := project.Recall(projectionKind(r.Projection), r.Dim, seed)
	if err != nil {
		return nil, err
	}
	a, err := recipe.Fit(width)
	if err != nil {
		return nil, err
	}
	return fitted[data.Vector](feature.NewProjected(a))
}

func (Project[T]) describe(m feature.Map[T], h *MapHeader) bool {
	p, ok := any(m).(feature.Projected)
	if ok {
		a := p.Projection()
		h.Width, h.Projection = a.In(), &ProjectionHeader{Kind: a.Kind(), Out: a.Out(), Seed: a.Seed()}
	}
	return ok
}

func (Project[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (Project[T]) open(f *File, _ kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	return openRaw[T](f, func(h MapHeader) (feature.Map[data.Vector], error) {
		if h.Projection == nil || h.Projection.Out != h.Dim {
			return nil, errors.New("its map project has no projection to its features")
		}
		return Project[T]{Dim: h.Dim, Projection: h.Projection.Kind}.draw(h.Width, h.Projection.Seed)
	})
}

// openRaw builds a map of the coordinates themselves.
func openRaw[T any](f *File, build func(MapHeader) (feature.Map[data.Vector], error)) (feature.Map[T], error) {
	linear, ok := any(kernel.Linear{}).(kernel.Kernel[T])
	if !ok {
		return nil, fmt.Errorf("its map %q is for vectors", f.Header.Map.Kind)
	}
	return openVectors(f, linear, func(_ kernel.Kernel[data.Vector], h MapHeader) (feature.Map[data.Vector], error) {
		return build(h)
	})
}

// Powers is the recipe of the powers 1, x, …, x^Degree of a single coordinate.
type Powers[T any] struct {
	Degree int `json:"degree"`
}

// NewPowers returns the powers up to a degree.
func NewPowers[T any](degree int) Powers[T] { return Powers[T]{Degree: degree} }

// Name returns "powers".
func (Powers[T]) Name() string { return MapPowers }

// mostPowers is a degree at which powers of all but a few numbers are 0, 1 or beyond
// float64.
const mostPowers = 10_000

// Validate reports a degree out of range.
func (r Powers[T]) Validate() error {
	if r.Degree < 0 || r.Degree > mostPowers {
		return outOfRange("Degree", r.Degree, fmt.Sprintf("from 0 to %d", mostPowers))
	}
	return nil
}

// Fit sees to it that there is one coordinate.
func (r Powers[T]) Fit(_ context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(MapPowers, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		if d := data.Dim(p.X); d > 1 {
			return nil, &SampleError{fmt.Sprintf("map powers is for a single coordinate and there are %d; "+
				"choose monomials with the kernel poly(degree=%d)", d, max(r.Degree, 1))}
		}
		return feature.NewPowers(r.Degree + 1), nil
	})
}

func (Powers[T]) describe(m feature.Map[T], h *MapHeader) bool {
	_, ok := any(m).(feature.Powers)
	if ok {
		h.Width = 1
	}
	return ok
}

func (Powers[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (Powers[T]) open(f *File, _ kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	return openRaw[T](f, func(h MapHeader) (feature.Map[data.Vector], error) {
		m := feature.NewPowers(h.Dim)
		return m, m.Validate()
	})
}
