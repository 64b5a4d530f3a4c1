package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Taylor is the recipe of the Gaussian kernel's own features, all monomials up to a
// degree: see feature.Taylor for what is cut off.
type Taylor[T any] struct {
	Degree int `json:"degree"`
}

// NewTaylor returns the expansion up to a degree.
func NewTaylor[T any](degree int) Taylor[T] { return Taylor[T]{Degree: degree} }

// Name returns "taylor".
func (Taylor[T]) Name() string { return MapTaylor }

// Validate reports a degree out of range.
func (r Taylor[T]) Validate() error {
	if r.Degree < 0 || r.Degree > mostPowers {
		return outOfRange("Degree", r.Degree, fmt.Sprintf("from 0 to %d", mostPowers))
	}
	return nil
}

// Fit lists the monomials.
func (r Taylor[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(MapTaylor, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		gauss, ok := p.Kernel.(kernel.Gaussian)
		if !ok {
			return nil, &SampleError{fmt.Sprintf("map taylor expands the kernel rbf and has %v", p.Kernel)}
		}
		return fitted[data.Vector](feature.NewTaylor(ctx, p.Run, gauss, data.Dim(p.X), r.Degree))
	})
}

func (Taylor[T]) describe(m feature.Map[T], h *MapHeader) bool {
	t, ok := any(m).(*feature.Taylor)
	if ok {
		h.Width, h.Degree = t.Width(), t.Degree()
	}
	return ok
}

func (Taylor[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (Taylor[T]) open(f *File, k kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	return openVectors(f, k, func(k kernel.Kernel[data.Vector], h MapHeader) (feature.Map[data.Vector], error) {
		gauss, ok := k.(kernel.Gaussian)
		if !ok {
			return nil, errors.New("its expansion is not of a Gaussian kernel")
		}
		// The features are as many as the monomials of a polynomial kernel of the degree.
		poly := kernel.Polynomial{Degree: max(h.Degree, 1), Coef: 1, Gamma: 1}
		d, err := feature.MonomialDim(poly, h.Width)
		if h.Degree == 0 {
			d = 1
		}
		if err != nil || d != h.Dim || h.Degree < 0 {
			return nil, fmt.Errorf("its map claims %d monomials up to degree %d of %d coordinates", h.Dim, h.Degree, h.Width)
		}
		return fitted[data.Vector](feature.NewTaylor(context.Background(), run.Control{}, gauss, h.Width, h.Degree))
	})
}
