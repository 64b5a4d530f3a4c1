package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// F2 is the recipe of mapping F2: the orthogonal projection onto the span of Dim
// landmarks in the kernel's space.
type F2[T any] struct {
	Dim    int               `json:"dim"`
	Select feature.Selection `json:"select"` // of landmarks; empty means uniform
	Rank   float64           `json:"rank"`   // relative tolerance of the rank
	Repair feature.Repair    `json:"repair"` // of a similarity that is no kernel; empty refuses it
}

// NewF2 returns mapping F2 of dim landmarks.
func NewF2[T any](dim int) F2[T] { return F2[T]{Dim: dim, Rank: feature.DefaultTolerance} }

// Name returns "f2".
func (F2[T]) Name() string { return MapF2 }

// WithDim returns the recipe with another number of landmarks.
func (r F2[T]) WithDim(d int) Mapper[T] { r.Dim = d; return r }

// Validate reports fields out of range.
func (r F2[T]) Validate() error {
	err := errors.Join(checkDim(r.Dim), named("Select", r.Select.Validate()))
	if r.Repair != "" && !slices.Contains(feature.Repairs, r.Repair) {
		err = errors.Join(err, outOfRange("Repair", r.Repair, "clip, flip or shift"))
	}
	return err
}

// Fit chooses the landmarks and factorises their Gram matrix.
func (r F2[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	f2 := r.feature(p)
	if r.Repair != "" {
		return fitted[T](feature.Repaired[T]{F2: f2, Repair: r.Repair}.Fit(ctx, p.X))
	}
	return fitted[T](f2.Fit(ctx, p.X))
}

func (r F2[T]) feature(p Problem[T]) feature.F2[T] {
	return feature.F2[T]{Kernel: p.Kernel, Size: r.Dim, Select: r.Select, Tolerance: r.Rank, Seed: p.Seed, Run: p.Run}
}

func (F2[T]) describe(m feature.Map[T], h *MapHeader) bool {
	switch m := m.(type) {
	case *feature.Orthogonal[T]:
		h.Landmarks, h.Drawn = m.Dim(), m.Drawn()
	case *feature.Spectral[T]:
		h.Landmarks, h.Repair = m.Landmarks().Dim(), string(m.Repair())
		h.Drawn = h.Landmarks
	default:
		return false
	}
	return true
}

func (F2[T]) blobs(m feature.Map[T], kind Kind[T]) ([]blob, error) {
	if s, ok := m.(*feature.Spectral[T]); ok {
		return landmarkBlobs(s.Landmarks(), kind, blob{"matrix", floats(s.Matrix().Data)})
	}
	return orthogonalBlobs(m.(*feature.Orthogonal[T]), kind)
}

func (F2[T]) open(f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	if f.Header.Map.Repair == "" {
		return fitted[T](openOrthogonal(f, k, kind))
	}
	h := f.Header.Map
	z, precision, err := openLandmarks(f, kind)
	if err != nil {
		return nil, err
	}
	values, err := numbers(f.blobs["matrix"])
	if err != nil {
		return nil, err
	}
	if h.Dim < 1 || z.Len() < 1 || len(values)/z.Len() != h.Dim || len(values)%z.Len() != 0 {
		return nil, fmt.Errorf("its matrix has %d entries for %d features of %d landmarks", len(values), h.Dim, z.Len())
	}
	m := &data.Matrix{Rows: h.Dim, Cols: z.Len(), Data: values}
	return feature.NewSpectral(k, z, m, feature.Repair(h.Repair), precision), nil
}

func orthogonalBlobs[T any](m *feature.Orthogonal[T], kind Kind[T]) ([]blob, error) {
	return landmarkBlobs(m.Landmarks(), kind, blob{"inverse", floats(triangle(m.Inverse()))})
}

func openOrthogonal[T any](f *File, k kernel.Kernel[T], kind Kind[T]) (*feature.Orthogonal[T], error) {
	z, precision, err := openLandmarks(f, kind)
	if err != nil {
		return nil, err
	}
	inverse, err := square(f.blobs["inverse"], z.Len())
	if err != nil {
		return nil, err
	}
	return feature.NewOrthogonal(k, z, f.Header.Map.Drawn, inverse, precision), nil
}
