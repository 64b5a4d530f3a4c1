// Package kernelized learns separators in the feature space of a kernel, as
// weighted sums of kernel values, without the features themselves.
//
// The separator is w = Σ α_p φ(p) over some instances p of the sample, its
// support; the score of x is w·φ(x) + b = Σ α_p K(p, x) + b.
//
// Support vector machines are SVM (with the penalty C), NuSVM, OneClass, SVR and
// NuSVR, all solved in their duals by one solver. Their objectives and scores
// are those of LIBSVM (Chang and Lin 2011). SoftSVM and SGD are the same without
// a bias, by the dual and by stochastic descent. Ridge is least squares, solved
// exactly, and Falkon the same on landmarks, for samples of any size. Centroid
// takes the nearest mean. Perceptron, AveragedPerceptron and BudgetPerceptron
// learn from their mistakes.
//
// SoftSVM, SGD, Ridge, Falkon and the perceptrons pass through the origin of the
// feature space: K + 1 in place of K lets them pass beside it, at the cost of
// a bias that is regularised as well.
package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Expansion is the fitted score f(x) = Σ Weight[p]·K(Support[p], x) + Bias. It
// is immutable and safe for concurrent use.
type Expansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Weight  []float64 // one an instance of Support
	Bias    float64

	// Fitted are the scores of the instances of the sample without the bias, a row each, to rounding,
	// where the learner knows them and K would have to be computed again; else nil. Places are those of the
	// instances of Support in that sample, nil where Support is all of it.
	Fitted *data.Matrix
	Places []int

	kept *kept[T] // of an expansion that a learner made
}

// Score returns f(x), one evaluation of the kernel an instance of Support.
func (e *Expansion[T]) Score(x T) float64 {
	sum := 0.0
	for p, a := range e.Weight {
		sum += a * e.Kernel.Eval(e.Support.At(p), x)
	}
	return sum + e.Bias
}

// ScoreAll returns the scores of many instances, in tiles of K on all cores and
// in the precision of the controls: a fraction of the time that Score takes for
// each. The last digits can differ from those of Score.
func (e *Expansion[T]) ScoreAll(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float64, error) {
	if err := ctl.Reserve("scores", 8*float64(x.Len()), "score fewer rows at a time"); err != nil {
		return nil, err
	}
	scores := make([]float64, x.Len())
	if len(e.Weight) > 0 {
		if err := gram.BindOn(ctl, e.Kernel, e.Support, ctl.Precision).Product(ctx, ctl, scores, x, e.Weight); err != nil {
			return nil, err
		}
	}
	for i := range scores {
		scores[i] += e.Bias
	}
	return scores, nil
}

// Predict returns +1 where the score is at least 0 and -1 elsewhere.
func (e *Expansion[T]) Predict(x T) float64 {
	if e.Score(x) >= 0 {
		return 1
	}
	return -1
}

// MultiExpansion is a score a class over a common support,
// f_k(x) = Σ Weight[p, k]·K(Support[p], x) + Bias[k]. Two classes have opposite
// weights and biases. It is immutable and safe for concurrent use.
type MultiExpansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Weight  *data.Matrix // support × classes
	Bias    []float64    // one a class; nil is 0 for all

	// Fitted is that of Expansion, a column a separator: one for two classes.
	Fitted *data.Matrix
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
	copy(dst, e.Bias)
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
	c := &Expansion[T]{Kernel: e.Kernel, Support: support, Weight: weight, kept: new(kept[T])}
	if e.Bias != nil {
		c.Bias = e.Bias[k]
	}
	return c
}
