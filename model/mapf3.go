package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// F3 is the recipe of mapping F3: F2 of Landmarks landmarks, then a random
// projection to Dim dimensions.
type F3[T any] struct {
	Dim        int               `json:"dim"`
	Landmarks  int               `json:"landmarks"`
	Projection string            `json:"projection"` // a kind of package project; empty means gaussian
	Select     feature.Selection `json:"select"`     // of landmarks; empty means uniform
	Rank       float64           `json:"rank"`       // relative tolerance of the rank
}

// NewF3 returns mapping F3 of dim dimensions and four landmarks for each.
func NewF3[T any](dim int) F3[T] {
	return F3[T]{Dim: dim, Landmarks: 4 * dim, Rank: feature.DefaultTolerance}
}

// Name returns "f3".
func (F3[T]) Name() string { return MapF3 }

// WithDim returns the recipe with another number of dimensions, and four landmarks
// for each.
func (r F3[T]) WithDim(d int) Mapper[T] { r.Dim, r.Landmarks = d, 4*d; return r }

// Validate reports fields out of range.
func (r F3[T]) Validate() error {
	err := errors.Join(checkDim(r.Dim), named("Select", r.Select.Validate()))
	if r.Landmarks < 1 {
		err = errors.Join(err, outOfRange("Landmarks", r.Landmarks, "at least 1"))
	}
	_, fault := project.Recall(projectionKind(r.Projection), max(r.Dim, 1), 1)
	return errors.Join(err, named("Projection", fault))
}

// Fit fits F2 and draws the projection.
func (r F3[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	projection, err := project.Recall(projectionKind(r.Projection), r.Dim, p.Seed)
	if err != nil {
		return nil, err
	}
	f2 := F2[T]{Dim: r.Landmarks, Select: r.Select, Rank: r.Rank}
	return fitted[T](feature.NewF3(f2.feature(p), projection).Fit(ctx, p.X))
}

func (F3[T]) describe(m feature.Map[T], h *MapHeader) bool {
	f3, ok := m.(*feature.Compressed[T])
	if ok {
		f2, a := f3.Orthogonal(), f3.Projection()
		h.Landmarks, h.Drawn = f2.Dim(), f2.Drawn()
		h.Projection = &ProjectionHeader{Kind: a.Kind(), Out: a.Out(), Seed: a.Seed()}
	}
	return ok
}

func (F3[T]) blobs(m feature.Map[T], kind Kind[T]) ([]blob, error) {
	return orthogonalBlobs(m.(*feature.Compressed[T]).Orthogonal(), kind)
}

func (F3[T]) open(f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	h := f.Header.Map.Projection
	if h == nil {
		return nil, errors.New("its map f3 has no projection")
	}
	f2, err := openOrthogonal(f, k, kind)
	if err != nil {
		return nil, err
	}
	// Each weight of a separator is stored, so a projection to more
	// dimensions than there are weights is not from this file.
	if h.Out > f.claim() {
		return nil, fmt.Errorf("its projection claims %d dimensions", h.Out)
	}
	recipe, err := project.Recall(h.Kind, h.Out, h.Seed)
	if err != nil {
		return nil, err
	}
	a, err := recipe.Fit(f2.Dim())
	if err != nil {
		return nil, err
	}
	return fitted[T](feature.NewCompressed(context.Background(), run.Control{}, f2, a))
}
