package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// tuneFlags are the choices of kerf tune: those of kerf train, and how to
// search.
type tuneFlags struct {
	trainFlags
	search string
	trials int
	folds  int

	foldsGiven bool
}

// Ways to search.
const (
	searchGrid    = "grid"
	searchRandom  = "random"
	searchHalving = "halving"
)

func (a *app) tune() *cobra.Command {
	f := &tuneFlags{}
	c := &cobra.Command{
		Use:   "tune DATA",
		Short: "Search for the best kernel, width, map, dimension and regularisation",
		Long: `Search for the best choices, each measured on rows that it was not trained on,
and train the best one on all rows. Searched is what the flags leave open: the
kernel and its width, around the median distance; the map; the dimension; C or
lambda. A learner that chooses for itself, such as ridge, is left to it.

  grid     points in equal steps
  random   points at random
  halving  points at random, all of them on few rows, the best third of them on
           three times as many, and so on up to all

Every width and dimension that is tried is tried at several prices: the rows are
mapped once for all of them, and the learner starts at each price from where it
ended at the one before.

The error of the best trial is that of the luckiest one, too; --test and --holdout
measure the final model on rows that had no part in the search.`,
		Example: `  kerf tune data.csv -o model.kerf
  kerf tune data.csv --holdout 0.3 --trials 50 --time 2m --json
  kerf tune data.csv --kernel laplace --learner kernel-svm --search grid`,
		Args: cobra.ExactArgs(1),
	}
	flags := c.Flags()
	f.inputFlags.add(flags)
	f.inputFlags.addWeights(flags)
	f.learnerFlags.add(flags)
	flags.StringVar(&f.search, "search", searchHalving, "how to search: grid, random or halving")
	flags.IntVar(&f.trials, "trials", 90, "candidates, at most: a width and a dimension at one price each")
	flags.DurationVar(&f.limit, "time", time.Minute, "time after which the search ends with the best so far; training the final model comes after it")
	flags.IntVar(&f.folds, "folds", 3, "parts of the rows, each tested on once; of more than 20,000 rows that many are taken, and a quarter of them tested on unless this is given")
	flags.StringVar(&f.test, "test", "", "file with data to test the final model on")
	flags.StringVar(&f.testLabel, "test-labels", "", "file with the labels of --test, for IDX or NPY data")
	flags.StringVar(&f.testWeight, "test-weights", "", "file with the weights of --test, one a line")
	flags.Float64Var(&f.holdout, "holdout", 0, "part of the data to keep from the search and to test the final model on, such as 0.3")
	flags.StringVarP(&f.out, "output", "o", "", "file to write the model to")
	flags.StringVar(&f.report, "report", "", "file to write a report with charts to, as one HTML page")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "file to keep the trials in, and the state of the final training; the same command goes on from it where it was ended")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.checkTune(c); err != nil {
			return err
		}
		return a.runTune(c.Context(), args[0], f)
	}
	return c
}

// checkTune reports flags that are out of range or do not go together.
func (f *tuneFlags) checkTune(c *cobra.Command) error {
	changed := c.Flags().Changed
	f.foldsGiven = changed("folds")
	switch {
	case !slices.Contains([]string{searchGrid, searchRandom, searchHalving}, f.search):
		return usage("--search is %q and must be grid, random or halving", f.search)
	case f.trials < 1 || f.trials > 10_000:
		return usage("--trials is %d and must be from 1 to 10000", f.trials)
	case f.folds < 2:
		return usage("--folds is %d and must be at least 2", f.folds)
	case changed("error"):
		return usage("--error finds the dimension of one model; use it with kerf train")
	}
	if err := f.checkTrain(c); err != nil {
		return err
	}
	if f.learner == model.LearnerOneClass {
		return usage("%s does not look at labels, and there is no error to search by", f.learner)
	}
	return nil
}

func (a *app) runTune(ctx context.Context, path string, f *tuneFlags) error {
	if f.test != "" && f.test != "-" { // a search is long, and a wrong name is soon found
		t, err := file.Open(ctx, f.test, nil)
		if err != nil {
			return err
		}
		_ = t.Close()
	}
	in, err := a.readFor(ctx, path, &f.inputFlags, &f.learnerFlags)
	if err != nil {
		return err
	}
	switch in.kind {
	case spec.KindStrings:
		return tune(ctx, a, spec.Strings{}, in, f)
	case spec.KindSets:
		return tune(ctx, a, spec.Sets{}, in, f)
	}
	return tune(ctx, a, spec.Vectors{}, in, f)
}

// tuning is a search on instances of type T.
type tuning[T any] struct {
	app   *app
	kind  instanceKind[T]
	flags *tuneFlags
	input *input
	space tuneSpace
	scale scale.Kind
	rows  []int // that the search may use
	class []int // of each row of the input; zeros for numbers
	large bool  // whether the rows are a sample of more

	tick   ticker
	budget float64 // of parts
	parts  []measuredPart[T]
	notes  map[note]noted
	kept   *learn.Parts       // the state of the search; nil where none is kept
	known  map[note]keptTrial // evaluations that are done
	unkept error              // why they could not be kept
	maps   int                // of the rows of a fold
	fits   int                // at a price

	result  eval.Result[candidate]
	final   *trained[T]
	medians medians // of all rows of the search
	begun   time.Time
}

// measuredPart is a part of the rows and the median distances of its rows to train on.
type measuredPart[T any] struct {
	part[T]
	medians medians
}

// note is an evaluation, and noted what the search itself does not keep of it.
type (
	note struct {
		candidate
		budget float64
	}
	noted struct {
		std     any // of the folds; nil where there is one
		seconds float64
	}
)

// tune searches on instances of type T and trains the best.
func tune[T any](ctx context.Context, a *app, kind instanceKind[T], in *input, f *tuneFlags) error {
	t := &tuning[T]{app: a, kind: kind, flags: f, input: in, notes: map[note]noted{}, begun: time.Now()}
	rest, held, err := a.divide(in, &f.trainFlags)
	if err != nil {
		return err
	}
	if err := t.prepare(rest); err != nil {
		return err
	}
	if err := t.resume(rest); err != nil {
		return err
	}
	if err := t.search(ctx); err != nil {
		return err
	}
	if err := t.train(ctx, rest, held); err != nil {
		return err
	}
	if err := t.finish(); err != nil {
		return err
	}
	return a.result(t.object(), t.print)
}

// searchRows is how many rows a search looks at.
const searchRows = 20_000

// prepare finds out what is searched, and on which rows.
func (t *tuning[T]) prepare(rest []int) error {
	f, in, spread := t.flags, t.input, 1.0
	t.class = make([]int, in.Len())
	if f.regresses() {
		y, err := in.values(in.liveLabels())
		if err != nil {
			return err
		}
		if spread = deviation(y); spread == 0 {
			spread = 1
		}
	} else {
		_, t.class = data.Encode(in.labels)
	}
	var err error
	if t.space, err = newTuneSpace(&f.learnerFlags, in.kind, len(rest), spread/meanWeight(in.weights)); err != nil {
		return err
	}
	if t.scale, err = f.scaling(in, t.space.width); err != nil {
		return err
	}
	t.rows = rest
	if t.large = len(rest) > searchRows; t.large {
		t.rows = t.sample(rest, float64(searchRows)/float64(len(rest)), t.app.seed+5)
	}
	if len(t.rows) < f.folds {
		return badInput(in.name, fmt.Sprintf("%d rows cannot be divided into %d folds", len(t.rows), f.folds), "use fewer --folds")
	}
	return nil
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
	class := t.classesOf(rows)
	left, chosen := data.SplitBy(class, part, sd)
	count := map[int]int{}
	for _, i := range chosen {
		count[class[i]]++
	}
	for _, i := range left {
		if count[class[i]] < t.flags.folds {
			chosen = append(chosen, i)
			count[class[i]]++
		}
	}
	slices.Sort(chosen)
	return selected(rows, chosen)
}

func (t *tuning[T]) classesOf(rows []int) []int { return selected(t.class, rows) }

// selected returns the elements of a list that another list names.
func selected(list, index []int) []int {
	out := make([]int, len(index))
	for i, j := range index {
		out[i] = list[j]
	}
	return out
}

// fewestRows is how many rows the first round of halving has, at least.
const fewestRows = 300

// rounds returns the rounds of the search of n candidates.
func (t *tuning[T]) rounds(s eval.Search[candidate], n int) int {
	if t.flags.search != searchHalving {
		return 1
	}
	rounds, rows, left := 1, float64(len(t.rows))*s.Keep, float64(n)*s.Keep
	for rounds < 4 && rows >= fewestRows && left >= 1 {
		rounds, rows, left = rounds+1, rows*s.Keep, left*s.Keep
	}
	return rounds
}

// search evaluates candidates until all are done or time is up.
func (t *tuning[T]) search(ctx context.Context) error {
	f := t.flags
	candidates, err := t.space.sample(f.trials, t.app.seed)
	if f.search == searchGrid {
		candidates, err = t.space.grid(f.trials)
	}
	if err != nil {
		return err
	}
	if len(candidates) == 1 {
		t.app.warn("the flags leave nothing to search; there is one candidate")
	}
	s := eval.NewSearch[candidate]()
	s.Rounds = t.rounds(s, len(candidates))
	s.Control = t.app.control()
	t.tick = newTicker(s.Control.Progress)
	s.Control.Progress = t.tick.Progress
	limited, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	t.result, err = s.RunGroups(limited, candidates, candidate.alike, t.evaluate)
	t.parts = nil
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case t.unkept != nil:
		return t.unkept
	case err != nil && t.result.Status == learn.TimeLimit:
		return fmt.Errorf("no candidate was measured within %v; allow more --time, or fewer --folds", f.limit)
	case err != nil:
		return t.failed()
	case t.result.Status == learn.TimeLimit:
		t.app.warn("time was up after %d evaluations; the best so far is taken (see --time)", len(t.result.Trials))
	}
	return nil
}

// failed says why all candidates failed.
func (t *tuning[T]) failed() error {
	first := t.result.Trials[0].Err
	if errors.Is(first, learn.ErrOneClass) {
		return badInput(t.input.name, "a class has too few rows to train on and to test on", "use other --folds or --seed, or more rows")
	}
	return named(t.input.name, fmt.Errorf("all %d candidates failed, the first: %w", len(t.result.Trials), first))
}

// train trains the best candidate on all rows of the search and measures it on
// those that were held out.
func (t *tuning[T]) train(ctx context.Context, rest, held []int) error {
	e, err := t.input.fitEncoding(rest, t.scale, &t.flags.inputFlags)
	if err != nil {
		return err
	}
	x, labels, err := decode[T](e, t.input.chunk)
	if err != nil {
		return err
	}
	all := data.Labeled[T, string]{X: x, Y: labels, Weight: t.input.weights}
	part := all.Select(rest)
	t.app.warnScales(e, part.X)
	t.medians = newMedians(t.space, part.X, t.app.seed)
	best := t.result.Best.Candidate
	flags := t.flags.trainFlags
	flags.learnerFlags, flags.limit = *best.flags(&t.flags.learnerFlags, t.space), 0
	if t.space.width || len(t.space.kernels) > 1 {
		if flags.spec, err = spec.Parse(t.kernelOf(best)); err != nil {
			return err
		}
	}
	t.final = &trained[T]{flags: &flags, input: t.input, encoding: e, kind: t.kind, x: x}
	if t.kept != nil && slices.Contains(model.Keepers, flags.learner) {
		t.final.keep = t.keepFinal
	}
	if err := t.final.fit(ctx, t.app, part); err != nil {
		return err
	}
	if err := t.final.measure(ctx, t.app, t.app.control(), part, all.Select(held)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if flags.report != "" {
		if err := t.writeReport(ctx, part, rest, held); err != nil {
			return err
		}
	}
	if flags.out != "" {
		return model.Save(flags.out, t.final.pipeline, model.Kind[T](t.kind))
	}
	return nil
}
