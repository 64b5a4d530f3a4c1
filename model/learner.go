package model

import (
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// Learner is the recipe of a learner: a value whose exported fields are its
// hyperparameters, with the names of their json tags in text. It is a Fitter of
// vectors, to which it is fitted after the map, or, where its traits say Kernel,
// a Fitter of the instances themselves.
//
// A learner of one's own has these four methods and stands in Recipe.Learner like
// any other; what it returns, weights of features, is all that a file needs.
type Learner interface {
	Name() string
	Traits() Traits
	// Validate reports every field that is out of range.
	Validate() error
}

// Fitter is a learner that is fitted to instances of type T.
type Fitter[T any] interface {
	Learner
	// Fit learns from the sample of the problem. When ctx ends it returns the best
	// so far, and the status says so.
	Fit(ctx context.Context, p Problem[T]) (Fitted[T], learn.Report, error)
}

// Problem is what a map or a learner is fitted to, and how it is run.
type Problem[T any] struct {
	Sample[T]
	Kernel     kernel.Kernel[T]    // nil for a learner of features
	Checkpoint learn.Checkpoint    // where the state is kept, of a learner that Keeps
	Start      []*linear.Separator // that a linear learner may start from; nil for none
	Seed       uint64
	Run        run.Control
}

// Fitted is what a learner found: separators of features. With two classes there
// is one, whose positive side is class 1; with more there is one a class, or, of
// Pairs, one a pair of classes. Of numbers there is one, whose score is the number.
type Fitted[T any] struct {
	Map        feature.Map[T] // of what the separators are; nil for what the learner was given
	Separators *data.Matrix   // weights, one separator a row
	Bias       []float64      // weight of the constant coordinate, one a separator
	Unit       float64        // value of the constant coordinate; 0 where there is none
	Pairs      []int          // see Head
	Lambda     float64        // that the learner chose itself; 0 for none
	Whole      bool           // Map is of the similarities to all instances of the problem, in their order

	// Scores are the products of the separators with the instances that they were fitted to, an
	// instance a row, without biases, where the learner knows them; else nil. Places are then those
	// of the support among these instances, nil where it is all of them.
	Scores *data.Matrix
	Places []int
}

// Traits say what a learner is.
type Traits struct {
	Kernel       bool   // works in the kernel's own space, without a map
	Penalty      string // what is chosen on held-out rows where it is not given: PenaltyC, PenaltyLambda or nothing
	Tasks        []Task // nil for Classify
	Weights      bool   // rows and classes may have weights
	Keeps        bool   // can be ended and go on: see Recipe.Checkpoint
	Scheduled    bool   // takes a given number of steps, and does not converge before
	Unsupervised bool   // looks at no labels
}

// Can reports whether the learner does the task.
func (t Traits) Can(task Task) bool {
	if t.Tasks == nil {
		return task == Classify
	}
	return slices.Contains(t.Tasks, task)
}

// Penalties of learners: C weighs the loss, lambda weighs |w|².
const (
	PenaltyC      = "C"
	PenaltyLambda = "lambda"
)

var (
	values = []Task{Regress}
	either = []Task{Classify, Regress}
)

// Penalized is a learner with one penalty that can be chosen on held-out rows.
type Penalized interface {
	Learner
	Penalty() float64
	WithPenalty(v float64) Learner
}

// Rated is a learner with a C that may be given by lambda instead, as in
//
//	λ/2·|w|² + (1/m)·Σ loss
//
// of Shalev-Shwartz and Ben-David 2014, (16.5). Divided by λ that is |w|²/2 + C·Σ loss
// with C = 1/(λ·m), m the rows or the sum of their weights. Their (16.4) has λ|w|², which
// is 2λ here.
type Rated interface {
	Penalized
	Rate() float64 // lambda; 0 where C is given
}

// rated returns the C of a lambda for m rows.
func rated(lambda, m float64) float64 { return 1 / (lambda * m) }

// cOf returns the C of a problem, by lambda where that is given.
func cOf[T any](l Rated, p Problem[T]) float64 {
	if l.Rate() > 0 {
		return rated(l.Rate(), total(p.Weight, p.Len()))
	}
	return l.Penalty()
}

func checkRate(lambda float64) error {
	if !(lambda >= 0 && lambda <= math.MaxFloat64) {
		return outOfRange("Lambda", lambda, "positive, or 0 for C")
	}
	return nil
}

// Path fits the same sample at one penalty after another, from that of the
// simplest model on. A learner that can starts from where it ended before and
// shares what does not depend on the penalty.
type Path[T any] func(ctx context.Context, penalty float64) (Fitted[T], learn.Report, error)

// Walker is a learner that has such a path. No other penalties will be asked for
// than those given.
type Walker[T any] interface {
	Path(ctx context.Context, p Problem[T], penalties []float64) (Path[T], error)
}

// Quicker is a learner that has a cheaper recipe for trials on n rows, which need
// not be exact.
type Quicker interface{ Quick(n int) Learner }

// Settler is a learner that takes a hyperparameter from the numbers to learn where
// it was left open.
type Settler interface {
	Settle(values, weight []float64) Learner
}

// SizedLearner is a learner with a number of landmarks of its own.
type SizedLearner interface {
	Learner
	WithDim(d int) Learner
}

// Names of learners.
const (
	LearnerSVM                = "svm"                 // soft-margin separator
	LearnerLogistic           = "logistic"            // logistic and multinomial regression
	LearnerRidge              = "ridge"               // least squares
	LearnerPerceptron         = "perceptron"          // Rosenblatt's
	LearnerAveragedPerceptron = "averaged-perceptron" // with the mean of its separators
	LearnerPegasos            = "pegasos"             // the svm by stochastic descent, a row at a time
	LearnerHardMargin         = "hard-margin"         // largest margin, or a proof that none is above 1e-9
	LearnerProgram            = "lp"                  // a separator without errors by linear programming
	LearnerBoost              = "boost"               // AdaBoost of stumps
	LearnerBoostHalfspace     = "boost-halfspace"     // AdaBoost of random halfspaces
	LearnerKernelSVM          = "kernel-svm"          // C-SVC by SMO
	LearnerNuSVM              = "nu-svm"              // ν-SVC
	LearnerOneClass           = "one-class"           // where the data lie, without labels
	LearnerSVR                = "svr"                 // ε-SVR
	LearnerNuSVR              = "nu-svr"              // ν-SVR
	LearnerKernelRidge        = "kernel-ridge"        // exact
	LearnerFalkon             = "falkon"              // kernel ridge on landmarks by conjugate gradients
	LearnerKernelSGD          = "kernel-sgd"          // soft svm by stochastic descent
	LearnerKernelPerceptron   = "kernel-perceptron"   // perceptron in the kernel's space
	LearnerCentroid           = "centroid"            // nearest mean in the kernel's space
)

// Learners returns a learner of each name with its default hyperparameters, in the
// order in which people are told of them. A new learner is a line here.
func Learners[T any]() []Learner {
	return []Learner{
		NewSVM(),
		NewLogistic(),
		NewRidge(),
		NewPerceptron(),
		NewAveragedPerceptron(),
		NewPegasos(),
		NewHardMargin(),
		NewProgram(),
		NewBoost(),
		NewBoostHalfspace(),
		NewKernelSVM[T](),
		NewNuSVM[T](),
		NewOneClass[T](),
		NewSVR[T](),
		NewNuSVR[T](),
		NewKernelRidge[T](),
		NewFalkon[T](),
		NewKernelSGD[T](),
		NewKernelPerceptron[T](),
		NewCentroid[T](),
	}
}

// LearnerNames are the names of the learners that pass a test; all for nil.
func LearnerNames(test func(Traits) bool) []string {
	var names []string
	for _, l := range Learners[data.Vector]() {
		if test == nil || test(l.Traits()) {
			names = append(names, l.Name())
		}
	}
	return names
}

// TraitsOf returns what the learner of a name is, and false for a name that is
// none.
func TraitsOf(name string) (Traits, bool) {
	for _, l := range Learners[data.Vector]() {
		if l.Name() == name {
			return l.Traits(), true
		}
	}
	return Traits{}, false
}

// penaltyOf returns the penalty of a learner, 0 for one without.
func penaltyOf(l Learner) float64 {
	if p, ok := l.(Penalized); ok {
		return p.Penalty()
	}
	return 0
}

// at returns the learner with a penalty, as it is where it has none.
func at(l Learner, penalty float64) Learner {
	if p, ok := l.(Penalized); ok {
		return p.WithPenalty(penalty)
	}
	return l
}

// pathOf returns the path of a learner: its own, or one that fits each penalty
// afresh.
func pathOf[T any](ctx context.Context, l Fitter[T], p Problem[T], penalties []float64) (Path[T], error) {
	if w, ok := l.(Walker[T]); ok {
		path, err := w.Path(ctx, p, penalties)
		if path != nil || err != nil {
			return path, err
		}
	}
	return func(ctx context.Context, penalty float64) (Fitted[T], learn.Report, error) {
		return at(l, penalty).(Fitter[T]).Fit(ctx, p)
	}, nil
}

// Limits of trials, whose models need not be exact.
const (
	quickTolerance = 1e-2
	quickPasses    = 200       // at least
	quickVisits    = 4_000_000 // rows visited, for more passes over few rows
	quickSteps     = 100_000   // steps of a kernel machine, or
	quickRowSteps  = 100       // so many a row if that is more
)

// hurried returns the tolerance and the passes of a trial on n rows.
func hurried(tolerance float64, passes, n int) (float64, int) {
	return max(tolerance, quickTolerance), min(passes, max(quickPasses, quickVisits/max(n, 1)))
}

// quickest returns the steps that a kernel machine may take in a trial on n rows,
// no more than those that it was given, 0 for its own limit.
func quickest(given, n int) int {
	if most := max(quickSteps, quickRowSteps*n); given == 0 || most < given {
		return most
	}
	return given
}
