package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// trainFlags are the choices of kerf train.
type trainFlags struct {
	inputFlags
	learnerFlags
	test       string
	testLabel  string
	testWeight string
	holdout    float64
	out        string
	report     string
	checkpoint string
	limit      time.Duration
}

func (a *app) train() *cobra.Command {
	f := &trainFlags{}
	c := &cobra.Command{
		Use:   "train DATA",
		Short: "Train a model",
		Long: `Train a model: map the data into explicit features and train a linear
separator on them, or train a kernel machine. What is not chosen kerf picks
itself and says so.

DATA is a table (CSV, TSV, JSON Lines, Parquet), LIBSVM data, NPY or IDX with
--labels, FASTA, lines of text or sets, also compressed (.gz, .bz2, .zst); - is standard input.`,
		Example: `  kerf train data.csv --holdout 0.3 -o model.kerf
  kerf train c.csv --kernel 'rbf(gamma=1)' --map f2 --dim 100 --holdout 0.3 --json
  kerf train houses.csv --task regress --holdout 0.2
  kerf train survey.csv --target income --weight sampling_weight --test fresh.csv`,
		Args: cobra.ExactArgs(1),
	}
	flags := c.Flags()
	f.inputFlags.add(flags)
	f.inputFlags.addWeights(flags)
	f.learnerFlags.add(flags)
	flags.StringVar(&f.test, "test", "", "file with data to test on")
	flags.StringVar(&f.testLabel, "test-labels", "", "file with the labels of --test, for IDX or NPY data")
	flags.StringVar(&f.testWeight, "test-weights", "", "file with the weights of --test, one a line")
	flags.Float64Var(&f.holdout, "holdout", 0, "part of the data to hold out and test on, such as 0.3")
	flags.StringVarP(&f.out, "output", "o", "", "file to write the model to")
	flags.StringVar(&f.report, "report", "", "file to write a report with charts to, as one HTML page")
	flags.StringVar(&f.checkpoint, "checkpoint", "", "file to keep the learner's state in, of "+strings.Join(model.Keepers, ", ")+"; the same command goes on from it where it was ended")
	flags.DurationVar(&f.limit, "time", 0, "time after which the learner stops with the best so far, such as 30s (default: none)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.checkTrain(c); err != nil {
			return err
		}
		if f.checkpoint != "" && !slices.Contains(model.Keepers, f.learner) {
			return usage("--checkpoint is for %s; %s keeps no state", strings.Join(model.Keepers, ", "), f.learner)
		}
		return a.runTrain(c.Context(), args[0], f)
	}
	return c
}

// checkTrain reports flags that are out of range or do not go together.
func (f *trainFlags) checkTrain(c *cobra.Command) error {
	changed := c.Flags().Changed
	switch {
	case f.test != "" && changed("holdout"):
		return usage("--test and --holdout do not go together; choose one")
	case changed("holdout") && !(f.holdout > 0 && f.holdout < 1):
		return usage("--holdout is %v and must be between 0 and 1", f.holdout)
	case changed("output") && f.out == "":
		return usage("-o needs the name of a file")
	case f.testWeight != "" && f.test == "":
		return usage("--test-weights is for the rows of --test; --weights has those of the data")
	case changed("time") && f.limit <= 0:
		return usage("--time is %v and must be positive", f.limit)
	}
	if err := f.checkReport(c); err != nil {
		return err
	}
	if err := f.inputFlags.checkWeights(c.Flags()); err != nil {
		return err
	}
	if err := f.learnerFlags.check(c); err != nil {
		return err
	}
	return writable(f.out)
}

// trained is everything that training produced, on its way to the user.
type trained[T any] struct {
	flags    *trainFlags
	input    *dataset.Rows
	encoding *dataset.Encoding
	kind     instanceKind[T]
	x        data.Source[T]
	pipeline *model.Pipeline[T]
	training model.Training
	train    *score
	test     *score
	header   model.Header

	own, certify []int                    // rows that choose scale and width, and rows for a certificate; nil for all
	separator    *certificate.Certificate // of the separator, on test rows

	keep func(key []byte) (learn.Checkpoint, error) // opens the checkpoint of the training with that key; nil for none

	tested   data.Labeled[T, string] // rows that the model was tested on
	testedIn *dataset.Rows
}

func (a *app) runTrain(ctx context.Context, path string, f *trainFlags) error {
	kind, err := f.kindOf()
	if err != nil {
		return err
	}
	in, err := a.read(ctx, path, kind, true, &f.inputFlags)
	if err != nil {
		return err
	}
	if err := f.settle(string(in.Kind)); err != nil {
		return err
	}
	switch in.Kind {
	case dataset.Strings:
		return train(ctx, a, spec.Strings{}, in, f)
	case dataset.Sets:
		return train(ctx, a, spec.Sets{}, in, f)
	}
	return train(ctx, a, spec.Vectors{}, in, f)
}

// train trains on instances of type T.
func train[T any](ctx context.Context, a *app, kind instanceKind[T], in *dataset.Rows, f *trainFlags) error {
	ctl := a.control()
	rest, held, err := a.divide(in, f)
	if err != nil {
		return err
	}
	scaled, err := f.scaling(in, f.spec.Open())
	if err != nil {
		return err
	}
	t := &trained[T]{flags: f, input: in, kind: kind}
	if f.checkpoint != "" {
		t.keep = func(key []byte) (learn.Checkpoint, error) { return openCheckpoint(f.checkpoint, key) }
	}
	t.apart(rest, scaled != scale.None, a.seed)
	if t.encoding, err = fitEncoding(in, chosen(rest, t.own), scaled, &f.inputFlags); err != nil {
		return err
	}
	x, labels, err := decode[T](t.encoding, in)
	if err != nil {
		return err
	}
	t.x = x
	if labels == nil {
		labels = make([]string, x.Len()) // the one-class machine needs none
	}
	all := data.Labeled[T, string]{X: x, Y: labels, Weight: in.Weights}
	part := all.Select(rest)
	a.warnScales(t.encoding, part.X)
	if err := t.fit(ctx, a, part); err != nil {
		return err
	}
	if err := t.measure(ctx, a, ctl, part, all.Select(held)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.report != "" {
		if err := t.writeReport(ctx, a, ctl, part, rest, held); err != nil {
			return err
		}
	}
	if f.out != "" {
		if err := model.Save(f.out, t.pipeline, model.Kind[T](kind)); err != nil {
			return err
		}
	}
	return a.result(t.object(), t.print)
}

// ownPart is the part of the rows from which the scale and the width of the
// kernel are taken where a certificate is wanted.
const ownPart = 0.2

// apart sets the rows that choose scale and width apart from those that may
// serve a certificate, which must have no part in the choice. Both are positions
// among the rows to train on; without such a choice there is nothing to set apart.
func (t *trained[T]) apart(rest []int, scaled bool, s uint64) {
	if t.flags.err > 0 && (scaled || t.flags.spec.Open()) {
		t.certify, t.own = data.Split(len(rest), ownPart, s)
	}
}

// chosen returns the rows at the given positions, all of them for nil.
func chosen(rows, at []int) []int {
	if at == nil {
		return rows
	}
	out := make([]int, len(at))
	for i, j := range at {
		out[i] = rows[j]
	}
	return out
}

// divide returns the rows to train on and those held out.
func (a *app) divide(in *dataset.Rows, f *trainFlags) (rest, held []int, err error) {
	rest, held, err = splitRows(in, &f.learnerFlags, f.holdout, a.seed)
	if err != nil {
		return nil, nil, err
	}
	if f.holdout > 0 && len(held) == 0 {
		return nil, nil, badInput(in.Name, fmt.Sprintf("%d rows are too few to hold out %v of each class", in.Len(), f.holdout), "use a larger --holdout")
	}
	return rest, held, nil
}

// split divides the rows, class by class where they have classes, but for those
// of weight 0, which are in no part.
func splitRows(in *dataset.Rows, f *learnerFlags, part float64, s uint64) (rest, held []int, err error) {
	rows := in.Live()
	switch {
	case f.learner == model.LearnerOneClass:
		rest, held = data.Split(len(rows), part, s)
	case f.regresses():
		if in.Labels == nil {
			return nil, nil, badInput(in.Name, "the rows have no targets to learn", "name the target's column with --target")
		}
		rest, held = data.Split(len(rows), part, s)
	default:
		if err := checkClasses(in); err != nil {
			return nil, nil, err
		}
		_, y := data.Encode(in.LiveLabels())
		rest, held = data.SplitBy(y, part, s)
	}
	if in.Weights == nil {
		return rest, held, nil
	}
	return selected(rows, rest), selected(rows, held), nil
}

// checkClasses reports rows without labels, or with labels that are no classes.
func checkClasses(in *dataset.Rows) error {
	if in.Labels == nil {
		return badInput(in.Name, "the rows have no labels to learn", "name the label's column with --target")
	}
	classes, _ := data.Encode(in.Labels)
	switch {
	case in.Len() == 1:
		return badInput(in.Name, "there is only one row, and at least two with different labels are needed", "")
	case classes.Len() == 1:
		return badInput(in.Name, fmt.Sprintf("all %d rows have the label %q, and there is nothing to separate", in.Len(), classes.Names[0]), "check --target")
	case classes.Len() > 1000 || in.IsTable() && classes.Len() > 20 && 2*classes.Len() > in.Len():
		return badInput(in.Name, fmt.Sprintf("the target has %d different values in %d rows, which are no classes", classes.Len(), in.Len()), "check --target, or use --task regress for numbers")
	}
	return in.CheckWeighedClasses()
}

// kindOf returns the kind of instances that the flags ask for, empty where the
// file is to decide.
func (f *trainFlags) kindOf() (string, error) {
	if f.kernel == "" {
		return f.inputFlags.kind(spec.Kernel{})
	}
	return f.inputFlags.kind(f.spec)
}

// fit trains the pipeline.
func (t *trained[T]) fit(ctx context.Context, a *app, part data.Labeled[T, string]) error {
	f := t.flags
	sample := part.X
	if t.own != nil {
		sample = part.Select(t.own).X
	}
	k, err := t.kind.Make(f.spec, sample, a.seed)
	if err != nil {
		return err
	}
	r, err := learnerRecipe(a, &f.learnerFlags, k, part.X.Len())
	if err != nil {
		return err
	}
	r.Certify = t.certify
	if t.keep != nil {
		if r.Checkpoint, err = t.keep(checkpointKey(r, model.Kind[T](t.kind), part)); err != nil {
			return err
		}
	}
	if part.Weight != nil && f.conformal > 0 {
		a.warn("prediction sets hold for rows that come as these do, not as they are weighted")
	}
	limited, cancel := ctx, func() {}
	if f.limit > 0 {
		limited, cancel = context.WithTimeout(ctx, f.limit)
	}
	defer cancel()
	if t.pipeline, t.training, err = fitRecipe(limited, r, f.regresses(), part, t.input); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("the %v of --time were over before there was a model; give it more", f.limit)
		}
		return named(t.input.Name, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.warnStatus(a)
	if t.pipeline.Schema, err = json.Marshal(t.encoding); err != nil {
		return err
	}
	t.pipeline.Trained, err = json.Marshal(map[string]any{
		"n": part.X.Len(), "status": t.training.Status, "objective": t.training.Objective, "gap": t.training.Gap, "seed": a.seed,
		"weights": weighingOf(t.input, &f.inputFlags),
	})
	if err != nil {
		return err
	}
	t.header, err = model.Describe(t.pipeline, model.Kind[T](t.kind))
	return err
}

// fitRecipe fits a recipe to labels or to numbers.
func fitRecipe[T any](ctx context.Context, r model.Recipe[T], regress bool, d data.Labeled[T, string], in *dataset.Rows) (*model.Pipeline[T], model.Training, error) {
	if !regress {
		return r.Fit(ctx, d)
	}
	y, err := dataset.Values(in.Name, d.Y)
	if err != nil {
		return nil, model.Training{}, err
	}
	return r.FitValues(ctx, data.Labeled[T, float64]{X: d.X, Y: y, Weight: d.Weight})
}

// scheduled are learners that take a given number of steps.
var scheduled = []string{model.LearnerPegasos, model.LearnerKernelSGD, model.LearnerAveragedPerceptron, model.LearnerBoost, model.LearnerBoostHalfspace}

// warnStatus tells of a learner that did not get to its end.
func (t *trained[T]) warnStatus(a *app) {
	switch s := t.training.Status; s {
	case learn.Converged:
	case learn.NotSeparable:
		a.warn("the classes cannot be separated without errors by this learner; the model is the best so far")
	default:
		if s == learn.IterationLimit && slices.Contains(scheduled, t.flags.learner) {
			break // they take so many steps and no more
		}
		a.warn("the learner stopped at its %s; the model is the best so far (see --max-passes, --tolerance)", s)
	}
	if e := t.training.Earned; e != nil && !e.Holds {
		a.warn("nothing could be certified: %s", e.Words)
	}
}

// named adds the file's name to a fault of its rows.
func named(name string, err error) error {
	if _, ok := err.(*data.InputError); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// measure evaluates the model on the rows it was trained on and on others.
func (t *trained[T]) measure(ctx context.Context, a *app, ctl run.Control, part, kept data.Labeled[T, string]) error {
	var err error
	t.tested, t.testedIn = kept, t.input
	if t.flags.test != "" {
		if err := t.readTest(ctx, a); err != nil {
			return err
		}
	}
	held, on := t.tested, t.testedIn
	if t.flags.learner == model.LearnerOneClass {
		return t.measureOutliers(ctx, ctl, part, held)
	}
	if t.train, err = scoreOn(ctx, a, ctl, t.pipeline, t.input, part); err != nil {
		return err
	}
	if len(held.Y) == 0 {
		return nil
	}
	t.test, err = scoreOn(ctx, a, ctl, t.pipeline, on, held)
	if err != nil || t.training.Earned == nil {
		return err
	}
	return t.certifySeparator(ctx, ctl, held)
}

// readTest reads the data to test on. A one-class machine needs no labels there.
func (t *trained[T]) readTest(ctx context.Context, a *app) error {
	flags := t.flags.inputFlags
	flags.labels, flags.rowWeights, flags.weightSpare = t.flags.testLabel, t.flags.testWeight, true
	in, err := a.read(ctx, t.flags.test, string(t.input.Kind), true, &flags)
	if err != nil {
		return err
	}
	x, labels, err := decode[T](t.encoding, in)
	if err != nil {
		return err
	}
	if labels == nil && t.flags.learner != model.LearnerOneClass {
		return badInput(in.Name, "the rows have no labels to test against", "use kerf predict for such data")
	}
	weights, err := t.encoding.WeightsOf(in, dataset.Options{Weight: flags.weight, WeightSpare: true})
	if err = cmp.Or(err, dataset.SomeWeight(in.Name, weights)); err != nil {
		return err
	}
	t.tested, t.testedIn = data.Labeled[T, string]{X: x, Y: labels, Weight: weights}, in
	return nil
}

// certifySeparator bounds the error of the separator at half of the certified
// map's margin from the rows that it was tested on.
func (t *trained[T]) certifySeparator(ctx context.Context, ctl run.Control, held data.Labeled[T, string]) error {
	y, _ := classIndex(t.pipeline.Classes, held.Y)
	ctl.Counter = nil
	m, err := t.pipeline.Margins(ctx, ctl, held.X, y)
	if err != nil {
		return err
	}
	e := t.training.Earned
	c, err := certificate.HeldOut(m, 0, e.Certificate.Error, t.flags.confidence, t.pipeline.Map.Dim())
	t.separator = &c
	return err
}

// measureOutliers counts the rows that a one-class machine calls outliers.
func (t *trained[T]) measureOutliers(ctx context.Context, ctl run.Control, part, held data.Labeled[T, string]) error {
	ctl.Counter = nil
	count := func(d data.Labeled[T, string]) (*score, error) {
		scores, err := t.pipeline.ScoreAll(ctx, ctl, d.X)
		if err != nil {
			return nil, err
		}
		m := eval.Measure{Weight: d.Weight}.Metrics(predicted(t.pipeline, scores), repeated(1, d.X.Len()), 2)
		return &score{Metrics: &m, outliers: true}, nil
	}
	var err error
	if t.train, err = count(part); err != nil || held.X.Len() == 0 {
		return err
	}
	t.test, err = count(held)
	return err
}

func repeated(v, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// kernelName is what the model's kernel is called.
func kernelName[T any](k kernel.Kernel[T]) string {
	if k == nil {
		return "linear"
	}
	return fmt.Sprint(k)
}
