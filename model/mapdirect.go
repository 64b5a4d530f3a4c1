package model

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
)

// Direct is the recipe of the direct method: F2 with all rows as landmarks, and a
// random projection to Dim dimensions where one is named.
type Direct[T any] struct {
	Dim        int     `json:"dim"`        // of the projection; 0 for none
	Projection string  `json:"projection"` // a kind of package project; empty for gaussian where there is a Dim
	Rank       float64 `json:"rank"`       // relative tolerance of the rank
}

// NewDirect returns the direct method without a projection.
func NewDirect[T any]() Direct[T] { return Direct[T]{Rank: feature.DefaultTolerance} }

// Name returns "direct".
func (Direct[T]) Name() string { return MapDirect }

// Validate reports fields out of range.
func (r Direct[T]) Validate() error {
	var err error
	if r.Dim < 0 {
		err = outOfRange("Dim", r.Dim, "at least 0, for no projection")
	}
	if r.Projection != "" && r.Dim == 0 {
		err = errors.Join(err, outOfRange("Projection", r.Projection, "empty without a Dim to project to"))
	}
	_, fault := project.Recall(projectionKind(r.Projection), max(r.Dim, 1), 1)
	return errors.Join(err, named("Projection", fault))
}

// Fit places all rows.
func (r Direct[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	direct := feature.Direct[T]{Kernel: p.Kernel, Tolerance: r.Rank, Run: p.Run}
	if r.Dim > 0 {
		var err error
		if direct.Projection, err = project.Recall(projectionKind(r.Projection), r.Dim, p.Seed); err != nil {
			return nil, err
		}
	}
	return direct.Fit(ctx, p.X)
}

// describe knows no map: what is fitted is an F2 or an F3, and stored as such.
func (Direct[T]) describe(feature.Map[T], *MapHeader) bool { return false }

func (Direct[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (Direct[T]) open(*File, kernel.Kernel[T], Kind[T]) (feature.Map[T], error) {
	return nil, errors.New("its map direct is stored as no such map: it would be f2 or f3")
}
