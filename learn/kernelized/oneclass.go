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

// OneClass is the support vector machine of a single class, which tells where a
// sample lies and so what is an outlier (Schölkopf, Platt, Shawe-Taylor, Smola
// and Williamson 2001). Its dual is
//
//	min over α  ½ Σ α_i α_j K(x_i, x_j),   Σ α_i = Nu·n, 0 ≤ α_i ≤ 1
//
// A score below 0 is an outlier. At most the fraction Nu of the sample are
// outliers, and at least that fraction are support vectors. Instances may have
// weights, which then are the upper bounds, and n their sum. The solver and its
// cost are those of SVM.
type OneClass[T any] struct {
	Kernel        kernel.Kernel[T]
	Nu            float64 // above 0 and at most 1; default 0.5
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps of SMO, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control
}

// NewOneClass returns the recipe with its defaults.
func NewOneClass[T any](k kernel.Kernel[T]) OneClass[T] {
	return OneClass[T]{Kernel: k, Nu: 0.5, Tolerance: defaultTolerance, MaxIterations: defaultIterations, Shrink: true}
}

func (s OneClass[T]) machine() machine[T] {
	return machine[T]{name: "one-class svm", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run}
}

// Validate reports every field that is out of range.
func (s OneClass[T]) Validate() error {
	m := s.machine()
	return m.validate(learn.Fields(m.name).Part("nu", s.Nu))
}

// Fit learns from the instances x and their weights, nil for 1 each. In the
// report Objective is the value of the dual.
func (s OneClass[T]) Fit(ctx context.Context, x data.Source[T], weight []float64) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	n := x.Len()
	if err := errors.Join(s.Validate(), learn.CheckWeights(n, weight)); err != nil {
		return nil, learn.Report{}, err
	}
	if n == 0 {
		return nil, learn.Report{}, learn.ErrNoRows
	}
	weight = learn.Weights(n, weight)
	p := newDual(n, n, all)
	total := 0.0
	for i, w := range weight {
		p.span(i, 1, w)
		total += w
	}
	p.raise(0, n, s.Nu*total, 1)
	return s.machine().fit(ctx, start, x, p, (*solution).level)
}
