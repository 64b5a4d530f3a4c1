package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Search is a way to search.
type Search string

// The ways to search.
const (
	Grid    Search = "grid"    // points in equal steps
	Random  Search = "random"  // points at random
	Halving Search = "halving" // points at random, all on few rows, the best third on three times as many, and so on
)

// Searches are all ways to search.
var Searches = []Search{Grid, Random, Halving}

// TuneOptions are the options of Tune. Of those of Train, Time is that of the
// search, after which it ends with the best so far; training the final model comes
// after it.
type TuneOptions struct {
	TrainOptions
	Search     Search
	Trials     int  // candidates, at most: a width and a dimension at one penalty each
	Folds      int  // parts of the rows, each tested on once
	FoldsGiven bool // of more than 20,000 rows a sample is taken, and a quarter of it tested on once unless this is set
}

// NewTuneOptions returns successive halving of 90 candidates in a minute.
func NewTuneOptions() TuneOptions {
	o := TuneOptions{TrainOptions: NewTrainOptions(), Search: Halving, Trials: 90, Folds: 3}
	o.Time = time.Minute
	return o
}

// Tune searches for the best choices of what is left open, each measured on rows
// that it was not trained on, and trains the best on all rows.
func Tune(ctx context.Context, path string, o TuneOptions) (*Tuned, error) {
	if err := cmp.Or(o.here(), o.apart(path)); err != nil {
		return nil, err
	}
	if t, _ := model.TraitsOf(o.Choices.Learner.Name); t.Unsupervised {
		return nil, dataset.BadOption("%s does not look at labels, and there is no error to search by",
			o.Choices.Learner.Name)
	}
	if o.Test != "" && o.Test != "-" { // a search is long, and a wrong name is soon found
		if err := dataset.CheckFile(ctx, o.Test); err != nil {
			return nil, err
		}
	}
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.tune(ctx, rows, &o)
}

// tuning is a search on instances of type T.
type tuning[T any] struct {
	o       *TuneOptions
	worker  typed[T]
	choices *settled
	rows    *dataset.Rows
	targets *targets
	space   space
	scale   scale.Kind
	index   []int // rows that the search may use
	large   bool  // whether these are a sample of more

	tick   ticker
	budget float64 // of parts
	parts  []measuredPart[T]
	notes  map[note]noted
	kept   *learn.Parts       // the state of the search; nil where none is kept
	known  map[note]keptTrial // evaluations that are done
	unkept error              // why they could not be kept
	maps   int                // of the rows of a fold
	fits   int                // at a penalty

	result  eval.Result[candidate]
	final   *training[T]
	medians medians // of all rows of the search
}

// measuredPart is a part of the rows, those to test on, and the median distances
// of those to train on.
type measuredPart[T any] struct {
	*part[T]
	test    data.Labeled[T, string]
	tested  []int // the rows to test on
	medians medians
}

// note is an evaluation, and noted what the search itself does not keep of it.
type (
	note struct {
		candidate
		budget float64
	}
	noted struct {
		std     *float64 // of the folds; nil where there is one
		seconds float64
	}
)

func (w typed[T]) tune(ctx context.Context, rows *dataset.Rows, o *TuneOptions) (*Tuned, error) {
	begun := time.Now()
	o.findTask(rows)
	s, err := settle(o.Choices, w.kind)
	if err != nil {
		return nil, err
	}
	t := &tuning[T]{o: o, worker: w, choices: s, rows: rows, notes: map[note]noted{}}
	if t.targets, err = targetsOf(rows, s); err != nil {
		return nil, err
	}
	if err := o.findCriterion(rows, s, t.targets); err != nil {
		return nil, err
	}
	rest, held, err := t.targets.holdOut(rows, o.Holdout, o.Seed)
	if err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		func() error { return t.prepare(rest) },
		func() error { return t.beginFinal(ctx, rest, held) },
		func() error { return t.resume(rest) },
		func() error { return t.searchAndTrain(ctx, rest) },
		t.finish,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	out := t.tuned()
	out.Seconds = time.Since(begun).Seconds()
	return out, nil
}

// searchRows is how many rows a search looks at.
const searchRows = 20_000

// prepare finds out what is searched, and on which rows.
func (t *tuning[T]) prepare(rest []int) error {
	o, spread := t.o, 1.0
	if t.choices.regresses() {
		if err := t.targets.numbers(t.rows); err != nil {
			return err
		}
		if spread = deviation(selected(t.targets.values, t.targets.live)); spread == 0 {
			spread = 1
		}
		t.targets.y = make([]int, t.rows.Len())
	}
	var err error
	if t.space, err = newSpace(t.choices, t.worker.kind, len(rest), spread/meanWeight(t.rows.Weights)); err != nil {
		return err
	}
	if t.scale, err = o.scaling(t.rows, t.space.width); err != nil {
		return err
	}
	t.index = rest
	if t.large = len(rest) > searchRows; t.large {
		t.index = t.sample(rest, float64(searchRows)/float64(len(rest)), seed.Derive(o.Seed, seed.SearchSample))
	}
	if len(t.index) < o.Folds {
		problem := fmt.Sprintf("%d rows cannot be divided into %d folds", len(t.index), o.Folds)
		return badInput(t.rows.Name, problem, "use fewer --folds")
	}
	return nil
}

// meanWeight returns the mean of weights, 1 where there are none.
func meanWeight(weights []float64) float64 {
	if weights == nil {
		return 1
	}
	return mean(weights)
}

func mean(v []float64) float64 {
	out := 0.0
	for _, s := range v {
		out += s / float64(len(v))
	}
	return out
}

// deviation returns the standard deviation of numbers that are finite.
func deviation(y []float64) float64 {
	mean, out := 0.0, 0.0
	for i, v := range y {
		mean += v/float64(i+1) - mean/float64(i+1)
	}
	for _, v := range y {
		out = math.Hypot(out, v-mean)
	}
	return out / math.Sqrt(float64(max(len(y), 1)))
}

// sample returns a part of the rows, class by class, and so many of each class
// that every fold can have one, where there are as many.
func (t *tuning[T]) sample(rows []int, part float64, sd uint64) []int {
	class := selected(t.targets.y, rows)
	left, chosen := data.SplitBy(class, part, sd)
	count := map[int]int{}
	for _, i := range chosen {
		count[class[i]]++
	}
	for _, i := range left {
		if count[class[i]] < t.o.Folds {
			chosen = append(chosen, i)
			count[class[i]]++
		}
	}
	slices.Sort(chosen)
	return selected(rows, chosen)
}

// fewestRows is how many rows the first round of halving has, at least.
const fewestRows = 300

// rounds returns the rounds of the search of n candidates.
func (t *tuning[T]) rounds(s eval.Search[candidate], n int) int {
	if t.o.Search != Halving {
		return 1
	}
	rounds, rows, left := 1, float64(len(t.index))*s.Keep, float64(n)*s.Keep
	for rounds < 4 && rows >= fewestRows && left >= 1 {
		rounds, rows, left = rounds+1, rows*s.Keep, left*s.Keep
	}
	return rounds
}

// lastFit is how many times the work of a candidate is that of the last training.
const lastFit = 2

// searchAndTrain searches, and trains what is best.
func (t *tuning[T]) searchAndTrain(ctx context.Context, rest []int) error {
	last := lastFit * roundWork(1, len(rest), 1)
	stages := t.o.Run.Progress.Divide("tune", last)
	defer stages.End()
	if err := t.search(ctx, stages, last); err != nil {
		return err
	}
	stages.Last("train", last)
	return t.train(ctx, rest)
}

// roundWork is about the work of some candidates on some rows in each of some folds. Those
// that are left for more rows have larger dimensions, so that it grows faster than the rows.
func roundWork(candidates float64, rows int, folds float64) float64 {
	return candidates * math.Pow(float64(rows), 1.5) * folds
}

// rounds are the sizes of those of a search.
type rounds struct {
	eval.Search[candidate]
	candidates, rows, folds int
}

// progress begins each round as a part of its own.
func (r rounds) progress(p run.Progress, search *run.Stages) run.Progress {
	round, begin := 0, p.Start
	p.Start = func(task string, total int64) {
		search.Next("", r.work(round))
		if round++; begin != nil {
			begin(task, total)
		}
	}
	return p
}

// work is that of a round, from 0.
func (r rounds) work(round int) float64 {
	rows := float64(r.rows) * math.Pow(r.Keep, float64(r.Rounds-1-round))
	return roundWork(max(1, float64(r.candidates)*math.Pow(r.Keep, float64(round))), int(rows), float64(r.folds-1))
}

// all is the work of all rounds.
func (r rounds) all() float64 {
	sum := 0.0
	for round := range r.Rounds {
		sum += r.work(round)
	}
	return sum
}

// search evaluates candidates until all are done or time is up; so much work comes after it.
func (t *tuning[T]) search(ctx context.Context, stages *run.Stages, last float64) error {
	o := t.o
	candidates, err := t.space.sample(o.Trials, o.Seed)
	if o.Search == Grid {
		candidates, err = t.space.grid(o.Trials)
	}
	if err != nil {
		return err
	}
	if len(candidates) == 1 {
		o.warn("the flags leave nothing to search; there is one candidate")
	}
	s := eval.NewSearch[candidate]()
	s.Rounds = t.rounds(s, len(candidates))
	s.Control = o.Run
	plan := rounds{s, len(candidates), len(t.index), o.Folds}
	work := plan.all()
	stages.Left(work + last)
	stages.Next("search", work)
	o.Run.Progress.Within(o.Time)
	search := o.Run.Progress.Divide("", work)
	defer search.End()
	t.tick = newTicker(plan.progress(o.Run.Progress, search))
	s.Control.Progress = t.tick.Progress
	limited, cancel := ctx, context.CancelFunc(func() {})
	if o.Time > 0 {
		limited, cancel = context.WithTimeout(ctx, o.Time)
	}
	defer cancel()
	t.result, err = s.RunGroups(limited, candidates, candidate.alike, t.evaluate)
	t.parts = nil
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.unkept != nil:
		return t.unkept
	case err != nil && t.result.Status == learn.TimeLimit:
		return fmt.Errorf("no candidate was measured within %v; allow more --time, or fewer --folds", o.Time)
	case err != nil:
		return t.failed()
	case t.result.Status == learn.TimeLimit:
		o.warn("time was up after %d evaluations; the best so far is taken (see --time)", len(t.result.Trials))
	}
	return nil
}

// failed says why all candidates failed.
func (t *tuning[T]) failed() error {
	first := t.result.Trials[0].Err
	if errors.Is(first, learn.ErrOneClass) {
		return badInput(t.rows.Name, "a class has too few rows to train on and to test on",
			"use other --folds or --seed, or more rows")
	}
	return inFile(t.rows.Name, fmt.Errorf("all %d candidates failed, the first: %w", len(t.result.Trials), first))
}

// beginFinal prepares the training of whatever is best: its rows, and those to test
// it on, whose faults are to be known before a long search.
func (t *tuning[T]) beginFinal(ctx context.Context, rest, held []int) error {
	o := t.o.TrainOptions
	o.Time = 0
	t.final = &training[T]{o: &o, kind: t.worker.kind, choices: t.choices, rows: t.rows, targets: t.targets}
	var err error
	as := coding{t.scale, o.Read.Categories}
	if t.final.part, err = encode[T](&o.Options, t.rows, t.targets, rest, rest, as); err != nil {
		return err
	}
	t.final.tested, err = t.final.testRows(ctx, held)
	return err
}

// train trains the best candidate on all rows of the search and measures it on
// those that were held out.
func (t *tuning[T]) train(ctx context.Context, rest []int) error {
	part := t.final.part
	t.o.warnScales(part.encoding, part.train.X)
	t.medians = newMedians(t.space, part.train.X, t.o.Seed)
	best := t.result.Best.Candidate
	t.final.choices = best.choices(t.choices, t.space)
	if t.space.width || len(t.space.kernels) > 1 {
		var err error
		if t.final.choices.kernel, err = spec.Parse(t.kernelOf(best)); err != nil {
			return err
		}
	}
	if t.kept != nil && t.choices.traits.Keeps {
		t.final.keep = t.keepFinal
	}
	if err := t.final.fit(ctx); err != nil {
		return err
	}
	return t.final.finish(ctx, rest)
}
