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

// NuSVR is support vector regression that finds the width of its tube from the
// fraction Nu (Schölkopf, Smola, Williamson and Bartlett 2000): at most that
// fraction of the instances lie outside of it, and at least that fraction are
// support vectors. Its dual is
//
//	min over α, α*  ½ Σ (α-α*)_i (α-α*)_j K(x_i, x_j) - Σ z_i (α-α*)_i
//	                Σ (α-α*)_i = 0, Σ (α+α*)_i = C·Nu·n, 0 ≤ α_i, α*_i ≤ C
//
// Instances may have weights, which then are factors of the bounds, and n their
// sum. The solver and its cost are those of SVM.
type NuSVR[T any] struct {
	Kernel        kernel.Kernel[T]
	C             float64 // penalty of a unit of loss, positive; default 1
	Nu            float64 // above 0 and at most 1; default 0.5
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps of SMO, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control
}

// NewNuSVR returns the recipe with its defaults.
func NewNuSVR[T any](k kernel.Kernel[T]) NuSVR[T] {
	return NuSVR[T]{Kernel: k, C: 1, Nu: 0.5, Tolerance: defaultTolerance, MaxIterations: defaultIterations, Shrink: true}
}

func (s NuSVR[T]) machine() machine[T] {
	return machine[T]{name: "nu-svr", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run}
}

// Validate reports every field that is out of range.
func (s NuSVR[T]) Validate() error {
	m := s.machine()
	f := learn.Fields(m.name)
	return m.validate(f.Positive("C", s.C), f.Part("nu", s.Nu))
}

// Fit learns from d, whose labels are the targets z. In the report Objective is
// the value of the dual.
func (s NuSVR[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Regression[T], learn.Report, error) {
	start := time.Now()
	n := d.X.Len()
	if err := errors.Join(s.Validate(), checkTargets(d)); err != nil {
		return nil, learn.Report{}, err
	}
	weight := learn.Weights(n, d.Weight)
	p := tubeDual(d.Y, weight, s.C, 0, sided)
	total := 0.0
	for _, w := range weight {
		total += w
	}
	p.raise(0, n, s.C*s.Nu*total/2, 1)
	p.raise(n, 2*n, s.C*s.Nu*total/2, -1)
	return regression(s.machine().fit(ctx, start, d.X, p, (*solution).middle))
}
