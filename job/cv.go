package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// CVOptions are the options of CrossValidate.
type CVOptions struct {
	Options
	Folds   int    // parts to divide the rows into
	Repeats int    // how often to divide them anew
	Effort  Effort // that goes into what nobody chose, in each fold; empty for Least
	Groups  string // column whose equal values keep rows in one part; it is not learnt from; empty for none
}

// NewCVOptions returns five folds, with all choices left open.
func NewCVOptions() CVOptions {
	f := eval.NewFolds()
	return CVOptions{Options: NewOptions(), Folds: f.K, Repeats: f.Repeats}
}

// CrossValidated is what came of a cross-validation.
type CrossValidated struct {
	// Baseline is the mean of the folds' baselines; nil for none.
	Baseline map[string]float64 `json:"baseline,omitempty"`
	Dim      int                `json:"dim"` // the largest of a fold
	Folds    []Fold             `json:"folds"`
	Kernel   string             `json:"kernel"` // without its width where that is another one in each fold
	Learner  string             `json:"learner"`
	Map      string             `json:"map"` // all of them where folds chose different ones
	Mean     map[string]float64 `json:"mean"`
	N        int                `json:"n"`
	Repeats  int                `json:"repeats"`
	Scale    scale.Kind         `json:"scale"`
	Seconds  float64            `json:"seconds"`
	Std      map[string]float64 `json:"std"` // with the divisor n-1
	Task     model.Task         `json:"task"`
	Weights  *Weighing          `json:"weights,omitempty"`

	File string `json:"-"` // name of the data's file
	Open bool   `json:"-"` // whether the width is chosen in each fold
	// Searched says that folds chose more than the width.
	Searched bool `json:"-"`
	Machine  bool `json:"-"` // whether the learner works without a map
}

// Fold is what became of one fold.
type Fold struct {
	Score   *Score
	Repeat  int // from 1
	Fold    int // from 1
	NTrain  int // rows trained on
	Kernel  string
	Map     string
	Dim     int
	Learner string
	Status  learn.Status
	Seconds float64
}

// MarshalJSON writes the measures, and what belongs to the fold.
func (f Fold) MarshalJSON() ([]byte, error) {
	out := map[string]any{}
	text, err := json.Marshal(f.Score)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil, err
	}
	out["repeat"], out["fold"], out["n_train"], out["seconds"] = f.Repeat, f.Fold, f.NTrain, f.Seconds
	out["kernel"], out["map"], out["dim"], out["status"] = f.Kernel, f.Map, f.Dim, f.Status
	return json.Marshal(out)
}

// CrossValidate trains on all parts of a file's rows but one and tests on that
// one, for each. What is fitted to the data, such as scaling and the kernel's
// width, is fitted to the rows to train on alone.
func CrossValidate(ctx context.Context, path string, o CVOptions) (*CrossValidated, error) {
	if err := o.here(); err != nil {
		return nil, err
	}
	o.Read.Groups = o.Groups
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.crossValidate(ctx, rows, &o)
}

func (w typed[T]) crossValidate(ctx context.Context, rows *dataset.Rows, o *CVOptions) (*CrossValidated, error) {
	begun := time.Now()
	o.findTask(rows)
	s, err := settle(o.Choices, w.kind)
	if err != nil {
		return nil, err
	}
	t, err := targetsOf(rows, s)
	if err != nil {
		return nil, err
	}
	if err := o.findCriterion(rows, s, t); err != nil {
		return nil, err
	}
	folds, err := t.folds(rows, o)
	if err != nil {
		return nil, err
	}
	out := &CrossValidated{
		File: rows.Name, Kernel: s.kernel.String(), Open: s.kernel.Open(), Machine: s.traits.Kernel, Learner: s.Learner.Name,
		N: rows.Len(), Repeats: o.Repeats,
		Task: s.Task, Weights: o.weighing(rows),
	}
	if out.Scale, err = o.scaling(rows, s.kernel.Open()); err != nil {
		return nil, err
	}
	out.Searched = s.searches(&TrainOptions{Effort: cmp.Or(o.Effort, Least)})
	progress := o.Run.Progress
	progress.Begin("folds", int64(len(folds)))
	defer progress.End()
	for i, fold := range folds {
		v := validation[T]{o: o, choices: s, rows: rows, targets: t, scaled: out.Scale, first: i == 0}
		f, err := v.run(ctx, w, fold)
		if err != nil {
			return nil, err
		}
		out.Folds = append(out.Folds, f)
		progress.Advance(int64(i + 1))
	}
	out.sum(&o.Options)
	out.Seconds = time.Since(begun).Seconds()
	return out, nil
}

// validation is the training and testing of one fold.
type validation[T any] struct {
	o       *CVOptions
	choices *settled
	rows    *dataset.Rows
	targets *targets
	scaled  scale.Kind
	first   bool
}

// run trains on all rows but those of a fold and tests on these.
func (v validation[T]) run(ctx context.Context, w typed[T], fold eval.Fold) (Fold, error) {
	o, rows, begun := v.o, v.rows, time.Now()
	out := Fold{Repeat: fold.Repeat + 1, Fold: fold.Index + 1}
	place := fmt.Sprintf("fold %d of %d", fold.Index+1, o.Folds)
	train, test := selected(v.targets.live, fold.Train()), selected(v.targets.live, fold.Test)
	part, err := encode[T](&o.Options, rows, v.targets, train, train, coding{v.scaled, o.Read.Categories})
	if err != nil {
		return out, err
	}
	if v.first {
		o.warnScales(part.encoding, part.train.X)
		o.warnExcess(v.choices, len(train))
	}
	tested, err := v.trainAndTest(ctx, w, part, train, test)
	if errors.Is(err, learn.ErrOneClass) {
		return out, badInput(rows.Name, place+" leaves rows of a single class to train on",
			"use other --folds, --seed or --groups")
	}
	if err != nil {
		return out, inFile(rows.Name, fmt.Errorf("%s: %w", place, err))
	}
	if len(tested.unknown) > 0 {
		o.warn("%s: the rows to train on have none with the label %s; such rows count as errors", place,
			strings.Join(tested.unknown, ", "))
	}
	p := tested.pipeline
	out.Score, out.NTrain, out.Status = tested.score, len(train), tested.training.Status
	out.Kernel, out.Map, out.Dim, out.Learner = spec.Short(p.KernelText()), tested.training.Map, p.Map.Dim(), p.Learner
	out.Seconds = time.Since(begun).Seconds()
	return out, nil
}

// tested is a model and how it did on rows that it was not trained on.
type tested[T any] struct {
	pipeline *model.Pipeline[T]
	training model.Training
	score    *Score
	unknown  []string // labels that the rows to train on did not have, the first few
}

// trainAndTest trains on the rows of a part and tests on others. When ctx ends, its
// error comes back.
func (v validation[T]) trainAndTest(
	ctx context.Context, w typed[T], p *part[T], train, test []int,
) (tested[T], error) {
	var out tested[T]
	whole, cancel := model.TimeLimit(ctx, 0)
	defer cancel()
	p, err := v.train(whole, w, p, train, &out)
	if err = cmp.Or(err, ctx.Err()); err != nil { // the best so far is no measure of the recipe
		return out, err
	}
	rows, ctl := v.rows, v.o.Run
	ctl.Counter = nil
	d := sampleRows(p.x, rows, test)
	scores, err := out.pipeline.ScoreAll(ctx, ctl, d.X)
	if err != nil {
		return out, err
	}
	known, err := truthOf(&out.pipeline.Head, rows, test)
	if err != nil {
		return out, err
	}
	out.unknown = known.unknown
	out.score, err = known.score(&out.pipeline.Head, scores, d.Weight, constantOf(p.train))
	return out, err
}

// train searches for a model of the rows to train on where nothing was chosen, or fits what was. It returns
// the part as the model wants it encoded.
func (v validation[T]) train(
	ctx context.Context, w typed[T], p *part[T], train []int, out *tested[T],
) (*part[T], error) {
	o := TrainOptions{Options: v.o.Options, Effort: cmp.Or(v.o.Effort, Least)}
	o.Choices.Calibrate, o.Note = "", nil // what is measured needs no probabilities
	s := *v.choices
	s.Calibrate = ""
	if s.searches(&o) {
		t := &training[T]{o: &o, kind: w.kind, choices: &s, rows: v.rows, targets: v.targets, part: p}
		picked, tr, err := t.searchFit(ctx, func(c coding) (*part[T], error) {
			return encode[T](&o.Options, v.rows, v.targets, train, train, c)
		})
		if err != nil || picked != nil {
			out.pipeline, out.training = t.pipeline, tr
			return t.part, err
		}
	}
	k, err := w.kind.Make(s.kernel, p.train.X, o.Seed)
	if err != nil {
		return nil, err
	}
	r, err := recipe(&o.Options, &s, k, len(train))
	if err != nil {
		return nil, err
	}
	left, err := leftOpen(&s, w.kind, k, p.train.X, o.Seed)
	if err != nil {
		return nil, err
	}
	out.pipeline, out.training, _, err = fit(ctx, r, left, p.train)
	return p, err
}

// folds divides the rows that have a positive weight, in which they are numbered
// among these.
func (t *targets) folds(rows *dataset.Rows, o *CVOptions) ([]eval.Fold, error) {
	if len(t.live) < o.Folds {
		return nil, badInput(rows.Name, fmt.Sprintf("%d rows cannot be divided into %d folds", len(t.live), o.Folds),
			"use fewer --folds")
	}
	f := eval.Folds{K: o.Folds, Repeats: o.Repeats, Seed: o.Seed}
	switch {
	case o.Groups != "":
		groups, err := rows.Groups(o.Groups, o.Read.Text)
		if err != nil {
			return nil, err
		}
		folds, err := f.Grouped(selected(groups, t.live))
		if err != nil {
			problem := fmt.Sprintf("column %q has fewer groups than there are folds, %d", o.Groups, o.Folds)
			return nil, badInput(rows.Name, problem, "use fewer --folds")
		}
		return folds, nil
	case t.none || t.task == model.Regress:
		return f.Plain(len(t.live))
	}
	return f.Stratified(selected(t.y, t.live))
}

// sum puts the folds together.
func (c *CrossValidated) sum(o *Options) {
	short := 0
	kinds, learners, kernels := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range c.Folds {
		c.Dim = max(c.Dim, f.Dim)
		kernel, _, _ := strings.Cut(f.Kernel, "(")
		kinds[f.Map], learners[f.Learner], kernels[kernel] = true, true, true
		if f.Status != learn.Converged {
			short++
		}
	}
	any := func(names map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(names)), " or ") }
	c.Map, c.Learner = any(kinds), any(learners)
	switch {
	case c.Searched:
		c.Kernel = any(kernels)
	case !c.Open:
		c.Kernel = c.Folds[0].Kernel
	}
	c.Mean, c.Std = meanStd(c.Folds)
	c.Baseline = o.compare(c.Folds)
	if short > 0 {
		o.warn("the learner did not get to its optimum in %d of %d folds (see --max-passes, --tolerance)", short,
			len(c.Folds))
	}
}

// meanStd returns the mean of each measure and its standard deviation, with the
// divisor n-1, over the folds that have it. The deviation of a single one is 0.
func meanStd(folds []Fold) (mean, std map[string]float64) {
	mean, std = map[string]float64{}, map[string]float64{}
	count := map[string]float64{}
	for _, f := range folds {
		for name, v := range f.Score.Measures() {
			count[name]++
			mean[name] += (v - mean[name]) / count[name]
		}
	}
	for _, f := range folds {
		for name, v := range f.Score.Measures() {
			std[name] = math.Hypot(std[name], v-mean[name])
		}
	}
	for name := range std {
		std[name] /= math.Sqrt(max(count[name]-1, 1))
	}
	return mean, std
}

// ticker is the progress of a task of few and long steps. The work inside a step
// shows that time passes, so that people see a line every few seconds and not
// one every few minutes.
type ticker struct {
	run.Progress
	done *int64
}

func newTicker(p run.Progress) ticker {
	done := new(int64)
	return ticker{done: done, Progress: run.Progress{
		Start:  func(task string, n int64) { *done = 0; p.Begin(task, n) },
		Step:   func(n int64) { *done = n; p.Advance(n) },
		Finish: p.End,
	}}
}

// inner returns the progress of the work inside a step.
func (t ticker) inner() run.Progress {
	return run.Progress{Step: func(int64) { t.Progress.Step(*t.done) }}
}
