package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

func (a *app) demo() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "demo",
		Short: "The main job on built-in data, in a few seconds",
		Long: `The main job on built-in data: two rings that no line can split. It maps them
with F1, F2 and F3, trains a linear separator on each, compares with the kernel
perceptron and the exact kernel SVM, and writes a report with pictures.`,
	}
	c.Flags().StringVarP(&out, "output", "o", "kerf-demo.html", "file to write the report to")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := writable(out); err != nil {
			return err
		}
		return a.runDemo(c.Context(), out)
	}
	return c
}

// demonstration is the demo's data and what came out.
type demonstration struct {
	Rows    int          `json:"rows"`
	Kernel  string       `json:"kernel"`
	Results []demoResult `json:"results"`
	Plan    bound.Plan   `json:"plan"`
	Curve   []demoPoint  `json:"curve"`
	Report  string       `json:"report"`

	train, test data.Labeled[data.Vector, string]
	models      map[string]*model.Pipeline[data.Vector]
}

// demoResult is a row of the demo's table.
type demoResult struct {
	Method  string  `json:"method"`
	Dim     int     `json:"dim"`
	Error   float64 `json:"error"`
	Margin  float64 `json:"margin"`
	Seconds float64 `json:"train_seconds"`
}

// demoPoint is the test error of a map at a dimension.
type demoPoint struct {
	Map   string  `json:"map"`
	Dim   int     `json:"dim"`
	Error float64 `json:"error"`
}

const (
	demoRows  = 2000
	demoC     = 100 // nearly a hard margin: the rings have a gap
	demoDim   = 60
	demoShort = 20 // of F3
	demoError = 0.05
	demoSure  = 0.95
)

var demoKernel = kernel.Gaussian{Gamma: 1}

// The demo's methods, by the names that the table shows.
const (
	demoLinear     = "linear SVM on the data"
	demoF1         = "F1 + linear SVM"
	demoF2         = "F2 + linear SVM"
	demoF3         = "F3 + linear SVM"
	demoPerceptron = "kernel perceptron"
	demoExact      = "exact kernel SVM"
)

// demoRecipes returns the methods in the order of the table. The separators of
// mapped data pass through the origin, as in the papers. With every training
// row as a landmark F2 loses nothing, and the linear SVM on it is the exact
// kernel SVM.
func demoRecipes(n int, seed uint64, ctl run.Control) ([]string, map[string]model.Recipe[data.Vector]) {
	base := model.NewRecipe[data.Vector](demoKernel, demoDim)
	base.C, base.Choose, base.Loss, base.Calibrate, base.Unit, base.Seed, base.Run = demoC, false, linear.Hinge, "", 0, seed, ctl
	base.MaxPasses = 5000
	f1, f3, exact, plain, perceptron := base, base, base, base, base
	f1.Map = model.MapF1
	f3.Map, f3.Dim, f3.Landmarks = model.MapF3, demoShort, 4*demoDim
	exact.Dim = n
	plain.Map, plain.Kernel, plain.Unit = model.MapNone, nil, 1
	perceptron.Map, perceptron.Learner = model.MapNone, model.LearnerKernelPerceptron
	return []string{demoLinear, demoF1, demoF2, demoF3, demoPerceptron, demoExact}, map[string]model.Recipe[data.Vector]{
		demoLinear: plain, demoF1: f1, demoF2: base, demoF3: f3, demoPerceptron: perceptron, demoExact: exact,
	}
}

func (a *app) runDemo(ctx context.Context, out string) error {
	ctl := a.control()
	x, labels := gen.Rings(gen.Options{N: demoRows, Seed: a.seed})
	all := data.Labeled[data.Vector, string]{X: x, Y: labels}
	_, y := data.Encode(labels)
	rest, held := data.SplitBy(y, 0.3, a.seed)
	d := &demonstration{
		Rows: demoRows, Kernel: fmt.Sprint(demoKernel), Report: out,
		train: all.Select(rest), test: all.Select(held), models: map[string]*model.Pipeline[data.Vector]{},
	}
	names, recipes := demoRecipes(len(rest), a.seed, ctl)
	for _, name := range names {
		if err := d.try(ctx, ctl, name, recipes[name]); err != nil {
			return err
		}
	}
	if err := d.sweep(ctx, ctl, recipes[demoF2]); err != nil {
		return err
	}
	if err := d.plan(); err != nil {
		return err
	}
	if err := a.output(ctx, out, func(w io.Writer) error { return report.Demo(w, d.page()) }); err != nil {
		return err
	}
	return a.result(d, d.print)
}

// try trains a method and measures it on the test rows.
func (d *demonstration) try(ctx context.Context, ctl run.Control, name string, r model.Recipe[data.Vector]) error {
	p, t, err := r.Fit(ctx, d.train)
	if err == nil && t.Status == learn.Cancelled {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	wrong, err := d.testError(ctx, ctl, p)
	if err != nil {
		return err
	}
	d.models[name] = p
	d.Results = append(d.Results, demoResult{Method: name, Dim: p.Map.Dim(), Error: wrong, Margin: t.Margins.Min(), Seconds: t.Elapsed.Seconds()})
	return nil
}

func (d *demonstration) testError(ctx context.Context, ctl run.Control, p *model.Pipeline[data.Vector]) (float64, error) {
	scores, err := p.ScoreAll(ctx, ctl, d.test.X)
	if err != nil {
		return 0, err
	}
	y, _ := classIndex(p.Classes, d.test.Y)
	return eval.Classify(predicted(p, scores), y, p.Classes.Len()).Error, nil
}

// sweep measures how the error falls with the dimension.
func (d *demonstration) sweep(ctx context.Context, ctl run.Control, base model.Recipe[data.Vector]) error {
	for _, kind := range []string{model.MapF1, model.MapF2, model.MapF3} {
		for _, dim := range []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64} {
			r := base
			r.Map, r.Dim, r.Landmarks, r.MaxPasses = kind, dim, 4*demoDim, 1000
			p, t, err := r.Fit(ctx, d.train)
			if err == nil && t.Status == learn.Cancelled {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			wrong, err := d.testError(ctx, ctl, p)
			if err != nil {
				return err
			}
			d.Curve = append(d.Curve, demoPoint{Map: kind, Dim: dim, Error: wrong})
		}
	}
	return nil
}

// plan asks the theorems for the margin that the exact SVM found.
func (d *demonstration) plan() error {
	for _, r := range d.Results {
		if r.Method == demoExact && r.Margin > 0 {
			var err error
			d.Plan, err = bound.NewPlan(r.Margin, demoError, demoSure, 0)
			return err
		}
	}
	return nil
}

func (d *demonstration) print(w io.Writer) error {
	fmt.Fprintf(w, `Two rings, one around the other: %d points for training, %d for testing.
No line splits them. The kernel %s can, by comparing points with each other;
F1, F2 and F3 turn that kernel into a few explicit features, and a plain linear
separator does the rest.

`, d.train.X.Len(), d.test.X.Len(), d.Kernel)
	fmt.Fprintf(w, "%-24s%10s%12s%9s%11s\n", "method", "features", "test error", "margin", "training")
	for _, r := range d.Results {
		fmt.Fprintf(w, "%-24s%10d%12s%9.3f%9.2f s\n", r.Method, r.Dim, percent(r.Error), r.Margin, r.Seconds)
	}
	fmt.Fprintf(w, `
features  how many numbers a point becomes; the kernel perceptron compares it with
          as many training points instead, the exact SVM with all of them
margin    by how much the worst training point is on its right side, as the cosine
          of an angle; negative where some are on the wrong side
`)
	if d.Plan.Landmarks > 0 {
		fmt.Fprintf(w, `
How many features are enough? At this margin theory promises %s%% error with %d%%
confidence from %s landmarks, whatever the data; on these %d were plenty.
`, trim(100*demoError), int(100*demoSure), grouped(int64(d.Plan.Landmarks)), demoDim)
	}
	_, err := fmt.Fprintf(w, "\nThe report with pictures is in %s.\n", d.Report)
	return err
}

func trim(v float64) string { return fmt.Sprintf("%g", v) }
