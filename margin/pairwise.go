package margin

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// OfClasses returns the margin of an instance x of the given class under one
// separator a class:
//
//	min over j ≠ y of (w_y - w_j)·x / (|w_y - w_j|·|x|)
//
// the smallest of the margins of x under the separators of its class from each
// other one. It is positive where w_y·x is the largest of all w_j·x. For two
// classes with w_1 = -w_0 it is definition 1. A pair with the same weights, or
// a zero x, gives 0; fewer than two classes give 0. It panics unless class is
// an index of w.
//
// It takes O(classes·coordinates) and allocates; Pairwise is for many instances.
func OfClasses(w [][]float64, x data.Vector, class int) float64 {
	if class < 0 || class >= len(w) {
		panic("margin: there is no such class")
	}
	if len(w) < 2 {
		return 0
	}
	lowest := 1.0
	for j := range w {
		if j != class {
			lowest = min(lowest, Of(difference(w[class], w[j]), x, 1))
		}
	}
	return lowest
}

// Pairwise holds one separator a class and the lengths |w_i - w_j| of all
// pairs, for margins as OfClasses defines them. It is immutable, shares the
// weights, and is safe for concurrent use.
type Pairwise struct {
	separators []Separator
	norms      []float64 // |w_i - w_j| at i·classes + j
}

// NewPairwise returns the separators of the classes 0, 1, … with the lengths of
// their differences, in O(classes²·coordinates). It keeps the weights. It
// reports fewer than two classes, separators with different units, and
// whatever is not finite.
func NewPairwise(separators []Separator) (*Pairwise, error) {
	k := len(separators)
	if k < 2 {
		return nil, fmt.Errorf("margins: %d classes, and it takes two to be separated", k)
	}
	var faults []error
	for c, s := range separators {
		if err := s.check(); err != nil {
			faults = append(faults, fmt.Errorf("margins: class %d: %w", c, err))
		}
		if s.Unit != separators[0].Unit {
			faults = append(faults, fmt.Errorf("margins: class %d has unit %v and class 0 has %v", c, s.Unit, separators[0].Unit))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	p := &Pairwise{separators: append([]Separator(nil), separators...), norms: make([]float64, k*k)}
	for i := range k {
		for j := range i {
			pair := p.pair(i, j)
			if err := pair.check(); err != nil {
				return nil, fmt.Errorf("margins: classes %d and %d differ by more than a number holds: %w", i, j, err)
			}
			norm := pair.Norm()
			p.norms[i*k+j], p.norms[j*k+i] = norm, norm
		}
	}
	return p, nil
}

// Classes returns the number of classes.
func (p *Pairwise) Classes() int { return len(p.separators) }

// Of returns the margin of an instance x of the given class, as OfClasses does,
// in O(classes · stored coordinates of x). It returns -1, never NaN, where x is
// not finite, and panics unless there is such a class.
func (p *Pairwise) Of(x data.Vector, class int) float64 {
	k := p.Classes()
	if class < 0 || class >= k {
		panic("margin: there is no such class")
	}
	lowest, norm := 1.0, length(x, p.separators[0].Unit)
	own := p.separators[class].Score(x)
	for j, s := range p.separators {
		if j == class {
			continue
		}
		m, ok := cosine(own-s.Score(x), p.norms[class*k+j], norm)
		if !ok {
			m = p.pair(class, j).Of(x, 1)
		}
		lowest = min(lowest, clamp(m))
	}
	return lowest
}

// OfScores returns the margin of an instance of the given class whose scores
// under all classes are known, in O(classes): norm is the length of the
// instance, √(|x|² + Unit²). It returns 0 where that is zero, and panics unless
// there is a score for each class and such a class.
func (p *Pairwise) OfScores(scores []float64, norm float64, class int) float64 {
	k := p.Classes()
	if len(scores) != k || class < 0 || class >= k {
		panic("margin: scores and classes do not fit")
	}
	lowest := 1.0
	for j, score := range scores {
		if j == class {
			continue
		}
		m := 0.0
		if a := p.norms[class*k+j]; a != 0 && norm != 0 {
			m = (scores[class] - score) / a / norm
		}
		lowest = min(lowest, clamp(m))
	}
	return lowest
}

// Sample returns the margins of the instances x of the given classes, in
// O(classes · stored coordinates) on all cores. It returns an error unless
// there is a class for each instance, every class is one of p, and all
// instances are finite.
func (p *Pairwise) Sample(ctx context.Context, ctl run.Control, x data.Source[data.Vector], class []int) (Margins, error) {
	if err := checkLengths(x, len(class)); err != nil {
		return nil, err
	}
	return sample(ctx, ctl, len(class), func(i int) (float64, error) {
		if class[i] < 0 || class[i] >= p.Classes() {
			return 0, fmt.Errorf("margins: instance %d has class %d and there are %d", i, class[i], p.Classes())
		}
		v := x.At(i)
		if !v.Finite() {
			return 0, fmt.Errorf("margins: instance %d has a value that is not finite", i)
		}
		return p.Of(v, class[i]), nil
	})
}

// pair returns the separator of class i from class j.
func (p *Pairwise) pair(i, j int) Separator {
	a, b := p.separators[i], p.separators[j]
	return Separator{W: difference(a.W, b.W), Bias: a.Bias - b.Bias, Unit: a.Unit}
}

// difference returns a - b, the shorter one padded with zeros.
func difference(a, b []float64) []float64 {
	d := make([]float64, max(len(a), len(b)))
	copy(d, a)
	for i, v := range b {
		d[i] -= v
	}
	return d
}
