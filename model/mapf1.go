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

// F1 is the recipe of mapping F1: the similarities to Dim landmarks.
type F1[T any] struct {
	Dim    int               `json:"dim"`
	Select feature.Selection `json:"select"` // of landmarks; empty means uniform
}

// NewF1 returns mapping F1 of dim landmarks.
func NewF1[T any](dim int) F1[T] { return F1[T]{Dim: dim} }

// Name returns "f1".
func (F1[T]) Name() string { return MapF1 }

// WithDim returns the recipe with another number of landmarks.
func (r F1[T]) WithDim(d int) Mapper[T] { r.Dim = d; return r }

// Validate reports fields out of range.
func (r F1[T]) Validate() error {
	return errors.Join(checkDim(r.Dim), named("Select", r.Select.Validate()))
}

// Fit chooses the landmarks.
func (r F1[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	return fitted[T](feature.F1[T]{Kernel: p.Kernel, Size: r.Dim, Select: r.Select, Seed: p.Seed, Run: p.Run}.Fit(ctx,
		p.X))
}

func (F1[T]) describe(m feature.Map[T], h *MapHeader) bool {
	f1, ok := m.(*feature.Landmarks[T])
	if ok {
		h.Landmarks = f1.Dim()
	}
	return ok
}

func (F1[T]) blobs(m feature.Map[T], kind Kind[T]) ([]blob, error) {
	return landmarkBlobs(m.(*feature.Landmarks[T]), kind)
}

func (F1[T]) open(f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	z, precision, err := openLandmarks(f, kind)
	if err != nil {
		return nil, err
	}
	return feature.NewLandmarks(k, z, precision), nil
}

// landmarkBlobs stores landmarks, and whatever numbers come after them.
func landmarkBlobs[T any](m *feature.Landmarks[T], kind Kind[T], rest ...blob) ([]blob, error) {
	stored := kind.Encode(m.Instances())
	if _, err := kind.Decode(stored); err != nil {
		return nil, fmt.Errorf("the landmarks cannot be stored: %w", err)
	}
	return append([]blob{{"landmarks", stored}}, rest...), nil
}

func openLandmarks[T any](f *File, kind Kind[T]) (data.Source[T], run.Precision, error) {
	z, err := kind.Decode(f.blobs["landmarks"])
	if err != nil {
		return nil, run.Float64, err
	}
	precision, err := run.ParsePrecision(f.Header.Precision)
	return z, precision, err
}

// named adds the field's name to a fault.
func named(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}
