// Package kernelized learns separators in the feature space of a kernel, as
// weighted sums of kernel values, without the features themselves.
//
// The separator is w = Σ α_p φ(p) over some instances p of the sample, its
// support; the score of x is w·φ(x) = Σ α_p K(p, x). It passes through the
// origin of the feature space: K + 1 in place of K lets it pass beside.
package kernelized

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Expansion is the fitted score f(x) = Σ Weight[p]·K(Support[p], x). It is
// immutable and safe for concurrent use.
type Expansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Weight  []float64 // one an instance of Support
}

// Score returns f(x), one evaluation of the kernel an instance of Support.
func (e *Expansion[T]) Score(x T) float64 {
	sum := 0.0
	for p, a := range e.Weight {
		sum += a * e.Kernel.Eval(e.Support.At(p), x)
	}
	return sum
}

// Predict returns +1 where the score is at least 0 and -1 elsewhere.
func (e *Expansion[T]) Predict(x T) float64 {
	if e.Score(x) >= 0 {
		return 1
	}
	return -1
}

// MultiExpansion is a score a class over a common support,
// f_k(x) = Σ Weight[p, k]·K(Support[p], x). Two classes have opposite weights.
// It is immutable and safe for concurrent use.
type MultiExpansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Weight  *data.Matrix // support × classes
}

// Classes returns the number of classes.
func (e *MultiExpansion[T]) Classes() int { return e.Weight.Cols }

// Scores writes the score of each class into dst, which must hold Classes
// numbers: one evaluation of the kernel an instance of Support for all classes
// together.
func (e *MultiExpansion[T]) Scores(dst []float64, x T) {
	if len(dst) != e.Weight.Cols {
		panic("kernelized: scores need one place a class")
	}
	clear(dst)
	for p := range e.Weight.Rows {
		e.Weight.At(p).AddTo(dst, e.Kernel.Eval(e.Support.At(p), x))
	}
}

// Predict returns the class of the highest score, the smallest such class in a
// tie. A score that is not a number never wins.
func (e *MultiExpansion[T]) Predict(x T) int {
	scores := make([]float64, e.Weight.Cols)
	e.Scores(scores, x)
	class, best := 0, math.Inf(-1)
	for k, s := range scores {
		if s > best {
			class, best = k, s
		}
	}
	return class
}

// Class returns the separator of class k alone, with the instances that weigh
// nothing in it left out.
func (e *MultiExpansion[T]) Class(k int) *Expansion[T] {
	support := data.Slice[T]{}
	weight := []float64{}
	for p := range e.Weight.Rows {
		if a := e.Weight.Row(p)[k]; a != 0 {
			support = append(support, e.Support.At(p))
			weight = append(weight, a)
		}
	}
	return &Expansion[T]{Kernel: e.Kernel, Support: support, Weight: weight}
}
