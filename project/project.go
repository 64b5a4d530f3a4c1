// Package project holds random projections R^n → R^d that keep lengths, and so
// angles and margins, up to a small distortion:
//
//	x ↦ x·A/√d        A an n × d random matrix
//
// A recipe (Gaussian, Sign) says how the entries of A are drawn; its Fit
// returns a Projection, which holds the matrix. A projection is kept in files
// as its kind, shape and seed (Recall), never as its entries.
//
// How many coordinates are enough is in package bound.
package project

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// Recipe is a way to draw a projection. Recipes are small value types.
type Recipe interface {
	// Kind names the law of the entries: "gaussian" or "sign".
	Kind() string
	// Validate reports every parameter that is out of range.
	Validate() error
	// Fit draws the projection of vectors of in coordinates.
	Fit(in int) (*Projection, error)
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
	}
	return nil, fmt.Errorf("projection: there is no kind %q; the kinds are %q and %q", kind, KindGaussian, KindSign)
}

// Bytes returns the memory that a projection of the given shape takes: 8 bytes
// an entry.
func Bytes(in, out int) float64 { return 8 * float64(in) * float64(out) }

// Projection is x ↦ x·A/√d with A drawn. It is immutable and safe for
// concurrent use.
type Projection struct {
	kind   string
	seed   uint64
	matrix data.Matrix
}

// In returns n, the number of coordinates of the vectors that are projected.
func (p *Projection) In() int { return p.matrix.Rows }

// Out returns d, the number of coordinates of their images.
func (p *Projection) Out() int { return p.matrix.Cols }

// Kind names the law of the entries.
func (p *Projection) Kind() string { return p.kind }

// Seed returns the seed of the recipe.
func (p *Projection) Seed() uint64 { return p.seed }

// Matrix returns A/√d, n rows of d entries, so that the images of many vectors
// X are the product X·Matrix(). It is shared: it must not be written to.
func (p *Projection) Matrix() *data.Matrix { return &p.matrix }

// Apply writes x·A/√d into dst in O(n·d). It panics unless x has In and dst has
// Out coordinates. The two must not overlap.
func (p *Projection) Apply(dst, x []float64) {
	if len(x) != p.In() {
		panic("project: the vector has not In coordinates")
	}
	p.ApplyVector(dst, data.Vector{Value: x})
}

// ApplyVector is Apply for a vector that may be sparse, in O(d) a stored
// coordinate. A vector of fewer than In coordinates is padded with zeros, and
// coordinates past In are dropped. It panics unless dst has Out coordinates.
// For the same coordinates it gives the same bits as Apply.
func (p *Projection) ApplyVector(dst []float64, v data.Vector) {
	if len(dst) != p.Out() {
		panic("project: the destination has not Out coordinates")
	}
	clear(dst)
	for k, a := range v.Value {
		i := k
		if v.Index != nil {
			i = int(v.Index[k])
		}
		if i >= p.In() {
			return
		}
		// Entries are finite, so a zero adds nothing but perhaps the sign of
		// a zero; to skip it makes dense and sparse agree.
		if a != 0 {
			vmath.Axpy(dst, a, p.matrix.Row(i))
		}
	}
}

func (p *Projection) String() string {
	return fmt.Sprintf("%s projection from %d to %d, seed %d", p.kind, p.In(), p.Out(), p.seed)
}

// blockRows is how many rows of A come from one random stream. Like the
// numbers of the laws it is part of what a seed means and never changes.
const blockRows = 32

// law is a distribution of entries with mean 0 and variance 1.
type law struct {
	kind   string
	number uint64                            // sets the streams of the laws apart
	fill   func(row []float64, r *rand.Rand) // draws one entry after the other
}

// fit draws the n × d matrix block by block: entry (i, j) depends on the law,
// the seed, d and (i, j), and not on n.
func (l law) fit(in, out int, s uint64) (*Projection, error) {
	if err := errors.Join(validateIn(l.kind, in), validateDim(l.kind, out)); err != nil {
		return nil, err
	}
	if Bytes(in, out) > math.MaxInt/2 {
		return nil, fmt.Errorf("%s projection: a matrix of %d by %d does not fit into memory", l.kind, in, out)
	}
	p := &Projection{kind: l.kind, seed: s, matrix: *data.NewMatrix(in, out)}
	scale := 1 / math.Sqrt(float64(out))
	for lo := 0; lo < in; lo += blockRows {
		hi := min(lo+blockRows, in)
		block := p.matrix.Data[lo*out : hi*out]
		l.fill(block, seed.Stream(s, seed.Projection, l.number<<48|uint64(lo/blockRows)))
		vmath.Scale(block, scale)
	}
	return p, nil
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
