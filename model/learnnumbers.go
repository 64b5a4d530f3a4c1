package model

import (
	"context"
	"errors"
	"slices"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// SVR is the ε-SVR.
type SVR[T any] struct {
	C         float64 `json:"C"`
	Epsilon   float64 `json:"epsilon"`   // half of the width of the tube; below 0 takes a tenth of the targets' spread
	Tolerance float64 `json:"tolerance"` // relative to the targets' spread
	MaxSteps  int     `json:"max_steps"`
}

// NewSVR returns the machine with C = 1.
func NewSVR[T any]() SVR[T] { return SVR[T]{C: 1, Epsilon: -1, Tolerance: machineTolerance} }

// Name returns "svr".
func (SVR[T]) Name() string { return LearnerSVR }

// Traits says what it is.
func (SVR[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyC, Tasks: values, Weights: true, Keeps: true}
}

// Penalty returns C.
func (l SVR[T]) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l SVR[T]) WithPenalty(c float64) Learner { l.C = c; return l }

// Settle fills in the width of the tube.
func (l SVR[T]) Settle(values, weight []float64) Learner {
	if l.Epsilon < 0 {
		l.Epsilon = spread(values, weight) / 10
	}
	return l
}

// Validate reports fields out of range.
func (l SVR[T]) Validate() error {
	return errors.Join(checkPenalty("C", l.C), checkTolerance(l.Tolerance), checkSteps(l.MaxSteps))
}

// Quick returns the recipe of a trial.
func (l SVR[T]) Quick(n int) Learner {
	l.Tolerance, l.MaxSteps = max(l.Tolerance, quickTolerance), quickest(l.MaxSteps, n)
	return l
}

func (l SVR[T]) recipe(p Problem[T]) kernelized.SVR[T] {
	s := kernelized.NewSVR(p.Kernel)
	s.MaxIterations = limited(s.MaxIterations, l.MaxSteps)
	s.C, s.Epsilon, s.Tolerance, s.Checkpoint, s.Run = l.C, l.Epsilon, l.Tolerance*p.Spread(), p.Checkpoint, p.Run
	return s
}

// Fit trains the machine.
func (l SVR[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	settled := l.Settle(p.Values, p.Weight).(SVR[T])
	return regressed[T](p.Run.Precision, 0)(settled.recipe(p).Fit(ctx, numbered(p)))
}

// Path goes through values of C, each from the one before.
func (l SVR[T]) Path(_ context.Context, p Problem[T], _ []float64) (Path[T], error) {
	path, err := l.Settle(p.Values, p.Weight).(SVR[T]).recipe(p).Path(numbered(p))
	return followed(path, err, regressed[T](p.Run.Precision, 0))
}

// NuSVR is the ν-SVR.
type NuSVR[T any] struct {
	C         float64 `json:"C"`
	Nu        float64 `json:"nu"`
	Tolerance float64 `json:"tolerance"` // relative to the targets' spread
	MaxSteps  int     `json:"max_steps"`
}

// NewNuSVR returns the machine with C = 1 and ν = 1/2.
func NewNuSVR[T any]() NuSVR[T] { return NuSVR[T]{C: 1, Nu: 0.5, Tolerance: machineTolerance} }

// Name returns "nu-svr".
func (NuSVR[T]) Name() string { return LearnerNuSVR }

// Traits says what it is.
func (NuSVR[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyC, Tasks: values, Weights: true, Keeps: true}
}

// Penalty returns C.
func (l NuSVR[T]) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l NuSVR[T]) WithPenalty(c float64) Learner { l.C = c; return l }

// Validate reports fields out of range.
func (l NuSVR[T]) Validate() error {
	return errors.Join(checkPenalty("C", l.C), checkNu(l.Nu), checkTolerance(l.Tolerance), checkSteps(l.MaxSteps))
}

// Quick returns the recipe of a trial.
func (l NuSVR[T]) Quick(n int) Learner {
	l.Tolerance, l.MaxSteps = max(l.Tolerance, quickTolerance), quickest(l.MaxSteps, n)
	return l
}

// Fit trains the machine.
func (l NuSVR[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s := kernelized.NewNuSVR(p.Kernel)
	s.MaxIterations = limited(s.MaxIterations, l.MaxSteps)
	s.C, s.Nu, s.Tolerance, s.Checkpoint, s.Run = l.C, l.Nu, l.Tolerance*p.Spread(), p.Checkpoint, p.Run
	return regressed[T](p.Run.Precision, 0)(s.Fit(ctx, numbered(p)))
}

// KernelRidge is kernel ridge regression, of classes and numbers: exact, or with a
// Tolerance by conjugate gradients, for more rows.
type KernelRidge[T any] struct {
	Lambda    float64 `json:"lambda"`
	Tolerance float64 `json:"tolerance"` // of the residual, relative to the targets; 0 is exact
}

// NewKernelRidge returns the exact learner with lambda = 1e-3.
func NewKernelRidge[T any]() KernelRidge[T] { return KernelRidge[T]{Lambda: machineLambda} }

// Name returns "kernel-ridge".
func (KernelRidge[T]) Name() string { return LearnerKernelRidge }

// Traits says what it is.
func (KernelRidge[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyLambda, Tasks: either, Weights: true}
}

// Penalty returns Lambda.
func (l KernelRidge[T]) Penalty() float64 { return l.Lambda }

// WithPenalty returns the recipe with another Lambda.
func (l KernelRidge[T]) WithPenalty(v float64) Learner { l.Lambda = v; return l }

// Validate reports fields out of range.
func (l KernelRidge[T]) Validate() error {
	fault := checkPenalty("Lambda", l.Lambda)
	if !(l.Tolerance >= 0 && l.Tolerance < 1) {
		fault = errors.Join(fault, outOfRange("Tolerance", l.Tolerance, "at least 0 and below 1"))
	}
	return fault
}

func (l KernelRidge[T]) recipe(p Problem[T]) kernelized.Ridge[T] {
	s := kernelized.NewRidge(p.Kernel)
	s.Lambda, s.Tolerance, s.Seed, s.Run = l.Lambda, l.Tolerance, p.Seed, p.Run
	return s
}

// Fit solves for the coefficients.
func (l KernelRidge[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	if p.Task == Regress {
		d, mean := centred(p)
		return regressed[T](p.Run.Precision, mean)(l.recipe(p).Fit(ctx, d))
	}
	s, k := kernelized.RidgeClassifier[T]{Ridge: l.recipe(p)}, p.Classes.Len()
	return manyExpanded[T](p.Run.Precision, k)(s.FitClasses(ctx, labeled(p), k))
}

// Path shares K among the values of lambda; with a Tolerance each goes on from the one
// before.
func (l KernelRidge[T]) Path(_ context.Context, p Problem[T], _ []float64) (Path[T], error) {
	if p.Task == Regress {
		d, mean := centred(p)
		path, err := l.recipe(p).Path(d)
		return overAll(p)(followed(path, err, regressed[T](p.Run.Precision, mean)))
	}
	k := p.Classes.Len()
	path, err := kernelized.RidgeClassifier[T]{Ridge: l.recipe(p)}.ClassPath(labeled(p), k)
	return overAll(p)(followed(path, err, manyExpanded[T](p.Run.Precision, k)))
}

// overAll notes where the support of a machine, which keeps the order of the instances, is
// all of them, as that of ridge is but for weights that are 0 by chance.
func overAll[T any](p Problem[T]) func(Path[T], error) (Path[T], error) {
	return func(path Path[T], err error) (Path[T], error) {
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, penalty float64) (Fitted[T], learn.Report, error) {
			f, report, err := path(ctx, penalty)
			f.Whole = err == nil && f.Map.Dim() == p.Len()
			return f, report, err
		}, nil
	}
}

// Falkon is kernel ridge regression on Dim landmarks by conjugate gradients, of
// classes and numbers.
type Falkon[T any] struct {
	Lambda float64 `json:"lambda"`
	Dim    int     `json:"dim"` // landmarks
}

// NewFalkon returns the learner with lambda = 1e-3.
func NewFalkon[T any]() Falkon[T] { return Falkon[T]{Lambda: machineLambda, Dim: DefaultDim} }

// Name returns "falkon".
func (Falkon[T]) Name() string { return LearnerFalkon }

// Traits says what it is.
func (Falkon[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyLambda, Tasks: either, Weights: true, Keeps: true}
}

// Penalty returns Lambda.
func (l Falkon[T]) Penalty() float64 { return l.Lambda }

// WithPenalty returns the recipe with another Lambda.
func (l Falkon[T]) WithPenalty(v float64) Learner { l.Lambda = v; return l }

// WithDim returns the recipe with another number of landmarks.
func (l Falkon[T]) WithDim(d int) Learner { l.Dim = d; return l }

// Validate reports fields out of range.
func (l Falkon[T]) Validate() error {
	return errors.Join(checkPenalty("Lambda", l.Lambda), checkDim(l.Dim))
}

func (l Falkon[T]) recipe(p Problem[T]) kernelized.Falkon[T] {
	s := kernelized.NewFalkon(p.Kernel)
	s.Lambda, s.Landmarks, s.Seed, s.Checkpoint, s.Run = l.Lambda, max(min(l.Dim, p.Len()), 1), p.Seed, p.Checkpoint, p.Run
	return s
}

func (l Falkon[T]) classifier(p Problem[T]) kernelized.FalkonClassifier[T] {
	s := kernelized.NewFalkonClassifier(p.Kernel)
	s.Falkon = l.recipe(p)
	return s
}

// Fit solves for the coefficients.
func (l Falkon[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	if p.Task == Regress {
		d, mean := centred(p)
		return regressed[T](p.Run.Precision, mean)(l.recipe(p).Fit(ctx, d))
	}
	k := p.Classes.Len()
	return manyExpanded[T](p.Run.Precision, k)(l.classifier(p).FitClasses(ctx, labeled(p), k))
}

// Path shares the landmarks' triangle among the values of lambda.
func (l Falkon[T]) Path(_ context.Context, p Problem[T], penalties []float64) (Path[T], error) {
	least := slices.Min(penalties)
	if p.Task == Regress {
		d, mean := centred(p)
		path, err := l.recipe(p).Path(d, least)
		return followed(path, err, regressed[T](p.Run.Precision, mean))
	}
	k := p.Classes.Len()
	path, err := l.classifier(p).ClassPath(labeled(p), k, least)
	return followed(path, err, manyExpanded[T](p.Run.Precision, k))
}
