package learn_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// wanted is what a learner makes of weights.
type wanted int

const (
	optimum wanted = iota // the optimum of the repeated rows, within the gaps of both
	closed                // the same by a closed form or the same draws, up to rounding
	equal                 // the same bits
	whole                 // the same bits, and refuses weights that are no whole numbers
	value                 // an objective near that of the repeated rows: rows come in random order
)

type (
	two   = data.Labeled[data.Vector, float64]
	many  = data.Labeled[data.Vector, int]
	score = func(x data.Vector) []float64

	separator  = *linear.Separator
	separators = *learn.Multi[data.Vector, separator]
)

// fitting learns from labels +1 and -1, or from the same as numbers.
type fitting func(d two) (score, learn.Report, error)

// weighing is what each learner does.
type weighing struct {
	name  string // package.Type, with the method where it is not Fit
	wants wanted
	fit   fitting
}

func one[M learn.Scorer[data.Vector]](fit func(context.Context, two) (M, learn.Report, error)) fitting {
	return func(d two) (score, learn.Report, error) {
		m, report, err := fit(context.Background(), d)
		return func(x data.Vector) []float64 { return []float64{m.Score(x)} }, report, err
	}
}

// three makes three classes of two labels.
func three[M interface{ Scores([]float64, data.Vector) }](
	fit func(context.Context, many) (M, learn.Report, error),
) fitting {
	return func(d two) (score, learn.Report, error) {
		y := make([]int, len(d.Y))
		for i, label := range d.Y {
			if y[i] = max(0, int(label)); d.X.At(i).Value[0] > 0.5 {
				y[i] = 2
			}
		}
		m, report, err := fit(context.Background(), many{X: d.X, Y: y, Weight: d.Weight})
		return func(x data.Vector) []float64 {
			s := make([]float64, 3) // of classes, or of pairs of them
			m.Scores(s, x)
			return s
		}, report, err
	}
}

// pulled has the classes pulled apart.
func pulled(fit fitting) fitting {
	return func(d two) (score, learn.Report, error) {
		x := make(data.Slice[data.Vector], d.X.Len())
		for i := range x {
			v := slices.Clone(d.X.At(i).Value)
			if v[0] += 3; i < len(d.Y) && d.Y[i] < 0 {
				v[0] -= 6
			}
			x[i] = data.Dense(v...)
		}
		return fit(two{X: x, Y: d.Y, Weight: d.Weight})
	}
}

// rows makes a learner of instances alone.
func rows[M learn.Scorer[data.Vector]](
	fit func(context.Context, data.Source[data.Vector], []float64) (M, learn.Report, error),
) fitting {
	return one(func(ctx context.Context, d two) (M, learn.Report, error) { return fit(ctx, d.X, d.Weight) })
}

const tight = 1e-10 // tolerance of the learners that have one

// weighings has every learner of the packages, with the ways to fit it.
func weighings() []weighing {
	var out []weighing
	add := func(name string, wants wanted, fit fitting) { out = append(out, weighing{name, wants, fit}) }
	for _, loss := range []linear.Loss{linear.Hinge, linear.SquaredHinge} {
		for _, solver := range []linear.Solver{linear.Descent, linear.Newton} {
			l := linear.NewSVM()
			l.Loss, l.Solver, l.Tolerance, l.MaxPasses = loss, solver, tight, 100_000
			add("linear.SVM", optimum, one(l.Fit))
			add("linear.SVM FitClasses", optimum, three(func(ctx context.Context, d many) (separators, learn.Report, error) {
				return l.FitClasses(ctx, d, 3)
			}))
		}
	}
	svm := linear.NewSVM()
	svm.Tolerance, svm.MaxPasses = tight, 100_000
	add("learn.OneVsRest", optimum, three(learn.OneVsRest[data.Vector, separator]{Learner: svm, Classes: 3}.Fit))
	add("learn.OneVsOne", optimum, three(func(ctx context.Context, d many) (pairs, learn.Report, error) {
		m, report, err := learn.OneVsOne[data.Vector, separator]{Learner: svm, Classes: 3}.Fit(ctx, d)
		return pairs{m}, report, err
	}))
	logistic, softmax := linear.NewLogistic(), linear.NewSoftmax(3)
	logistic.Tolerance, softmax.Tolerance = tight, tight
	add("linear.Logistic", optimum, one(logistic.Fit))
	add("linear.Softmax", optimum, three(softmax.Fit))
	add("linear.Ridge", closed, one(linear.NewRidge().Fit))
	add("linear.Ridge FitValues", closed, one(linear.NewRidge().FitValues))
	add("linear.Ridge FitClasses", closed, three(func(ctx context.Context, d many) (separators, learn.Report, error) {
		return linear.NewRidge().FitClasses(ctx, d, 3)
	}))
	pegasos := linear.NewPegasos()
	pegasos.Epochs = 200
	add("linear.Pegasos", value, func(d two) (score, learn.Report, error) {
		// The same C for both; P counts rows, and n·P is the sum over them.
		pegasos.Lambda = linear.PegasosLambda(1, len(d.Y))
		m, report, err := one(pegasos.Fit)(d)
		report.Objective *= float64(len(d.Y))
		return m, report, err
	})
	averaged := linear.NewAveragedPerceptron()
	averaged.Shuffle = false
	add("linear.AveragedPerceptron", closed, one(averaged.Fit))
	add("linear.Perceptron", whole, one(linear.NewPerceptron().Fit))
	add("linear.MarginPerceptron", whole, one(linear.NewMarginPerceptron().Fit))
	add("linear.VotedPerceptron", whole, one(linear.NewVotedPerceptron().Fit))
	add("linear.HardMargin", closed, pulled(one(linear.NewHardMargin().Fit)))
	add("linear.Program", closed, pulled(one(linear.NewProgram().Fit)))
	for _, weak := range []boost.Weak{boost.NewStump(), boost.NewHalfspace()} {
		add("boost.AdaBoost", equal, one(boost.NewAdaBoost(weak).Fit))
	}
	return append(out, kernelWeighings()...)
}

// pairs has the scores of a voting.
type pairs struct {
	*learn.Voting[data.Vector, separator]
}

func (p pairs) Scores(dst []float64, x data.Vector) {
	for k, s := range p.Binary() {
		dst[k] = s.Score(x)
	}
}

func kernelWeighings() []weighing {
	var out []weighing
	add := func(name string, wants wanted, fit fitting) {
		out = append(out, weighing{"kernelized." + name, wants, fit})
	}
	k := kernel.Gaussian{Gamma: 1}
	svm, nu := kernelized.NewSVM[data.Vector](k), kernelized.NewNuSVM[data.Vector](k)
	soft, svr := kernelized.NewSoftSVM[data.Vector](k), kernelized.NewSVR[data.Vector](k)
	nusvr, class := kernelized.NewNuSVR[data.Vector](k), kernelized.NewOneClass[data.Vector](k)
	svm.Tolerance, nu.Tolerance, soft.Tolerance = tight, tight, tight
	svr.Tolerance, nusvr.Tolerance, class.Tolerance = tight, tight, tight
	type multi = *kernelized.MultiExpansion[data.Vector]
	type voting = *kernelized.PairExpansion[data.Vector]
	classes := func(fit func(context.Context, many, int) (multi, learn.Report, error)) fitting {
		return three(func(ctx context.Context, d many) (multi, learn.Report, error) { return fit(ctx, d, 3) })
	}
	add("SVM", optimum, one(svm.Fit))
	add("SVM FitRest", optimum, classes(svm.FitRest))
	add("SVM FitClasses", optimum, three(func(ctx context.Context, d many) (voting, learn.Report, error) {
		return svm.FitClasses(ctx, d, 3)
	}))
	nu.Nu = 0.3
	add("NuSVM", optimum, one(nu.Fit))
	add("SoftSVM", optimum, one(soft.Fit))
	add("SVR", optimum, one(svr.Fit))
	add("NuSVR", optimum, one(nusvr.Fit))
	add("OneClass", optimum, rows(class.Fit))
	ridge, ridges := kernelized.NewRidge[data.Vector](k), kernelized.NewRidgeClassifier[data.Vector](k)
	add("Ridge", closed, one(ridge.Fit))
	add("RidgeClassifier", closed, one(ridges.Fit))
	add("RidgeClassifier FitClasses", closed, classes(ridges.FitClasses))
	falkon, falkons := kernelized.NewFalkon[data.Vector](k), kernelized.NewFalkonClassifier[data.Vector](k)
	falkon.Lambda, falkon.Tolerance, falkon.MaxIterations = 1e-3, 1e-12, 500
	falkons.Falkon = falkon // all instances of positive weight are landmarks
	add("Falkon", closed, one(falkon.Fit))
	add("FalkonClassifier", closed, one(falkons.Fit))
	add("FalkonClassifier FitClasses", closed, classes(falkons.FitClasses))
	centroid, sgd := kernelized.NewCentroid[data.Vector](k), kernelized.NewSGD[data.Vector](k)
	add("Centroid", closed, one(centroid.Fit))
	add("Centroid FitClasses", closed, classes(centroid.FitClasses))
	sgd.Steps, sgd.Tolerance = 20_000, 0
	add("SGD", value, one(sgd.Fit))
	add("SGD FitClasses", value, classes(sgd.FitClasses))
	perceptron, averaged := kernelized.NewPerceptron[data.Vector](k), kernelized.NewAveragedPerceptron[data.Vector](k)
	budget := kernelized.NewBudgetPerceptron[data.Vector](k)
	budget.Budget = 20
	add("Perceptron", whole, one(perceptron.Fit))
	add("Perceptron FitClasses", whole, classes(perceptron.FitClasses))
	add("AveragedPerceptron", whole, one(averaged.Fit))
	add("AveragedPerceptron FitVoted", whole, one(averaged.FitVoted))
	add("AveragedPerceptron FitClasses", whole, classes(averaged.FitClasses))
	add("BudgetPerceptron", whole, one(budget.Fit))
	return out
}

// apart returns rows of two overlapping clouds.
func apart(n int) two {
	rng := seed.Stream(11, seed.Generator, 0)
	m, y := data.NewMatrix(n, 3), make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64()/2 + y[i]/2
		}
	}
	return two{X: m, Y: y}
}

// TestWeightsAreRepetitions: rows of weights 1, 2 and 0 in turn make the model of
// the rows once, twice and left out.
func TestWeightsAreRepetitions(t *testing.T) {
	d := apart(120)
	weights := d
	weights.Weight = make([]float64, len(d.Y))
	var index []int
	for i := range d.Y {
		k := []int{1, 2, 0}[i%3]
		weights.Weight[i] = float64(k)
		for range k {
			index = append(index, i)
		}
	}
	repeated := d.Select(index)
	for _, w := range weighings() {
		t.Run(w.name, func(t *testing.T) {
			a, first, err := w.fit(weights)
			if err != nil {
				t.Fatal(err)
			}
			b, second, err := w.fit(repeated)
			if err != nil {
				t.Fatal(err)
			}
			if w.wants == value {
				// Both are averages of thousands of steps; other orders differ by percents.
				if math.Abs(first.Objective-second.Objective) > 0.03*second.Objective {
					t.Errorf("objective %v with weights and %v with rows repeated", first.Objective, second.Objective)
				}
				return
			}
			most, largest := 0.0, 0.0
			for i := range d.Y {
				x := d.X.At(i)
				for k, s := range b(x) {
					most, largest = max(most, math.Abs(a(x)[k]-s)), max(largest, math.Abs(s))
				}
			}
			if within := w.wants.within(first, second, largest); !(most <= within) {
				t.Errorf("scores differ by %.3g, more than %.3g\n%+v\n%+v", most, within, first, second)
			}
		})
	}
}

// within returns how far scores of two models may be apart. An objective with the
// term ½|w|² that is g above its least has w within √(2g) of the optimum, and the
// rows here, with the constant, are no longer than 4; a bias is that of a row at
// the margin and is off by as much again. What is computed in one go is off by
// rounding, times the condition of a system of some 1e5.
func (w wanted) within(a, b learn.Report, largest float64) float64 {
	const longest = 4
	switch w {
	case optimum:
		return 2*longest*(math.Sqrt(2*a.Gap)+math.Sqrt(2*b.Gap)) + 1e-9*largest
	case closed:
		return 1e-9 * largest
	}
	return 0
}

// TestWholeWeights: learners that visit row after row refuse half a row, and all
// others take it.
func TestWholeWeights(t *testing.T) {
	d := apart(60)
	d.Weight = learn.Weights(len(d.Y), nil)
	d.Weight[7] = 1.5
	for _, w := range weighings() {
		_, _, err := w.fit(d)
		var fault *learn.DataError
		switch refused := errors.As(err, &fault) && fault.Row == 7; {
		case w.wants == whole && !refused:
			t.Errorf("%s: a weight of 1.5: %v", w.name, err)
		case w.wants != whole && err != nil:
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// TestBadWeights: weights that cannot be are refused by all, each the same way.
func TestBadWeights(t *testing.T) {
	d := apart(60)
	for _, w := range weighings() {
		for what, weight := range map[string][]float64{
			"59 weights for 60 rows": make([]float64, 59),
			"all weights are 0":      make([]float64, 60),
			"row 1: weight is -1":    append([]float64{-1}, make([]float64, 59)...),
			"row 1: weight is NaN":   append([]float64{math.NaN()}, make([]float64, 59)...),
			"row 1: weight is +Inf":  append([]float64{math.Inf(1)}, make([]float64, 59)...),
		} {
			_, _, err := w.fit(two{X: d.X, Y: d.Y, Weight: weight})
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v, want %q", w.name, err, what)
			}
		}
	}
}

// TestEveryLearnerIsWeighed: every type with a method Fit is in the table.
func TestEveryLearnerIsWeighed(t *testing.T) {
	known := map[string]bool{}
	for _, w := range weighings() {
		name, _, _ := strings.Cut(w.name, " ")
		known[name] = true
	}
	for _, folder := range []string{"linear", "kernelized", "boost"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has %d files: %v", folder, len(paths), err)
		}
		for _, path := range paths {
			for _, name := range learnersOf(t, path) {
				if !known[folder+"."+name] {
					t.Errorf("%s.%s is not in the table of weighings", folder, name)
				}
			}
		}
	}
}

// learnersOf returns the types that a file, tests aside, gives a method Fit.
func learnersOf(t *testing.T, path string) []string {
	if strings.HasSuffix(path, "_test.go") {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != "Fit" {
			continue
		}
		receiver := f.Recv.List[0].Type
		if generic, ok := receiver.(*ast.IndexExpr); ok {
			receiver = generic.X
		}
		names = append(names, receiver.(*ast.Ident).Name)
	}
	return names
}

func TestRepetitions(t *testing.T) {
	for _, c := range []struct {
		weight []float64
		want   []int
	}{{nil, nil}, {[]float64{1, 1}, nil}, {[]float64{2, 0, 1}, []int{0, 0, 2}}} {
		got, err := learn.Repetitions(run.Control{}, c.weight)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%v: %v, %v", c.weight, got, err)
		}
		for k := range c.want {
			if got[k] != c.want[k] {
				t.Errorf("%v: %v", c.weight, got)
			}
		}
	}
	var memory *run.MemoryError
	if _, err := learn.Repetitions(run.Control{Memory: 1 << 20}, []float64{1e9}); !errors.As(err, &memory) {
		t.Errorf("a billion repetitions: %v", err)
	}
}
