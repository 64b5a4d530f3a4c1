package margin

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Separator is x ↦ sign(W·x + Bias·Unit): a halfspace through the origin of
// the space that has one more coordinate, in which every instance has the
// value Unit and the separator the weight Bias. Margins are taken there:
//
//	y·(W·x + Bias·Unit) / (√(|W|² + Bias²) · √(|x|² + Unit²))
//
// which is Of with Bias appended to W and Unit to x. With Unit 0 there is no
// such coordinate: Bias is not read, and margins are those of definition 1 as
// it stands.
//
// The zero Separator gives margin 0 everywhere. A Separator is a value that
// shares W; it is safe for concurrent use while nobody writes to W.
type Separator struct {
	W    []float64
	Bias float64
	Unit float64
}

// Score returns W·x + Bias·Unit, in O(stored coordinates of x).
func (s Separator) Score(x data.Vector) float64 {
	if s.Unit == 0 {
		return x.DotWith(s.W)
	}
	return x.DotWith(s.W) + s.Bias*s.Unit
}

// Norm returns √(|W|² + Bias²), or |W| where Unit is 0.
func (s Separator) Norm() float64 { return length(s.weights()) }

// Of returns the margin of the instance x with label y, +1 or -1. It is 0
// where W and Bias or x and Unit are zero, and -1, never NaN, where any of them
// is not finite. It takes O(len(W)), for |W|; Sample computes that once.
func (s Separator) Of(x data.Vector, y float64) float64 {
	return s.of(x, y, s.Norm())
}

// Sample returns the margins of the instances x with labels y, in
// O(stored coordinates) on all cores. It returns an error unless there is a
// label for each instance, every label is +1 or -1, and all is finite.
func (s Separator) Sample(
	ctx context.Context, ctl run.Control, x data.Source[data.Vector], y []float64,
) (Margins, error) {
	if x.Len() != len(y) {
		return nil, fmt.Errorf("margins: %d instances and %d labels", x.Len(), len(y))
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("margins: %w", err)
	}
	norm, n, m := s.Norm(), len(y), make(Margins, len(y))
	err := par.For(ctx, ctl, "margins", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			if y[i] != 1 && y[i] != -1 {
				return fmt.Errorf("margins: label %d is %v and must be +1 or -1", i, y[i])
			}
			v := x.At(i)
			if !v.Finite() {
				return fmt.Errorf("margins: instance %d has a value that is not finite", i)
			}
			m[i] = s.of(v, y[i], norm)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(m)
	return m, nil
}

// blockRows is how many instances a worker takes at a time.
const blockRows = 256

// check reports a weight, bias or unit that is not finite.
func (s Separator) check() error {
	if j := vmath.Finite(s.W); j >= 0 {
		return fmt.Errorf("weight %d of the separator is %v", j, s.W[j])
	}
	if _, bias := s.weights(); !finite(bias) || !finite(s.Unit) {
		return fmt.Errorf("the separator has bias %v and unit %v", s.Bias, s.Unit)
	}
	return nil
}

// weights returns the separator as a vector and its additional coordinate.
func (s Separator) weights() (data.Vector, float64) {
	if s.Unit == 0 {
		return data.Vector{Value: s.W}, 0
	}
	return data.Vector{Value: s.W}, s.Bias
}

// of is Of with Norm given.
func (s Separator) of(x data.Vector, y, norm float64) float64 {
	m, ok := cosine(s.Score(x), norm, length(x, s.Unit))
	if !ok {
		w, bias := s.weights()
		m = scaledCosine(w, bias, x, s.Unit)
	}
	return clamp(y * m)
}
