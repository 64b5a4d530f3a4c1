package kernelized

import (
	"context"
	"errors"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// SVM is the soft-margin support vector machine in the feature space of a
// kernel, with a bias (Cortes and Vapnik 1995):
//
//	min over w, b  ½|w|² + Σ C·c_i·max(0, 1 - y_i(w·φ(x_i) + b))
//
// with the weights c_i of the instances, 1 unless given. It is solved in its
// dual
//
//	min over α  ½ Σ α_i α_j y_i y_j K(x_i, x_j) - Σ α_i,   yᵀα = 0, 0 ≤ α_i ≤ C·c_i
//
// by sequential minimal optimisation on working sets of up to 4096 variables, up
// to 4096 instances after some steps over all of them as LIBSVM takes them,
// until the optimality conditions are met within Tolerance: no pair of variables
// has slopes that differ by more. Where these steps are slow, as with noise and a
// large C, a factorisation now and then solves for all variables at once that are
// inside their ranges. Instances that stay at a bound are set aside on the way
// (Shrink), and looked at again before the end.
//
// Cost: about a row of K for each instance that is or was a support vector, and
// one for each time a row has left memory since; rows are kept in half of the
// run's memory, or with a form on up to 128 coordinates computed anew each time,
// which takes less. From 2048 rows on a kernel with a form is computed in float32 at
// first, and the result is checked and if need be improved in float64; with
// Run.Precision float32 that last part is left out. A Tolerance below the
// rounding of the scores, Σ α·max K times 6e-8 in float32 and 1e-16 in float64,
// counts as that.
type SVM[T any] struct {
	Kernel        kernel.Kernel[T]
	C             float64 // penalty of a unit of hinge loss, positive; default 1
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps of SMO, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control

	warm *warmth[T] // of fits along a path; nil for a fit by itself
}

// NewSVM returns the recipe with its defaults.
func NewSVM[T any](k kernel.Kernel[T]) SVM[T] {
	return SVM[T]{Kernel: k, C: 1, Tolerance: defaultTolerance, MaxIterations: defaultIterations, Shrink: true}
}

func (s SVM[T]) machine() machine[T] {
	return machine[T]{name: "svm", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run, warm: s.warm, squares: &squares{}}
}

// Validate reports every field that is out of range.
func (s SVM[T]) Validate() error {
	m := s.machine()
	return m.validate(learn.Fields(m.name).Positive("C", s.C))
}

// Fit learns from d. The status is Converged when the optimality conditions are
// met and IterationLimit when MaxIterations did not suffice. In the report
// Iterations counts steps of two variables each, factorisations aside, Objective is the value of the
// dual as above, negative, and Gap the duality gap: the primal objective is at
// most Gap - Objective, and both are within Gap of their optimum where K is a
// kernel.
func (s SVM[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(s.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	p := hingeDual(d.Y, learn.Weights(d.X.Len(), d.Weight), s.C, all)
	return s.machine().fit(ctx, start, d.X, p, (*solution).level)
}

// hingeDual returns the dual of the hinge loss: e_i = -y_i, and ranges between 0
// and y_i·c·weight_i.
func hingeDual(y, weight []float64, c float64, tied ties) *dual {
	d := newDual(len(y), len(y), tied)
	for i, label := range y {
		d.e[i] = -label
		d.span(i, label, c*weight[i])
	}
	return d
}

// newDual returns a problem with ranges of a point and no linear term.
func newDual(n, variables int, tied ties) *dual {
	v := make([]float64, 4*variables)
	part := func(k int) []float64 { return v[k*variables : (k+1)*variables : (k+1)*variables] }
	return &dual{n: n, e: part(0), lo: part(1), hi: part(2), b: part(3), ties: tied}
}

// span gives variable t the range from 0 to c on the side of the sign.
func (d *dual) span(t int, sign, c float64) {
	if sign > 0 {
		d.hi[t] = c
	} else {
		d.lo[t] = -c
	}
}
