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

// Oblivious is the recipe of a map of vectors that does not look at them: Dim
// random features of a kernel that has such.
type Oblivious[T any] struct {
	Dim int `json:"dim"`

	name, kind string // of the map, and of package feature
}

// NewFourier returns random Fourier features of a Gaussian or Laplacian kernel.
func NewFourier[T any](dim int) Oblivious[T] {
	return Oblivious[T]{Dim: dim, name: MapFourier, kind: feature.KindFourier}
}

// NewORF returns orthogonal random Fourier features.
func NewORF[T any](dim int) Oblivious[T] {
	return Oblivious[T]{Dim: dim, name: MapORF, kind: feature.KindOrthogonalFourier}
}

// NewSketch returns the TensorSketch of a polynomial kernel.
func NewSketch[T any](dim int) Oblivious[T] {
	return Oblivious[T]{Dim: dim, name: MapSketch, kind: feature.KindTensorSketch}
}

// Name returns the name of the map.
func (r Oblivious[T]) Name() string { return r.name }

// WithDim returns the recipe with another number of features.
func (r Oblivious[T]) WithDim(d int) Mapper[T] { r.Dim = d; return r }

// Validate reports fields out of range.
func (r Oblivious[T]) Validate() error { return checkDim(r.Dim) }

// Fit draws the features.
func (r Oblivious[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(r.name, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		return r.draw(ctx, p.Run, p.Kernel, data.Dim(p.X), p.Seed)
	})
}

func (r Oblivious[T]) draw(
	ctx context.Context, ctl run.Control, k kernel.Kernel[data.Vector], width int, seed uint64,
) (feature.Map[data.Vector], error) {
	m, err := feature.RecallOblivious(ctx, ctl, feature.Oblivious{Kind: r.kind, Kernel: k, Dim: r.Dim, Width: width,
		Seed: seed})
	var memory *run.MemoryError
	if err != nil && ctx.Err() == nil && !errors.As(err, &memory) {
		return nil, &SampleError{err.Error()} // the kernel is none of those that the map is for
	}
	return fitted[data.Vector](m, err)
}

func (r Oblivious[T]) describe(m feature.Map[T], h *MapHeader) bool {
	o, ok := any(m).(feature.ObliviousMap)
	if !ok || o.Shape().Kind != r.kind {
		return false
	}
	h.Width, h.Seed = o.Shape().Width, o.Shape().Seed
	return true
}

func (Oblivious[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (r Oblivious[T]) open(f *File, k kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	return openVectors(f, k, func(k kernel.Kernel[data.Vector], h MapHeader) (feature.Map[data.Vector], error) {
		r.Dim = h.Dim
		return r.draw(context.Background(), run.Control{}, k, h.Width, h.Seed)
	})
}

// openVectors builds a map of vectors that is not made from landmarks.
func openVectors[T any](
	f *File, k kernel.Kernel[T], build func(kernel.Kernel[data.Vector], MapHeader) (feature.Map[data.Vector], error),
) (feature.Map[T], error) {
	h := f.Header.Map
	vectors, ok := any(k).(kernel.Kernel[data.Vector])
	if !ok {
		return nil, fmt.Errorf("its map %q is for vectors", h.Kind)
	}
	// Each feature has a stored weight; what a map takes to build for each of
	// them grows with the width.
	if h.Dim > f.claim() || h.Width < 0 || h.Width > maxEntries || h.Dim*h.Width > maxEntries {
		return nil, fmt.Errorf("its map claims %d features of %d coordinates", h.Dim, h.Width)
	}
	m, err := build(vectors, h)
	if err != nil {
		return nil, err
	}
	return any(m).(feature.Map[T]), nil
}

// Monomials is the recipe of all monomials of a polynomial kernel, in which it is
// an inner product.
type Monomials[T any] struct{}

// Name returns "monomials".
func (Monomials[T]) Name() string { return MapMonomials }

// Validate has nothing to report.
func (Monomials[T]) Validate() error { return nil }

// Fit lists the monomials.
func (Monomials[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(MapMonomials, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		poly, ok := p.Kernel.(kernel.Polynomial)
		if !ok {
			return nil, &SampleError{"monomials are the features of a polynomial kernel, such as poly(degree=2,coef=1)"}
		}
		return fitted[data.Vector](feature.NewMonomials(ctx, p.Run, poly, data.Dim(p.X)))
	})
}

func (Monomials[T]) describe(m feature.Map[T], h *MapHeader) bool {
	all, ok := any(m).(*feature.Monomials)
	if ok {
		h.Width = all.Width()
	}
	return ok
}

func (Monomials[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (Monomials[T]) open(f *File, k kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	return openVectors(f, k, func(k kernel.Kernel[data.Vector], h MapHeader) (feature.Map[data.Vector], error) {
		poly, ok := k.(kernel.Polynomial)
		if !ok {
			return nil, errors.New("its monomials are not of a polynomial kernel")
		}
		if d, err := feature.MonomialDim(poly, h.Width); err != nil || d != h.Dim {
			return nil, fmt.Errorf("its map claims %d monomials of %d coordinates", h.Dim, h.Width)
		}
		return fitted[data.Vector](feature.NewMonomials(context.Background(), run.Control{}, poly, h.Width))
	})
}

// None is the recipe of no map: the features are the coordinates themselves.
type None[T any] struct{}

// Name returns "none".
func (None[T]) Name() string { return MapNone }

// Validate has nothing to report.
func (None[T]) Validate() error { return nil }

// Fit counts the coordinates.
func (None[T]) Fit(_ context.Context, p Problem[T]) (feature.Map[T], error) {
	return onVectors(MapNone, p, func(p Problem[data.Vector]) (feature.Map[data.Vector], error) {
		return feature.Identity{Width: data.Dim(p.X)}, nil
	})
}

func (None[T]) describe(m feature.Map[T], _ *MapHeader) bool { return isIdentity(m) }

func (None[T]) blobs(feature.Map[T], Kind[T]) ([]blob, error) { return nil, nil }

func (None[T]) open(f *File, _ kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	m, ok := any(feature.Identity{Width: f.Header.Map.Dim}).(feature.Map[T])
	if !ok {
		return nil, fmt.Errorf("%s need a kernel and a map", kind.Name())
	}
	return m, nil
}
