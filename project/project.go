// Package project holds random projections R^n → R^d that keep lengths, and so
// angles and margins, up to a small distortion. All are linear, x ↦ x·A with A an
// n × d random matrix scaled so that the mean of |x·A|² is |x|²:
//
//	Gaussian     independent normal entries
//	Sign         independent entries ±1/√d
//	Orthogonal   part of a random rotation, scaled
//	Sparse       independent entries, most of them 0
//	Hadamard     random signs, a fast rotation, a random choice of coordinates
//
// A recipe says how A is drawn; its Fit returns a Projection. A projection is
// kept in files as its kind, shape and seed (Recall), never as its entries.
//
// The cost of an image of a dense vector, the bytes that a projection holds, and
// whether theorem 2 of Blum's survey (bound.DistortionFailure) holds for every
// vector, with N the power of two from n on:
//
//	Gaussian     n·d              8·n·d       yes
//	Sign         n·d              8·n·d       yes
//	Orthogonal   n·d              8·n·d       yes
//	Sparse       Density·n·d      8·Density·n·d   from a density of 1/3 on
//	Hadamard     N·log2(N) + d    12·n + 8·d  no; with log factors in d
//
// docs/math/projection.md has the proofs and what is measured. How many
// coordinates are enough is in package bound.
package project

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Recipe is a way to draw a projection. Recipes are small value types.
type Recipe interface {
	// Kind names the law of A, with all that Recall needs beside the shape
	// and the seed.
	Kind() string
	// Validate reports every parameter that is out of range.
	Validate() error
	// Fit draws the projection of vectors of in coordinates.
	Fit(in int) (*Projection, error)
}

// Kinds returns the names of the kinds that Recall takes, but for sparse
// projections of a chosen density, which are named like "sparse:0.05".
func Kinds() []string {
	return []string{KindGaussian, KindSign, KindOrthogonal, KindAchlioptas, KindSparse, KindHadamard}
}

// Recall returns the recipe of a kind, as Projection.Kind names it, so that
//
//	Recall(p.Kind(), p.Out(), p.Seed()) then Fit(p.In())
//
// gives p again, entry for entry.
func Recall(kind string, dim int, s uint64) (Recipe, error) {
	switch kind {
	case KindGaussian:
		return Gaussian{Dim: dim, Seed: s}, nil
	case KindSign:
		return Sign{Dim: dim, Seed: s}, nil
	case KindOrthogonal:
		return Orthogonal{Dim: dim, Seed: s}, nil
	case KindAchlioptas:
		return NewAchlioptas(dim, s), nil
	case KindSparse:
		return NewSparse(dim, s), nil
	case KindHadamard:
		return Hadamard{Dim: dim, Seed: s}, nil
	}
	if text, ok := strings.CutPrefix(kind, KindSparse+":"); ok {
		density, err := strconv.ParseFloat(text, 64)
		if err == nil {
			err = validateDensity(kind, density)
		}
		if err != nil {
			return nil, fmt.Errorf("projection: the density of kind %q must be above 0 and at most 1", kind)
		}
		return Sparse{Dim: dim, Density: density, Seed: s}, nil
	}
	return nil, fmt.Errorf("projection: there is no kind %q; the kinds are %s", kind, strings.Join(Kinds(), ", "))
}

// Bytes returns the memory that the matrix of a projection of the given shape
// takes: 8 bytes an entry.
func Bytes(in, out int) float64 { return 8 * float64(in) * float64(out) }

// Projection is x ↦ x·A with A drawn. It is immutable and safe for concurrent
// use.
type Projection struct {
	kind    string
	seed    uint64
	in, out int
	form
}

// A form is what a projection computes with. Images of single vectors and of
// blocks agree as Projection.Map says.
type form interface {
	// matrix returns A.
	matrix() *data.Matrix
	// apply writes the image of v into dst, which has the right length.
	apply(dst []float64, v data.Vector)
	// mapper64 and mapper32 prepare for the images of many vectors.
	mapper64() mapper[float64]
	mapper32() mapper[float32]
}

// In returns n, the number of coordinates of the vectors that are projected.
func (p *Projection) In() int { return p.in }

// Out returns d, the number of coordinates of their images.
func (p *Projection) Out() int { return p.out }

// Kind names the law of A, as Recall takes it.
func (p *Projection) Kind() string { return p.kind }

// Seed returns the seed of the recipe.
func (p *Projection) Seed() uint64 { return p.seed }

// Matrix returns A, n rows of d entries, so that the images of many vectors X
// are the product X·Matrix(). It may be shared: it must not be written to. For
// Sparse and Hadamard, which do not hold it, it is made at every call, in
// O(n·d).
func (p *Projection) Matrix() *data.Matrix { return p.matrix() }

// Apply writes x·A into dst. It panics unless x has In and dst has Out
// coordinates. The two must not overlap.
func (p *Projection) Apply(dst, x []float64) {
	if len(x) != p.in {
		panic("project: the vector has not In coordinates")
	}
	p.ApplyVector(dst, data.Vector{Value: x})
}

// ApplyVector is Apply for a vector that may be sparse; but for Hadamard it
// takes time only for its stored coordinates. A vector of fewer than In
// coordinates is padded with zeros, and coordinates past In are dropped. It
// panics unless dst has Out coordinates. For the same coordinates it gives the
// same bits as Apply.
func (p *Projection) ApplyVector(dst []float64, v data.Vector) {
	if len(dst) != p.out {
		panic("project: the destination has not Out coordinates")
	}
	p.apply(dst, v)
}

func (p *Projection) String() string {
	return fmt.Sprintf("%s projection from %d to %d, seed %d", p.kind, p.in, p.out, p.seed)
}

// The numbers of the laws set their random streams apart. Like the block sizes
// they are part of what a seed means and never change.
const (
	lawGaussian uint64 = iota
	lawSign
	lawOrthogonal
	lawSparse
	lawHadamard
)

// stream is the number of a block's stream.
func stream(law uint64, block int) uint64 { return law<<48 | uint64(block) }

// check reports a shape that cannot be, or whose projection of so many bytes
// would not fit into memory.
func check(kind string, in, out int, bytes float64) error {
	if err := errors.Join(validateIn(kind, in), validateDim(kind, out)); err != nil {
		return err
	}
	if bytes < 1<<26 { // not worth to ask
		return nil
	}
	return run.Control{}.Reserve(fmt.Sprintf("%s projection from %d to %d", kind, in, out), bytes,
		"choose a lower dimension")
}

func validateDim(kind string, dim int) error {
	if dim < 1 {
		return fmt.Errorf("%s projection: dim is %d and must be at least 1", kind, dim)
	}
	return nil
}

func validateIn(kind string, in int) error {
	if in < 0 {
		return fmt.Errorf("%s projection: the input has %d coordinates and must have 0 or more", kind, in)
	}
	return nil
}
