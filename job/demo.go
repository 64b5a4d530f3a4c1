package job

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Demonstration is the demo's data and what came out.
type Demonstration struct {
	Rows    int          `json:"rows"`
	Kernel  string       `json:"kernel"`
	Results []DemoResult `json:"results"`
	Plan    bound.Plan   `json:"plan"`
	Curve   []DemoPoint  `json:"curve"`
	Report  string       `json:"report"` // file that the caller wrote a report to

	Train   data.Labeled[data.Vector, string] `json:"-"`
	Test    data.Labeled[data.Vector, string] `json:"-"`
	Classes []string                          `json:"-"`

	models map[string]*model.Pipeline[data.Vector]
}

// Score returns the score of the second class at a point, by a method.
func (d *Demonstration) Score(method string, x, y float64) float64 {
	scores := make([]float64, 2)
	d.models[method].Scores(scores, data.Dense(x, y))
	return scores[1]
}

// DemoResult is a row of the demo's table.
type DemoResult struct {
	Method  string  `json:"method"`
	Dim     int     `json:"dim"`
	Error   float64 `json:"error"`
	Margin  float64 `json:"margin"`
	Seconds float64 `json:"train_seconds"`
}

// DemoPoint is the test error of a map at a dimension.
type DemoPoint struct {
	Map   string  `json:"map"`
	Dim   int     `json:"dim"`
	Error float64 `json:"error"`
}

const (
	demoRows  = 2000
	demoC     = 100 // nearly a hard margin: the rings have a gap
	DemoDim   = 60
	demoShort = 20 // of F3
	DemoError = 0.05
	DemoSure  = 0.95
)

var demoKernel = kernel.Gaussian{Gamma: 1}

// The demo's methods, by the names that the table shows.
const (
	DemoLinear     = "linear SVM on the data"
	DemoF1         = "F1 + linear SVM"
	DemoF2         = "F2 + linear SVM"
	DemoF3         = "F3 + linear SVM"
	DemoPerceptron = "kernel perceptron"
	DemoExact      = "exact kernel SVM"
)

// demoRecipes returns the methods in the order of the table. The separators of
// mapped data pass through the origin, as in the papers. With every training
// row as a landmark F2 loses nothing, and the linear SVM on it is the exact
// kernel SVM.
func demoRecipes(n int, seed uint64, ctl run.Control) ([]string, map[string]model.Recipe[data.Vector]) {
	svm := model.NewSVM()
	svm.C, svm.Loss, svm.Unit, svm.MaxPasses = demoC, linear.Hinge, 0, 5000
	base := model.NewRecipe[data.Vector](demoKernel, DemoDim)
	base.Learner, base.Choose, base.Calibrate, base.Seed, base.Run = svm, false, "", seed, ctl
	f1, f3, exact, plain, perceptron := base, base, base, base, base
	f1.Map = model.NewF1[data.Vector](DemoDim)
	f3.Map = compressed(demoShort)
	exact.Map = model.NewF2[data.Vector](n)
	svm.Unit = 1
	plain.Map, plain.Kernel, plain.Learner = model.None[data.Vector]{}, nil, svm
	perceptron.Map = model.None[data.Vector]{}
	perceptron.Learner = model.KernelPerceptron[data.Vector]{MaxPasses: svm.MaxPasses}
	return []string{DemoLinear, DemoF1, DemoF2, DemoF3, DemoPerceptron, DemoExact}, map[string]model.Recipe[data.Vector]{
		DemoLinear: plain, DemoF1: f1, DemoF2: base, DemoF3: f3, DemoPerceptron: perceptron, DemoExact: exact,
	}
}

// compressed returns F3 of so many dimensions, from the landmarks of all methods.
func compressed(dim int) model.F3[data.Vector] {
	f3 := model.NewF3[data.Vector](dim)
	f3.Landmarks = 4 * DemoDim
	return f3
}

// Demo does the main job on two rings that no line can split.
func Demo(ctx context.Context, o Options) (*Demonstration, error) {
	x, labels := gen.Rings(gen.Options{N: demoRows, Seed: o.Seed})
	all := data.Labeled[data.Vector, string]{X: x, Y: labels}
	classes, y := data.Encode(labels)
	rest, held := data.SplitBy(y, 0.3, o.Seed)
	d := &Demonstration{
		Rows: demoRows, Kernel: fmt.Sprint(demoKernel), Classes: classes.Names,
		Train: all.Select(rest), Test: all.Select(held), models: map[string]*model.Pipeline[data.Vector]{},
	}
	names, recipes := demoRecipes(len(rest), o.Seed, o.Run)
	for _, name := range names {
		p, t, wrong, err := d.try(ctx, recipes[name])
		if err != nil {
			return nil, err
		}
		d.models[name] = p
		d.Results = append(d.Results, DemoResult{Method: name, Dim: p.Map.Dim(), Error: wrong, Margin: t.Margins.Min(),
			Seconds: t.Elapsed.Seconds()})
	}
	if err := d.sweep(ctx, recipes[DemoF2]); err != nil {
		return nil, err
	}
	return d, d.plan()
}

// try trains a method and measures it on the test rows.
func (d *Demonstration) try(
	ctx context.Context, r model.Recipe[data.Vector],
) (*model.Pipeline[data.Vector], model.Training, float64, error) {
	p, t, err := r.Fit(ctx, d.Train)
	if err == nil && t.Status == learn.Cancelled {
		err = ctx.Err()
	}
	if err != nil {
		return nil, t, 0, err
	}
	scores, err := p.ScoreAll(ctx, r.Run, d.Test.X)
	if err != nil {
		return nil, t, 0, err
	}
	y, _ := classIndex(p.Classes, d.Test.Y)
	return p, t, eval.Classify(p.DecideAll(scores), y, p.Classes.Len()).Error, nil
}

// sweep measures how the error falls with the dimension.
func (d *Demonstration) sweep(ctx context.Context, base model.Recipe[data.Vector]) error {
	svm := base.Learner.(model.SVM)
	svm.MaxPasses = 1000
	base.Learner = svm
	for _, m := range []func(dim int) model.Mapper[data.Vector]{
		func(dim int) model.Mapper[data.Vector] { return model.NewF1[data.Vector](dim) },
		func(dim int) model.Mapper[data.Vector] { return model.NewF2[data.Vector](dim) },
		func(dim int) model.Mapper[data.Vector] { return compressed(dim) },
	} {
		for _, dim := range []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64} {
			base.Map = m(dim)
			_, _, wrong, err := d.try(ctx, base)
			if err != nil {
				return err
			}
			d.Curve = append(d.Curve, DemoPoint{Map: base.Map.Name(), Dim: dim, Error: wrong})
		}
	}
	return nil
}

// plan asks the theorems for the margin that the exact SVM found.
func (d *Demonstration) plan() error {
	for _, r := range d.Results {
		if r.Method == DemoExact && r.Margin > 0 {
			var err error
			d.Plan, err = bound.NewPlan(r.Margin, DemoError, DemoSure, 0)
			return err
		}
	}
	return nil
}
