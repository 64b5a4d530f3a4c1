package kernelized

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
)

// PairExpansion is a separator for each pair of classes over a common support.
// The support is sorted by class: that of class c stands at First[c] to
// First[c+1]-1. An instance of class c has a weight in each pair of c with
// another class, in the order of those classes. The score of the pair i < j is
//
//	f_ij(x) = Σ Weight[p, j-1]·K(Support[p], x) over the support of class i
//	        + Σ Weight[p, i]·K(Support[p], x)   over the support of class j + Bias[ij]
//
// and positive where the pair is won by i. It is immutable and safe for
// concurrent use.
type PairExpansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	First   []int        // classes+1
	Weight  *data.Matrix // support × (classes-1)
	Bias    []float64    // one a pair, in the order of learn.PairAt
}

// Classes returns the number of classes.
func (e *PairExpansion[T]) Classes() int { return len(e.First) - 1 }

// Scores writes the score of each pair into dst, which must hold a number a
// pair, in the order of learn.PairAt: one evaluation of the kernel an instance
// of Support for all pairs together.
func (e *PairExpansion[T]) Scores(dst []float64, x T) {
	values := make([]float64, e.Support.Len())
	for p := range values {
		values[p] = e.Kernel.Eval(e.Support.At(p), x)
	}
	e.combine(dst, values)
}

// combine computes the scores of all pairs from the values of the kernel.
func (e *PairExpansion[T]) combine(dst, values []float64) {
	others := e.Classes() - 1
	sums := make([]float64, e.Classes()*others)
	for c := range e.Classes() {
		for p := e.First[c]; p < e.First[c+1]; p++ {
			vmath.Axpy(sums[c*others:(c+1)*others], values[p], e.Weight.Row(p))
		}
	}
	e.meet(dst, sums)
}

// meet adds up the scores of all pairs from the sums over the support of each
// class against each other.
func (e *PairExpansion[T]) meet(dst, sums []float64) {
	if len(dst) != len(e.Bias) {
		panic("kernelized: scores need one place a pair")
	}
	classes := e.Classes()
	p := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			dst[p] = sums[i*(classes-1)+opponent(i, j)] + sums[j*(classes-1)+opponent(j, i)] + e.Bias[p]
			p++
		}
	}
}

// Predict returns the class that wins most pairs, the smallest such class in a
// tie.
func (e *PairExpansion[T]) Predict(x T) int {
	scores := make([]float64, len(e.Bias))
	e.Scores(scores, x)
	return learn.Vote(scores, e.Classes())
}
