package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// Kinds of maps in files and on the command line.
const (
	MapF1        = "f1"        // similarities to landmarks
	MapF2        = "f2"        // orthogonal projection onto the landmarks' span
	MapF3        = "f3"        // f2, then a random projection
	MapFourier   = "fourier"   // random Fourier features
	MapORF       = "orf"       // orthogonal random Fourier features
	MapSketch    = "sketch"    // TensorSketch of a polynomial kernel
	MapMonomials = "monomials" // all monomials of a polynomial kernel
	MapNone      = "none"      // the coordinates themselves
)

// MapKinds are the kinds of maps that a recipe takes.
var MapKinds = []string{MapF1, MapF2, MapF3, MapFourier, MapORF, MapSketch, MapMonomials, MapNone}

// HasLandmarks reports whether maps of the kind are made from landmarks.
func HasLandmarks(kind string) bool { return slices.Contains([]string{MapF1, MapF2, MapF3}, kind) }

// validateMap reports fields of the map that are out of range.
func (r Recipe[T]) validateMap() []error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !slices.Contains(MapKinds, r.Map) {
		fault("Map is %q and must be one of %s", r.Map, strings.Join(MapKinds, ", "))
	}
	if r.Auto != nil {
		for _, kind := range r.Auto.Maps {
			if !slices.Contains(MapKinds, kind) || r.traits().Kernel || r.Repair != "" {
				fault("Auto.Maps has %q and must have some of %s, of a learner of features and without Repair", kind, strings.Join(MapKinds, ", "))
			}
		}
	}
	if r.Map != MapNone && r.Map != MapMonomials && r.Dim < 1 {
		fault("Dim is %d and must be at least 1", r.Dim)
	}
	if r.Repair != "" && (r.Map != MapF2 || !slices.Contains(feature.Repairs, feature.Repair(r.Repair))) {
		fault("Repair is %q with map %s and must be clip, flip or shift with map f2", r.Repair, r.Map)
	}
	if r.Map == MapF3 && r.Landmarks < 1 {
		fault("Landmarks is %d and must be at least 1", r.Landmarks)
	}
	if r.Claim != nil {
		claim := *r.Claim
		if claim.Margin == 0 {
			claim.Margin = 1 // one will be chosen
		}
		if r.Map != MapF2 && r.Map != MapF3 || r.Repair != "" {
			fault("Claim is set with map %s and must be with f2 or f3, of a kernel", r.Map)
		}
		if err := claim.Validate(); err != nil {
			fault("Claim: %w", err)
		}
	}
	if err := r.Select.Validate(); err != nil {
		fault("Select: %w", err)
	}
	if _, err := project.Recall(r.projection(), max(r.Dim, 1), r.Seed); err != nil {
		fault("Projection: %w", err)
	}
	return faults
}

// projection returns the kind of f3's projection.
func (r Recipe[T]) projection() string {
	if r.Projection == "" {
		return project.KindGaussian
	}
	return r.Projection
}

// FitMap fits the map of the recipe alone. It uses no labels.
func (r Recipe[T]) FitMap(ctx context.Context, x data.Source[T]) (feature.Map[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r.fitMap(ctx, x)
}

// fitMap fits the map of the recipe.
func (r Recipe[T]) fitMap(ctx context.Context, x data.Source[T]) (feature.Map[T], error) {
	f2 := feature.F2[T]{Kernel: r.Kernel, Size: r.Dim, Select: r.Select, Tolerance: r.Rank, Seed: r.Seed, Run: r.Run}
	switch {
	case r.Map == MapF1:
		return fitted[T](feature.F1[T]{Kernel: r.Kernel, Size: r.Dim, Select: r.Select, Seed: r.Seed, Run: r.Run}.Fit(ctx, x))
	case r.Repair != "":
		return fitted[T](feature.Repaired[T]{F2: f2, Repair: feature.Repair(r.Repair)}.Fit(ctx, x))
	case r.Map == MapF2:
		return fitted[T](f2.Fit(ctx, x))
	case r.Map == MapF3:
		f2.Size = r.Landmarks
		projection, err := project.Recall(r.projection(), r.Dim, r.Seed)
		if err != nil {
			return nil, err
		}
		return fitted[T](feature.NewF3(f2, projection).Fit(ctx, x))
	}
	vectors, ok := any(x).(data.Source[data.Vector])
	if !ok {
		return nil, &SampleError{fmt.Sprintf("map %s is for vectors alone; choose f1, f2 or f3", r.Map)}
	}
	k, _ := any(r.Kernel).(kernel.Kernel[data.Vector])
	m, err := r.fitVectors(ctx, k, data.Dim(vectors))
	if err != nil {
		return nil, err
	}
	return any(m).(feature.Map[T]), nil
}

// fitted returns a map as the interface, which is nil where there is an error.
func fitted[T any, M feature.Map[T]](m M, err error) (feature.Map[T], error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// rankOf returns the rank of the landmarks' Gram matrix, 0 where none is
// factorised.
func rankOf[T any](m feature.Map[T]) int {
	if f2 := orthogonalOf(m); f2 != nil {
		return f2.Dim()
	}
	if repaired, ok := any(m).(*feature.Spectral[T]); ok {
		return repaired.Dim()
	}
	return 0
}

// fitVectors returns the map of vectors of a width that does not look at them.
func (r Recipe[T]) fitVectors(ctx context.Context, k kernel.Kernel[data.Vector], width int) (feature.Map[data.Vector], error) {
	switch r.Map {
	case MapNone:
		return feature.Identity{Width: width}, nil
	case MapMonomials:
		return monomials(ctx, r, k, width)
	}
	kind := map[string]string{MapFourier: feature.KindFourier, MapORF: feature.KindOrthogonalFourier, MapSketch: feature.KindTensorSketch}[r.Map]
	m, err := feature.RecallOblivious(ctx, r.Run, feature.Oblivious{Kind: kind, Kernel: k, Dim: r.Dim, Width: width, Seed: r.Seed})
	var memory *run.MemoryError
	if err != nil && ctx.Err() == nil && !errors.As(err, &memory) {
		return nil, &SampleError{err.Error()} // the kernel is none of those that the map is for
	}
	return fitted[data.Vector](m, err)
}

func monomials[T any](ctx context.Context, r Recipe[T], k kernel.Kernel[data.Vector], width int) (feature.Map[data.Vector], error) {
	poly, ok := k.(kernel.Polynomial)
	if !ok {
		return nil, &SampleError{"monomials are the features of a polynomial kernel, such as poly(degree=2,coef=1)"}
	}
	return fitted[data.Vector](feature.NewMonomials(ctx, r.Run, poly, width))
}
