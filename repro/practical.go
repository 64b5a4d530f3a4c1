package repro

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// practical compares maps and kernel machines on data sets.
func practical() Experiment {
	return Experiment{
		Name:  "practice",
		Title: "When to use what",
		Claim: "It would be interesting to explore how the mappings do in practice beside the SVM and the kernel perceptron.",
		Where: "Blum 2006, section 5",
		Method: "Ten public data sets, from the folder that KERF_DATA names or else ../shared/data; those that are " +
			"not there are replaced by generated ones. The Gaussian kernel at the median distance; F1, F2, F3 of four " +
			"landmarks a dimension and Fourier features under the linear SVM, and the two kernel machines, each with " +
			"its penalty chosen on held-out rows. Errors are on rows that had no part in it. Nothing is promised; " +
			"times are those of this run.",
		Takes: []Parameter{{Dim, "features, even, from 2 to 1000"}},
		Full:  Params{Dim: []int{30, 100, 300}},
		Quick: Params{Dim: []int{20, 60}},
		Limit: func(p Params) error {
			for _, v := range p.Dim {
				if v%2 != 0 || v > 1000 {
					return fmt.Errorf("--dim is %d and must be even, up to 1000", v)
				}
			}
			return nil
		},
		Run: runPractical,
	}
}

// method is a map with a learner.
type method struct {
	name   string
	mapper func(dim int) model.Mapper[data.Vector] // nil for a kernel machine
	learn  model.Learner
}

func methods() []method {
	svm := model.NewSVM()
	return []method{
		{"F1", func(d int) model.Mapper[data.Vector] { return model.NewF1[data.Vector](d) }, svm},
		{"F2", func(d int) model.Mapper[data.Vector] { return model.NewF2[data.Vector](d) }, svm},
		{"F3", func(d int) model.Mapper[data.Vector] { return model.NewF3[data.Vector](d) }, svm},
		{"Fourier", func(d int) model.Mapper[data.Vector] { return model.NewFourier[data.Vector](d) }, svm},
		{"kernel SVM", nil, model.NewKernelSVM[data.Vector]()},
		{"kernel perceptron", nil, model.NewKernelPerceptron[data.Vector]()},
	}
}

// outcome is what a method came to on a data set.
type outcome struct {
	error, seconds, bytes, evaluations float64
	tested                             int
	wrong                              int
}

func runPractical(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	sets, err := practiceSets(ctx, p)
	if err != nil {
		return nil, err
	}
	// all[method][dimension] has an outcome a data set; machines have one dimension.
	all := map[string]map[int][]outcome{}
	for _, s := range sets {
		for _, m := range methods() {
			dims := p.Dim
			if m.mapper == nil {
				dims = []int{0}
			}
			for _, d := range dims {
				o, err := practise(ctx, p, s, m, d)
				if err != nil {
					return nil, fmt.Errorf("%s on %s: %w", m.name, s.name, err)
				}
				if all[m.name] == nil {
					all[m.name] = map[int][]outcome{}
				}
				all[m.name][d] = append(all[m.name][d], o)
				where := []Setting{in("data", s.name), in("method", m.name)}
				if d > 0 {
					where = append(where, at("features", float64(d)))
				}
				r.Rows = append(r.Rows, show("error on new rows", proportion(o.wrong, o.tested), where...),
					show("kernel evaluations to train", exact(o.evaluations, 1), where...),
					show("bytes of the model", exact(o.bytes, 1), where...),
					timed("seconds to train", exact(o.seconds, 1), where...))
			}
		}
	}
	r.Figures = []Figure{
		practiceFigure(p, all, "Practice: error above the best method, mean over data sets", "error above the best of all",
			true, excesses(p, all, len(sets))),
		practiceFigure(p, all, "Practice: kernel evaluations to train, geometric mean", "kernel evaluations and one", false,
			means(all, func(o outcome) float64 { return o.evaluations + 1 })),
		practiceFigure(p, all, "Practice: size of the model, geometric mean", "bytes", false,
			means(all, func(o outcome) float64 { return o.bytes })),
	}
	r.Notes = advice(p, all, len(sets))
	return r, nil
}

// practise trains and tests a method on a data set.
func practise(ctx context.Context, p Params, s practiceSet, m method, dim int) (outcome, error) {
	var o outcome
	recipe := model.NewRecipe[data.Vector](kernel.GaussianWidth(kernel.MedianDistance(s.train.X, p.seedOf(0, 0))), 1)
	recipe.Map, recipe.Learner, recipe.Calibrate = model.None[data.Vector]{}, m.learn, ""
	recipe.Seed, recipe.Run = p.seedOf(0, 1), p.ctl
	recipe.Run.Progress = p.single().Progress
	if m.mapper != nil {
		if recipe.Map = m.mapper(dim); model.Landmarked(recipe.Map.Name()) && m.name != "F3" {
			recipe.Map = m.mapper(min(dim, s.train.X.Len()))
		}
	}
	pipeline, training, err := recipe.Fit(ctx, s.train)
	if err != nil {
		return o, err
	}
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	var file bytes.Buffer
	if err := model.Write(&file, pipeline, spec.Vectors{}); err != nil {
		return o, err
	}
	scores, err := pipeline.ScoreAll(ctx, p.ctl, s.test.X)
	if err != nil {
		return o, err
	}
	for i, y := range s.test.Y {
		if pipeline.Classes.Names[pipeline.Decide(scores.Row(i))] != y {
			o.wrong++
		}
	}
	o.tested = len(s.test.Y)
	o.error = float64(o.wrong) / float64(o.tested)
	o.seconds, o.bytes, o.evaluations = training.Elapsed.Seconds(), float64(file.Len()), float64(training.Evaluations)
	return o, nil
}

// excesses returns how far a method's error is above the least of all on a data set, on
// average.
func excesses(p Params, all map[string]map[int][]outcome, sets int) func(name string, d int) float64 {
	least := slices.Repeat([]float64{1}, sets)
	for _, by := range all {
		for _, outcomes := range by {
			for i, o := range outcomes {
				least[i] = min(least[i], o.error)
			}
		}
	}
	return func(name string, d int) float64 {
		sum := 0.0
		for i, o := range all[name][d] {
			sum += (o.error - least[i]) / float64(sets)
		}
		return sum
	}
}

// means returns geometric means over the data sets.
func means(all map[string]map[int][]outcome, of func(outcome) float64) func(name string, d int) float64 {
	return func(name string, d int) float64 {
		sum := 0.0
		for _, o := range all[name][d] {
			sum += math.Log(of(o)) / float64(len(all[name][d]))
		}
		return math.Exp(sum)
	}
}

// practiceFigure draws a quantity by dimension, that of kernel machines as a level.
func practiceFigure(
	p Params, all map[string]map[int][]outcome, title, label string, part bool, of func(string, int) float64,
) Figure {
	f := Figure{Title: title, X: Axis{Label: "features", Log: true},
		Y:    Axis{Label: label, Zero: part, Percent: part, Log: !part},
		Note: "Kernel machines have no dimension and are drawn as levels."}
	for _, m := range methods() {
		s := Series{Name: m.name, Joined: true}
		for _, d := range p.Dim {
			if m.mapper == nil {
				s.Points = append(s.Points, bare(float64(d), of(m.name, 0)))
			} else {
				s.Points = append(s.Points, bare(float64(d), of(m.name, d)))
			}
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// advice is the page: what each method costs and what it gives, by this run.
func advice(p Params, all map[string]map[int][]outcome, sets int) []string {
	last := slices.Max(p.Dim)
	excess := excesses(p, all, sets)
	size := means(all, func(o outcome) float64 { return o.bytes })
	work := means(all, func(o outcome) float64 { return o.evaluations + 1 })
	said := func(name string, d int) string {
		return fmt.Sprintf("%s points of error above the best, %s bytes, %s kernel evaluations",
			number(100*excess(name, d)), number(math.Round(size(name, d))), number(math.Round(work(name, d)-1)))
	}
	out := []string{fmt.Sprintf("Means over %d data sets, at %d features:", sets, last)}
	for _, m := range methods() {
		d := last
		if m.mapper == nil {
			d = 0
		}
		out = append(out, m.name+": "+said(m.name, d)+".")
	}
	return append(out, "F1 evaluates the kernel of rows with landmarks, F2 also among landmarks. F1 takes any "+
		"similarity and no factorisation; F2 keeps inner products, and can be certified. F3 pays up to four times the "+
		"landmarks for the same number of features: it is for features that are stored or sent, not for speed. "+
		"Fourier features evaluate no kernel and keep no row of the data, for kernels that have them. The kernel SVM "+
		"needs no dimension to be chosen, and pays for each pair of rows that it looks at; the kernel "+
		"perceptron is the simplest of all, and has no penalty against noise.")
}
