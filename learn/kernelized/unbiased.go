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

// SoftSVM is soft SVM with kernels and without a bias,
//
//	min over α  Lambda·αᵀGα + (1/m) Σ max(0, 1 - y_i(Gα)_i)
//
// with the Gram matrix G of the m instances (Shalev-Shwartz and Ben-David 2014,
// equation 16.4). The instances may have weights, which then take the place of
// the factors 1 in mean and sum.
//
// It is solved in its dual, that of SVM with C = 1/(2·Lambda·m) and without the
// constraint yᵀα = 0, by steps of one variable at a time, the one that gains
// most, on the same working sets and at the same cost.
type SoftSVM[T any] struct {
	Kernel        kernel.Kernel[T]
	Lambda        float64 // penalty of |w|², positive; default 1e-3
	Tolerance     float64 // of the optimality conditions, positive; default 1e-3
	MaxIterations int     // steps, at least 1; default 10,000,000
	Shrink        bool    // sets instances aside that stay at a bound, where there are 16,384 and more; default true
	Checkpoint    Checkpoint
	Run           run.Control
}

// NewSoftSVM returns the recipe with its defaults.
func NewSoftSVM[T any](k kernel.Kernel[T]) SoftSVM[T] {
	return SoftSVM[T]{Kernel: k, Lambda: 1e-3, Tolerance: defaultTolerance, MaxIterations: defaultIterations, Shrink: true}
}

func (s SoftSVM[T]) machine() machine[T] {
	return machine[T]{name: "soft svm", kernel: s.Kernel, tolerance: s.Tolerance, iterations: s.MaxIterations,
		shrinks: s.Shrink, checkpoint: s.Checkpoint, ctl: s.Run}
}

// Validate reports every field that is out of range.
func (s SoftSVM[T]) Validate() error {
	m := s.machine()
	return m.validate(learn.Fields(m.name).Positive("lambda", s.Lambda))
}

// Fit learns from d. In the report Objective is the value of the problem as
// above at the returned model, and Gap how far above the minimum that can be
// where K is a kernel.
func (s SoftSVM[T]) Fit(ctx context.Context, d data.Labeled[T, float64]) (*Expansion[T], learn.Report, error) {
	start := time.Now()
	if err := errors.Join(s.Validate(), learn.CheckBinary(d.X.Len(), d.Y, d.Weight)); err != nil {
		return nil, learn.Report{}, err
	}
	weight := learn.Weights(d.X.Len(), d.Weight)
	total := 0.0
	for _, w := range weight {
		total += w
	}
	p := hingeDual(d.Y, weight, 1/(2*s.Lambda*total), free)
	return s.machine().fit(ctx, start, d.X, p, func(found *solution) (bias, scale float64) {
		r := &found.report
		r.Objective = 2 * s.Lambda * (r.Gap - r.Objective)
		r.Gap *= 2 * s.Lambda
		return 0, 1
	})
}
