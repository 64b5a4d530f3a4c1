package kernelized

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// NuSVM is the support vector machine with a fraction Nu in place of a penalty
// (Schölkopf, Smola, Williamson and Bartlett 2000): at most that fraction of the
// instances lie within the margin, and at least that fraction are support
// vectors. Its dual is
//
//	min over α  ½ Σ α_i α_j y_i y_j K(x_i, x_j),   yᵀα = 0, Σ α_i = Nu·n, 0 ≤ α_i ≤ 1
//
// and the solution is then scaled to a margin of 1, which makes it that of an
// SVM. Instances may have weights, which then are the upper bounds, and n their
// sum. The solver and its cost are those of SVM.
type NuSVM[T any] struct {
	Kernel        kernel.Kernel[T]
	Nu            float64 // above 0 and at most 1, and at most twice the share of the smaller class; default 0.5
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps of SMO, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control
}

// NewNuSVM returns the recipe with its defaults.
func NewNuSVM[T any](k kernel.Kernel[T]) NuSVM[T] {
	return NuSVM[T]{Kernel: k, Nu: 0.5, Tolerance: defaultTolerance, MaxIterations: defaultIterations, Shrink: true}
}

func (s NuSVM[T]) machine() machine[T] {
	return machine[T]{name: "nu-svm", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run}
}

// Validate reports every field that is out of range.
func (s NuSVM[T]) Validate() error {
	m := s.machine()
	return m.validate(learn.Fields(m.name).Part("nu", s.Nu))
}

// Fit learns from d. It refuses a Nu above twice the share of the smaller class,
// for which there is no solution. In the report Objective is the value of the
// dual after scaling. Where the margin is 0, as when all rows are alike, there
// is nothing to scale by and the solution stays as it is.
func (s NuSVM[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(s.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	p, err := s.dual(d.Y, learn.Weights(d.X.Len(), d.Weight))
	if err != nil {
		return nil, learn.Report{}, err
	}
	return s.machine().fit(ctx, start, d.X, p, func(found *solution) (bias, margin float64) {
		level := p.levels(found.scores)
		margin = (level[1] - level[0]) / 2
		if !(margin > 0) {
			margin = 1
		}
		found.report.Objective /= margin * margin
		found.report.Gap /= margin * margin
		return (level[0] + level[1]) / 2, margin
	})
}

// dual returns the problem with a feasible start: the first instances of each
// class at their bound.
func (s NuSVM[T]) dual(y, weight []float64) (*dual, error) {
	p := newDual(len(y), len(y), sided)
	total, positive := 0.0, 0.0
	for i, label := range y {
		p.span(i, label, weight[i])
		total += weight[i]
		if label > 0 {
			positive += weight[i]
		}
	}
	half := s.Nu * total / 2
	most := 2 * min(positive, total-positive) / total
	if half > min(positive, total-positive)*(1+1e-12) {
		return nil, fmt.Errorf("nu-svm: nu is %v and must be at most %.4g, twice the share of the smaller class", s.Nu, most)
	}
	p.raise(0, len(y), half, 1)
	p.raise(0, len(y), half, -1)
	return p, nil
}

// raise sets the variables of one sign among from to to-1 to their bounds, one
// after the other, until their sum is the given one in magnitude.
func (d *dual) raise(from, to int, sum, sign float64) {
	for t := from; t < to && sum > 0; t++ {
		bound := d.hi[t]
		if sign < 0 {
			bound = -d.lo[t]
		}
		a := min(bound, sum)
		if a > 0 {
			d.b[t] = sign * a
			sum -= a
		}
	}
}
