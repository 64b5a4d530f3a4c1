package model

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

// labeled returns the features and classes of a problem.
func labeled[T any](p Problem[T]) data.Labeled[T, int] {
	return data.Labeled[T, int]{X: p.X, Y: p.Y, Weight: p.Weight}
}

// separated returns what a learner of separators found.
func separated(
	m *learn.Multi[data.Vector, *linear.Separator], report learn.Report, err error,
) (Fitted[data.Vector], learn.Report, error) {
	if err != nil {
		return Fitted[data.Vector]{}, report, err
	}
	found := m.Binary()
	width := 0
	for _, s := range found {
		width = max(width, len(s.W))
	}
	out := Fitted[data.Vector]{Separators: data.NewMatrix(len(found), width), Bias: make([]float64, len(found))}
	for i, s := range found {
		copy(out.Separators.Row(i), s.W)
		out.Bias[i], out.Unit = s.Bias, s.Unit
	}
	return out, report, nil
}

// classPath is the path of a linear learner, from the start of the problem.
func classPath(p Problem[data.Vector], path *linear.ClassPath, err error) (Path[data.Vector], error) {
	if err == nil && p.Start != nil {
		err = path.StartFrom(p.Start)
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, penalty float64) (Fitted[data.Vector], learn.Report, error) {
		return separated(path.Next(ctx, penalty))
	}, nil
}

// follow fits by one step of a path.
func follow(
	ctx context.Context, path Path[data.Vector], err error, penalty float64,
) (Fitted[data.Vector], learn.Report, error) {
	if err != nil {
		return Fitted[data.Vector]{}, learn.Report{}, err
	}
	return path(ctx, penalty)
}

// SVM is the soft-margin separator: least |w|²/2 + C·Σ loss.
type SVM struct {
	C         float64     `json:"C"`
	Lambda    float64     `json:"lambda"` // in place of C, see Rated; 0 for C
	Loss      linear.Loss `json:"loss"`
	Tolerance float64     `json:"tolerance"` // of the duality gap, relative to the objective
	MaxPasses int         `json:"max_passes"`
	Unit      float64     `json:"unit"` // value of the constant coordinate beside the features; 0 for none
}

// NewSVM returns the separator of the squared hinge loss with C = 1.
func NewSVM() SVM {
	l := linear.NewSVM()
	return SVM{C: l.C, Loss: linear.SquaredHinge, Tolerance: l.Tolerance, MaxPasses: l.MaxPasses, Unit: l.Unit}
}

// Name returns "svm".
func (SVM) Name() string { return LearnerSVM }

// Traits says what it is.
func (SVM) Traits() Traits { return Traits{Penalty: PenaltyC, Weights: true} }

// Penalty returns C.
func (l SVM) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l SVM) WithPenalty(c float64) Learner { l.C, l.Lambda = c, 0; return l }

// Rate returns Lambda.
func (l SVM) Rate() float64 { return l.Lambda }

// Validate reports fields out of range.
func (l SVM) Validate() error {
	return errors.Join(l.recipe(Problem[data.Vector]{}).Validate(), checkRate(l.Lambda))
}

// Quick returns the recipe of a trial.
func (l SVM) Quick(n int) Learner {
	l.Tolerance, l.MaxPasses = hurried(l.Tolerance, l.MaxPasses, n)
	return l
}

func (l SVM) recipe(p Problem[data.Vector]) linear.SVM {
	s := linear.NewSVM()
	s.C, s.Loss, s.Tolerance, s.MaxPasses, s.Unit = l.C, l.Loss, l.Tolerance, l.MaxPasses, l.Unit
	s.Seed, s.Run = p.Seed, p.Run
	return s
}

// Path goes through values of C, each from the one before.
func (l SVM) Path(ctx context.Context, p Problem[data.Vector], _ []float64) (Path[data.Vector], error) {
	path, err := l.recipe(p).ClassPath(ctx, labeled(p), p.Classes.Len())
	return classPath(p, path, err)
}

// Fit trains a separator a class, one for two classes.
func (l SVM) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	path, err := l.Path(ctx, p, nil)
	return follow(ctx, path, err, cOf(l, p))
}

// Logistic is logistic regression, multinomial for more than two classes.
type Logistic struct {
	C         float64 `json:"C"`
	Lambda    float64 `json:"lambda"` // in place of C, see Rated; 0 for C
	Tolerance float64 `json:"tolerance"`
	MaxPasses int     `json:"max_passes"`
	Unit      float64 `json:"unit"`
}

// NewLogistic returns logistic regression with C = 1.
func NewLogistic() Logistic {
	s := NewSVM()
	return Logistic{C: s.C, Tolerance: s.Tolerance, MaxPasses: s.MaxPasses, Unit: s.Unit}
}

// Name returns "logistic".
func (Logistic) Name() string { return LearnerLogistic }

// Traits says what it is.
func (Logistic) Traits() Traits { return Traits{Penalty: PenaltyC, Weights: true} }

// Penalty returns C.
func (l Logistic) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l Logistic) WithPenalty(c float64) Learner { l.C, l.Lambda = c, 0; return l }

// Rate returns Lambda.
func (l Logistic) Rate() float64 { return l.Lambda }

// Validate reports fields out of range.
func (l Logistic) Validate() error {
	return errors.Join(l.two(Problem[data.Vector]{}).Validate(), checkRate(l.Lambda))
}

// Quick returns the recipe of a trial.
func (l Logistic) Quick(n int) Learner {
	l.Tolerance, l.MaxPasses = hurried(l.Tolerance, l.MaxPasses, n)
	return l
}

func (l Logistic) two(p Problem[data.Vector]) linear.Logistic {
	s := linear.NewLogistic()
	s.C, s.Tolerance, s.MaxPasses, s.Unit, s.Seed, s.Run = l.C, l.Tolerance, l.MaxPasses, l.Unit, p.Seed, p.Run
	return s
}

// Path goes through values of C, each from the one before.
func (l Logistic) Path(ctx context.Context, p Problem[data.Vector], _ []float64) (Path[data.Vector], error) {
	k := p.Classes.Len()
	if k == 2 {
		path, err := l.two(p).ClassPath(ctx, labeled(p))
		return classPath(p, path, err)
	}
	s := linear.NewSoftmax(k)
	s.Tolerance, s.MaxPasses, s.Unit, s.Seed, s.Run = l.Tolerance, l.MaxPasses, l.Unit, p.Seed, p.Run
	path, err := s.ClassPath(ctx, labeled(p))
	return classPath(p, path, err)
}

// Fit trains a separator a class, one for two classes.
func (l Logistic) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	path, err := l.Path(ctx, p, nil)
	return follow(ctx, path, err, cOf(l, p))
}

// Ridge is least squares with the penalty Lambda on |w|², of classes and numbers.
type Ridge struct {
	Lambda float64 `json:"lambda"`
	Choose bool    `json:"choose"` // Lambda by the leave-one-out error instead
}

// NewRidge returns ridge regression that chooses its lambda.
func NewRidge() Ridge { return Ridge{Lambda: 1e-3, Choose: true} }

// Name returns "ridge".
func (Ridge) Name() string { return LearnerRidge }

// Traits says what it is. Lambda is its own choice, and none on held-out rows.
func (Ridge) Traits() Traits { return Traits{Tasks: either, Weights: true} }

// Validate reports fields out of range.
func (l Ridge) Validate() error {
	if !(l.Lambda > 0 && l.Lambda <= math.MaxFloat64) && !l.Choose {
		return outOfRange("Lambda", l.Lambda, "a positive number")
	}
	return nil
}

// Work is that of the products of the features, and of their eigenvalues.
func (Ridge) Work(n, m, _ float64) float64 { return n*m*m + 24*m*m*m }

// Fit fits a function a class, or the numbers.
func (l Ridge) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	s := linear.NewRidge()
	s.Lambda, s.Run = l.Lambda, p.Run
	if l.Choose {
		s.Lambdas = ridgeLambdas(total(p.Weight, p.Len()))
	}
	if p.Task == Classify {
		return separated(s.FitClasses(ctx, labeled(p), p.Classes.Len()))
	}
	steps, err := s.LeaveOneOut(ctx, p.X, &data.Matrix{Rows: len(p.Values), Cols: 1, Data: p.Values}, p.Weight)
	if err != nil {
		return Fitted[data.Vector]{}, learn.Report{}, err
	}
	best := linear.BestRidge(steps)
	f := best.Models[0]
	out := Fitted[data.Vector]{Separators: data.NewMatrix(1, len(f.W)), Bias: []float64{f.Bias}, Unit: 1,
		Lambda: best.Lambda}
	copy(out.Separators.Row(0), f.W)
	return out, learn.Report{Status: learn.Converged, Iterations: 1, Objective: best.Objective}, nil
}

// ridgeLambdas are the values among which ridge chooses by its leave-one-out
// error, for rows whose weights sum to n: a grid of factors of 2 would change
// little.
func ridgeLambdas(n float64) []float64 {
	var out []float64
	for e := -10.0; e <= 1; e += 0.5 {
		out = append(out, n*math.Pow(10, e))
	}
	return out
}

// rest trains a learner of two classes, a class against the rest where there are
// more.
func rest(
	ctx context.Context, p Problem[data.Vector],
	make func(Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator],
) (Fitted[data.Vector], learn.Report, error) {
	inner, k := p, p.Classes.Len()
	ovr := learn.OneVsRest[data.Vector, *linear.Separator]{Classes: k, Checkpoint: p.Checkpoint, Run: p.Run}
	if k > 2 {
		inner.Run = p.Run.Quiet() // the classes are what is counted then
		inner.Run.Workers = 1
	} else {
		ovr.Run = p.Run.Quiet()
	}
	ovr.Learner = make(inner)
	return separated(ovr.Fit(ctx, labeled(p)))
}

// Perceptron is Rosenblatt's. With Unit 0 and Normalize it is that of the papers,
// with at most 1/γ² mistakes.
type Perceptron struct {
	MaxPasses int     `json:"max_passes"`
	Unit      float64 `json:"unit"`
	Normalize bool    `json:"normalize"` // learn from rows of length 1
}

// NewPerceptron returns the perceptron.
func NewPerceptron() Perceptron {
	s := NewSVM()
	return Perceptron{MaxPasses: s.MaxPasses, Unit: s.Unit}
}

// Name returns "perceptron".
func (Perceptron) Name() string { return LearnerPerceptron }

// Traits says what it is.
func (Perceptron) Traits() Traits { return Traits{} }

// Validate reports fields out of range.
func (l Perceptron) Validate() error { return checkPasses(l.MaxPasses, l.Unit) }

// Quick returns the recipe of a trial.
func (l Perceptron) Quick(n int) Learner { _, l.MaxPasses = hurried(0, l.MaxPasses, n); return l }

// Fit goes through the rows until there is no mistake, or MaxPasses times.
func (l Perceptron) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	return rest(ctx, p, func(p Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator] {
		s := linear.NewPerceptron()
		s.MaxPasses, s.Unit, s.Normalize, s.Seed, s.Run = l.MaxPasses, l.Unit, l.Normalize, p.Seed, p.Run
		return s
	})
}

func checkPasses(passes int, unit float64) error {
	var err error
	if passes < 1 {
		err = outOfRange("MaxPasses", passes, "at least 1")
	}
	return errors.Join(err, checkUnit(unit))
}

func checkUnit(unit float64) error {
	if !(unit >= 0 && unit <= math.MaxFloat64) {
		return outOfRange("Unit", unit, "at least 0")
	}
	return nil
}

// AveragedPerceptron predicts by the mean of the perceptron's separators.
type AveragedPerceptron struct {
	MaxPasses int     `json:"max_passes"` // at most 50 are made: the mean gets no better with many
	Unit      float64 `json:"unit"`
	Normalize bool    `json:"normalize"` // learn from rows of length 1
}

// averagedPasses bounds the passes of the averaged perceptron.
const averagedPasses = 50

// NewAveragedPerceptron returns the averaged perceptron.
func NewAveragedPerceptron() AveragedPerceptron {
	s := NewSVM()
	return AveragedPerceptron{MaxPasses: s.MaxPasses, Unit: s.Unit}
}

// Name returns "averaged-perceptron".
func (AveragedPerceptron) Name() string { return LearnerAveragedPerceptron }

// Traits says what it is.
func (AveragedPerceptron) Traits() Traits { return Traits{Weights: true, Scheduled: true} }

// Validate reports fields out of range.
func (l AveragedPerceptron) Validate() error { return checkPasses(l.MaxPasses, l.Unit) }

// Quick returns the recipe of a trial.
func (l AveragedPerceptron) Quick(n int) Learner {
	_, l.MaxPasses = hurried(0, l.MaxPasses, n)
	return l
}

// Fit goes through the rows.
func (l AveragedPerceptron) Fit(
	ctx context.Context, p Problem[data.Vector],
) (Fitted[data.Vector], learn.Report, error) {
	return rest(ctx, p, func(p Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator] {
		s := linear.NewAveragedPerceptron()
		s.MaxPasses, s.Unit, s.Normalize = min(l.MaxPasses, averagedPasses), l.Unit, l.Normalize
		s.Seed, s.Run = p.Seed, p.Run
		return s
	})
}

// Pegasos is the svm by stochastic descent, a row at a time.
type Pegasos struct {
	C      float64 `json:"C"`
	Lambda float64 `json:"lambda"` // in place of C, see Rated; 0 for C
	Unit   float64 `json:"unit"`
}

// pegasosRows is how many rows of Pegasos lie between two states, if they are due.
const pegasosRows = 10_000

// NewPegasos returns Pegasos with C = 1.
func NewPegasos() Pegasos { s := NewSVM(); return Pegasos{C: s.C, Unit: s.Unit} }

// Name returns "pegasos".
func (Pegasos) Name() string { return LearnerPegasos }

// Traits says what it is.
func (Pegasos) Traits() Traits {
	return Traits{Penalty: PenaltyC, Weights: true, Keeps: true, Scheduled: true}
}

// Penalty returns C.
func (l Pegasos) Penalty() float64 { return l.C }

// WithPenalty returns the recipe with another C.
func (l Pegasos) WithPenalty(c float64) Learner { l.C, l.Lambda = c, 0; return l }

// Rate returns Lambda.
func (l Pegasos) Rate() float64 { return l.Lambda }

// Validate reports fields out of range.
func (l Pegasos) Validate() error {
	return errors.Join(checkPenalty("C", l.C), checkRate(l.Lambda), checkUnit(l.Unit))
}

// Fit takes the steps.
func (l Pegasos) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	rows, c := max(p.Len(), 1), cOf(l, p)
	return rest(ctx, p, func(p Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator] {
		s := linear.NewPegasos()
		s.Lambda, s.Unit, s.Seed, s.Run, s.SaveRows = linear.PegasosLambda(c, rows), l.Unit, p.Seed, p.Run, pegasosRows
		return s
	})
}

func checkPenalty(name string, v float64) error {
	if !(v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("%s is %v and must be a positive number", name, v)
	}
	return nil
}

// HardMargin is the separator of largest margin, or a proof that none is above
// 1e-9.
type HardMargin struct {
	Unit      float64 `json:"unit"`
	Normalize bool    `json:"normalize"` // margins are angles, as Pipeline.Margins; else distances of rows to the plane
}

// NewHardMargin returns the learner, whose margins are angles.
func NewHardMargin() HardMargin { return HardMargin{Unit: NewSVM().Unit, Normalize: true} }

// Name returns "hard-margin".
func (HardMargin) Name() string { return LearnerHardMargin }

// Traits says what it is.
func (HardMargin) Traits() Traits { return Traits{} }

// Validate reports fields out of range.
func (l HardMargin) Validate() error { return checkUnit(l.Unit) }

// Fit finds the separator.
func (l HardMargin) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	return rest(ctx, p, func(p Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator] {
		s := linear.NewHardMargin()
		s.Unit, s.Normalize, s.Run = l.Unit, l.Normalize, p.Run
		return s
	})
}

// Program is a separator without errors by linear programming.
type Program struct {
	Unit float64 `json:"unit"`
}

// NewProgram returns the learner.
func NewProgram() Program { return Program{Unit: NewSVM().Unit} }

// Name returns "lp".
func (Program) Name() string { return LearnerProgram }

// Traits says what it is.
func (Program) Traits() Traits { return Traits{} }

// Validate reports fields out of range.
func (l Program) Validate() error { return checkUnit(l.Unit) }

// Fit finds the separator.
func (l Program) Fit(ctx context.Context, p Problem[data.Vector]) (Fitted[data.Vector], learn.Report, error) {
	return rest(ctx, p, func(p Problem[data.Vector]) learn.Learner[data.Vector, float64, *linear.Separator] {
		s := linear.NewProgram()
		s.Unit, s.Run = l.Unit, p.Run
		return s
	})
}
