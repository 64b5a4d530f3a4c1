package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// A kernel machine's features are the similarities to its support, and its
// weights are their coefficients: mapping F1.

// supported returns separators of the similarities to support, with the constant
// coordinate where there is a bias.
func supported[T any](m feature.Map[T], weights *data.Matrix, bias []float64) Fitted[T] {
	out := Fitted[T]{Map: m, Separators: weights, Bias: bias}
	for _, b := range bias {
		if b != 0 {
			out.Unit = 1
		}
	}
	return out
}

// expanded returns what an expansion is, with a number added to its scores.
func expanded[T any](
	precision run.Precision, add float64,
) func(*kernelized.Expansion[T], learn.Report, error) (Fitted[T], learn.Report, error) {
	return func(e *kernelized.Expansion[T], report learn.Report, err error) (Fitted[T], learn.Report, error) {
		if err != nil {
			return Fitted[T]{}, report, err
		}
		weights := data.NewMatrix(1, e.Support.Len())
		copy(weights.Row(0), e.Weight)
		out := supported(feature.NewLandmarks(e.Kernel, e.Support, precision), weights, []float64{e.Bias + add})
		out.Scores, out.Places = e.Fitted, e.Places
		return out, report, nil
	}
}

// regressed is expanded for machines of numbers.
func regressed[T any](
	precision run.Precision, add float64,
) func(*kernelized.Regression[T], learn.Report, error) (Fitted[T], learn.Report, error) {
	return func(f *kernelized.Regression[T], report learn.Report, err error) (Fitted[T], learn.Report, error) {
		if err != nil {
			return Fitted[T]{}, report, err
		}
		return expanded[T](precision, add)(&f.Expansion, report, nil)
	}
}

// manyExpanded returns what an expansion with a score a class is.
func manyExpanded[T any](
	precision run.Precision, classes int,
) func(*kernelized.MultiExpansion[T], learn.Report, error) (Fitted[T], learn.Report, error) {
	return func(e *kernelized.MultiExpansion[T], report learn.Report, err error) (Fitted[T], learn.Report, error) {
		if err != nil {
			return Fitted[T]{}, report, err
		}
		weights := data.NewMatrix(learn.Separators(classes), e.Support.Len())
		bias := make([]float64, weights.Rows)
		for i := range weights.Rows {
			class := learn.PositiveClass(i, classes)
			for s := range e.Support.Len() {
				weights.Row(i)[s] = e.Weight.Row(s)[class]
			}
			if e.Bias != nil {
				bias[i] = e.Bias[class]
			}
		}
		out := supported(feature.NewLandmarks(e.Kernel, e.Support, precision), weights, bias)
		out.Scores = e.Fitted
		return out, report, nil
	}
}

// followed is the path of a learner of package kernelized.
func followed[T, M any](
	path learn.Path[M], err error, as func(M, learn.Report, error) (Fitted[T], learn.Report, error),
) (Path[T], error) {
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, penalty float64) (Fitted[T], learn.Report, error) {
		return as(path.Next(ctx, penalty))
	}, nil
}

// signs returns the labels +1 and -1 of two classes.
func signs[T any](p Problem[T]) data.Labeled[T, float64] {
	return data.Labeled[T, float64]{X: p.X, Y: learn.Against(nil, p.Y, 1), Weight: p.Weight}
}

// numbered returns the instances and numbers of a problem.
func numbered[T any](p Problem[T]) data.Labeled[T, float64] {
	return data.Labeled[T, float64]{X: p.X, Y: p.Values, Weight: p.Weight}
}

// centred returns the numbers of a machine that has no bias, with their mean taken
// off: the mean is one.
func centred[T any](p Problem[T]) (data.Labeled[T, float64], float64) {
	d, mean := numbered(p), weightedMean(p.Values, p.Weight)
	d.Y = make([]float64, len(p.Values))
	for i, y := range p.Values {
		d.Y[i] = y - mean
	}
	return d, mean
}

// limited returns the steps that a machine may take: those given, or its own limit.
func limited(own, given int) int {
	if given > 0 {
		return given
	}
	return own
}

// KernelSVM is the C-SVC, by SMO: a machine for each pair of classes, or for each
// class against the rest.
type KernelSVM[T any] struct {
	C         float64 `json:"C"`
	Lambda    float64 `json:"lambda"`    // in place of C, see Rated; 0 for C
	Tolerance float64 `json:"tolerance"` // of the optimality conditions
	MaxSteps  int     `json:"max_steps"` // 0 for the machine's own limit
	Pairs     bool    `json:"pairs"`     // learn each pair of classes, not each class against the rest
}

// machineTolerance is where kernel machines stop.
const machineTolerance = 1e-3

// NewKernelSVM returns the machine with C = 1, of pairs of classes.
func NewKernelSVM[T any]() KernelSVM[T] {
	return KernelSVM[T]{C: 1, Tolerance: machineTolerance, Pairs: true}
}

// Name returns "kernel-svm".
func (KernelSVM[T]) Name() string { return LearnerKernelSVM }

// Traits says what it is.
func (KernelSVM[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyC, Weights: true, Keeps: true}
}

// Penalty returns C.
func (l KernelSVM[T]) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l KernelSVM[T]) WithPenalty(c float64) Learner { l.C, l.Lambda = c, 0; return l }

// Rate returns Lambda.
func (l KernelSVM[T]) Rate() float64 { return l.Lambda }

// Validate reports fields out of range.
func (l KernelSVM[T]) Validate() error {
	return errors.Join(checkPenalty("C", l.C), checkRate(l.Lambda), checkTolerance(l.Tolerance), checkSteps(l.MaxSteps))
}

func checkTolerance(t float64) error {
	if !(t > 0 && t < 1) {
		return outOfRange("Tolerance", t, "above 0 and below 1")
	}
	return nil
}

func checkSteps(n int) error {
	if n < 0 {
		return outOfRange("MaxSteps", n, "at least 0")
	}
	return nil
}

func checkNu(nu float64) error {
	if !(nu > 0 && nu <= 1) {
		return outOfRange("Nu", nu, "above 0 and at most 1")
	}
	return nil
}

// Quick returns the recipe of a trial.
func (l KernelSVM[T]) Quick(n int) Learner {
	l.Tolerance, l.MaxSteps = max(l.Tolerance, quickTolerance), quickest(l.MaxSteps, n)
	return l
}

func (l KernelSVM[T]) recipe(p Problem[T]) kernelized.SVM[T] {
	s := kernelized.NewSVM(p.Kernel)
	s.MaxIterations = limited(s.MaxIterations, l.MaxSteps)
	s.C, s.Tolerance, s.Checkpoint, s.Run = l.C, l.Tolerance, p.Checkpoint, p.Run
	if l.Lambda > 0 && p.Len() > 0 {
		s.C = cOf(l, p)
	}
	return s
}

// paired returns what an expansion with a separator a pair of classes is.
func (KernelSVM[T]) paired(
	p Problem[T],
) func(*kernelized.PairExpansion[T], learn.Report, error) (Fitted[T], learn.Report, error) {
	return func(e *kernelized.PairExpansion[T], report learn.Report, err error) (Fitted[T], learn.Report, error) {
		if err != nil {
			return Fitted[T]{}, report, err
		}
		m := feature.NewLandmarks(e.Kernel, e.Support, p.Run.Precision)
		out := supported(m, expandPairs(e.First, p.Classes.Len(), e.Weight), e.Bias)
		out.Pairs = e.First
		return out, report, nil
	}
}

// Fit trains the machines.
func (l KernelSVM[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s, k := l.recipe(p), p.Classes.Len()
	switch {
	case k == 2:
		return expanded[T](p.Run.Precision, 0)(s.Fit(ctx, signs(p)))
	case l.Pairs:
		return l.paired(p)(s.FitClasses(ctx, labeled(p), k))
	}
	return manyExpanded[T](p.Run.Precision, k)(s.FitRest(ctx, labeled(p), k))
}

// Path goes through values of C, each from the one before.
func (l KernelSVM[T]) Path(_ context.Context, p Problem[T], _ []float64) (Path[T], error) {
	s, k := l.recipe(p), p.Classes.Len()
	switch {
	case k == 2:
		path, err := s.Path(signs(p))
		return followed(path, err, expanded[T](p.Run.Precision, 0))
	case l.Pairs:
		path, err := s.ClassPath(labeled(p), k)
		return followed(path, err, l.paired(p))
	}
	path, err := s.RestPath(labeled(p), k)
	return followed(path, err, manyExpanded[T](p.Run.Precision, k))
}

// NuSVM is the ν-SVC of two classes.
type NuSVM[T any] struct {
	Nu        float64 `json:"nu"`
	Tolerance float64 `json:"tolerance"`
	MaxSteps  int     `json:"max_steps"`
}

// NewNuSVM returns the machine with ν = 1/2.
func NewNuSVM[T any]() NuSVM[T] { return NuSVM[T]{Nu: 0.5, Tolerance: machineTolerance} }

// Name returns "nu-svm".
func (NuSVM[T]) Name() string { return LearnerNuSVM }

// Traits says what it is.
func (NuSVM[T]) Traits() Traits { return Traits{Kernel: true, Weights: true, Keeps: true} }

// Validate reports fields out of range.
func (l NuSVM[T]) Validate() error {
	return errors.Join(checkNu(l.Nu), checkTolerance(l.Tolerance), checkSteps(l.MaxSteps))
}

// Quick returns the recipe of a trial.
func (l NuSVM[T]) Quick(n int) Learner {
	l.Tolerance, l.MaxSteps = max(l.Tolerance, quickTolerance), quickest(l.MaxSteps, n)
	return l
}

// Fit trains the machine.
func (l NuSVM[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	if k := p.Classes.Len(); k > 2 {
		problem := fmt.Sprintf("%s knows two classes and there are %d; use %s", l.Name(), k, LearnerKernelSVM)
		return Fitted[T]{}, learn.Report{}, &SampleError{problem}
	}
	s := kernelized.NewNuSVM(p.Kernel)
	s.MaxIterations = limited(s.MaxIterations, l.MaxSteps)
	s.Nu, s.Tolerance, s.Checkpoint, s.Run = l.Nu, l.Tolerance, p.Checkpoint, p.Run
	return expanded[T](p.Run.Precision, 0)(s.Fit(ctx, signs(p)))
}

// OneClass is the machine that tells where the instances lie. It looks at no
// labels.
type OneClass[T any] struct {
	Nu        float64 `json:"nu"`
	Tolerance float64 `json:"tolerance"`
}

// NewOneClass returns the machine with ν = 1/2.
func NewOneClass[T any]() OneClass[T] { return OneClass[T]{Nu: 0.5, Tolerance: machineTolerance} }

// Name returns "one-class".
func (OneClass[T]) Name() string { return LearnerOneClass }

// Traits says what it is.
func (OneClass[T]) Traits() Traits {
	return Traits{Kernel: true, Weights: true, Keeps: true, Unsupervised: true}
}

// Validate reports fields out of range.
func (l OneClass[T]) Validate() error { return errors.Join(checkNu(l.Nu), checkTolerance(l.Tolerance)) }

// Fit trains the machine.
func (l OneClass[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s := kernelized.NewOneClass(p.Kernel)
	s.Nu, s.Tolerance, s.Checkpoint, s.Run = l.Nu, l.Tolerance, p.Checkpoint, p.Run
	return expanded[T](p.Run.Precision, 0)(s.Fit(ctx, p.X, p.Weight))
}

// Centroid is the nearest mean in the kernel's space.
type Centroid[T any] struct{}

// NewCentroid returns the learner.
func NewCentroid[T any]() Centroid[T] { return Centroid[T]{} }

// Name returns "centroid".
func (Centroid[T]) Name() string { return LearnerCentroid }

// Traits says what it is.
func (Centroid[T]) Traits() Traits { return Traits{Kernel: true, Weights: true} }

// Validate has nothing to report.
func (Centroid[T]) Validate() error { return nil }

// Fit takes the means.
func (Centroid[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s, k := kernelized.NewCentroid(p.Kernel), p.Classes.Len()
	s.Run = p.Run
	return manyExpanded[T](p.Run.Precision, k)(s.FitClasses(ctx, labeled(p), k))
}

// KernelPerceptron is the perceptron in the kernel's space.
type KernelPerceptron[T any] struct {
	MaxPasses int `json:"max_passes"`
}

// NewKernelPerceptron returns the learner.
func NewKernelPerceptron[T any]() KernelPerceptron[T] {
	return KernelPerceptron[T]{MaxPasses: NewSVM().MaxPasses}
}

// Name returns "kernel-perceptron".
func (KernelPerceptron[T]) Name() string { return LearnerKernelPerceptron }

// Traits says what it is.
func (KernelPerceptron[T]) Traits() Traits { return Traits{Kernel: true} }

// Validate reports fields out of range.
func (l KernelPerceptron[T]) Validate() error { return checkPasses(l.MaxPasses, 0) }

// Quick returns the recipe of a trial.
func (l KernelPerceptron[T]) Quick(n int) Learner {
	_, l.MaxPasses = hurried(0, l.MaxPasses, n)
	return l
}

// Fit goes through the rows until there is no mistake, or MaxPasses times.
func (l KernelPerceptron[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s, k := kernelized.NewPerceptron(p.Kernel), p.Classes.Len()
	s.MaxPasses, s.Seed, s.Run = l.MaxPasses, p.Seed, p.Run
	return manyExpanded[T](p.Run.Precision, k)(s.FitClasses(ctx, labeled(p), k))
}

// KernelSGD is the soft svm in the kernel's space by stochastic descent.
type KernelSGD[T any] struct {
	Lambda float64 `json:"lambda"`
}

// NewKernelSGD returns the learner with lambda = 1e-3.
func NewKernelSGD[T any]() KernelSGD[T] { return KernelSGD[T]{Lambda: machineLambda} }

// machineLambda is the lambda of kernel machines where none is chosen.
const machineLambda = 1e-3

// Name returns "kernel-sgd".
func (KernelSGD[T]) Name() string { return LearnerKernelSGD }

// Traits says what it is.
func (KernelSGD[T]) Traits() Traits {
	return Traits{Kernel: true, Penalty: PenaltyLambda, Weights: true, Keeps: true, Scheduled: true}
}

// Penalty returns Lambda.
func (l KernelSGD[T]) Penalty() float64 { return l.Lambda }

// WithPenalty returns the recipe with another Lambda.
func (l KernelSGD[T]) WithPenalty(v float64) Learner { l.Lambda = v; return l }

// Validate reports fields out of range.
func (l KernelSGD[T]) Validate() error { return checkPenalty("Lambda", l.Lambda) }

// Fit takes the steps.
func (l KernelSGD[T]) Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error) {
	s, k := kernelized.NewSGD(p.Kernel), p.Classes.Len()
	s.Lambda, s.Seed, s.Checkpoint, s.Run = l.Lambda, p.Seed, p.Checkpoint, p.Run
	return manyExpanded[T](p.Run.Precision, k)(s.FitClasses(ctx, labeled(p), k))
}
