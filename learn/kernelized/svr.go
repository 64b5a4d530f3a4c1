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

// Regression is an Expansion whose score is the prediction itself. It is
// immutable and safe for concurrent use.
type Regression[T any] struct{ Expansion[T] }

// Predict returns the score.
func (r *Regression[T]) Predict(x T) float64 { return r.Score(x) }

// regression makes one of what fits an expansion.
func regression[T any](e *Expansion[T], report learn.Report, err error) (*Regression[T], learn.Report, error) {
	if err != nil {
		return nil, report, err
	}
	return &Regression[T]{*e}, report, nil
}

// SVR is support vector regression with the loss that is 0 up to Epsilon (Vapnik
// 1995):
//
//	min over w, b  ½|w|² + Σ C·c_i·max(0, |w·φ(x_i) + b - z_i| - Epsilon)
//
// with the weights c_i of the instances, 1 unless given. Its dual is
//
//	min over α, α*  ½ Σ (α-α*)_i (α-α*)_j K(x_i, x_j) + Epsilon Σ (α+α*)_i - Σ z_i (α-α*)_i
//	                Σ (α-α*)_i = 0, 0 ≤ α_i, α*_i ≤ C·c_i
//
// The solver and its cost are those of SVM. Tolerance is in the unit of the
// targets.
type SVR[T any] struct {
	Kernel        kernel.Kernel[T]
	C             float64 // penalty of a unit of loss, positive; default 1
	Epsilon       float64 // errors that cost nothing, at least 0; default 0.1
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps of SMO, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control

	warm *warmth[T] // of fits along a path; nil for a fit by itself
}

// NewSVR returns the recipe with its defaults.
func NewSVR[T any](k kernel.Kernel[T]) SVR[T] {
	return SVR[T]{Kernel: k, C: 1, Epsilon: 0.1, Tolerance: defaultTolerance, MaxIterations: defaultIterations,
		Shrink: true}
}

func (s SVR[T]) machine() machine[T] {
	return machine[T]{name: "svr", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run, warm: s.warm}
}

// Validate reports every field that is out of range.
func (s SVR[T]) Validate() error {
	m := s.machine()
	f := learn.Fields(m.name)
	return m.validate(f.Positive("C", s.C), f.NotNegative("epsilon", s.Epsilon))
}

// Fit learns from d, whose labels are the targets z. In the report Objective is
// the value of the dual, and Gap the duality gap.
func (s SVR[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Regression[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(s.Validate(), checkTargets(d)); err != nil {
		return nil, learn.Report{}, err
	}
	weight := learn.Weights(d.X.Len(), d.Weight)
	return regression(s.machine().fit(ctx, start, d.X, tubeDual(d.Y, weight, s.C, s.Epsilon, all), (*solution).level))
}

// tubeDual returns the dual of regression: variable i is α_i and variable n+i is
// -α*_i.
func tubeDual(z, weight []float64, c, epsilon float64, tied ties) *dual {
	n := len(z)
	p := newDual(n, 2*n, tied)
	for i, v := range z {
		p.e[i], p.e[n+i] = epsilon-v, -epsilon-v
		p.span(i, 1, c*weight[i])
		p.span(n+i, -1, c*weight[i])
	}
	return p
}
