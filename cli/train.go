package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csvfile"
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
	mapFlags
	test      string
	testLabel string
	holdout   float64
	out       string
	learner   string
	c         float64
	tolerance float64
	passes    int

	err, confidence, margin float64 // what the map is to certify
}

func (a *app) train() *cobra.Command {
	f := &trainFlags{}
	c := &cobra.Command{
		Use:   "train DATA",
		Short: "Train a model",
		Long: `Train a model: map the data into explicit features and train a linear
separator on them. What is not chosen kerf picks itself and says so.

DATA is a table (CSV, TSV, JSON Lines, Parquet), LIBSVM data, NPY or IDX with
--labels, FASTA, lines of text or sets, also compressed (.gz, .bz2, .zst); - is standard input.`,
		Example: `  kerf train data.csv --holdout 0.3 -o model.kerf
  kerf train c.csv --kernel 'rbf(gamma=1)' --map f2 --dim 100 --holdout 0.3 --json`,
		Args: cobra.ExactArgs(1),
	}
	flags := c.Flags()
	f.inputFlags.add(flags)
	f.mapFlags.add(flags)
	flags.StringVar(&f.test, "test", "", "file with data to test on")
	flags.StringVar(&f.testLabel, "test-labels", "", "file with the labels of --test, for IDX or NPY data")
	flags.Float64Var(&f.holdout, "holdout", 0, "part of the data to hold out and test on, such as 0.3")
	flags.StringVarP(&f.out, "output", "o", "", "file to write the model to")
	flags.StringVar(&f.learner, "learner", model.LearnerSVM, "learner: "+strings.Join(model.Learners, ", "))
	flags.Float64Var(&f.c, "C", 0, "price of a unit of hinge loss (default: chosen on held-out training rows)")
	flags.Float64Var(&f.tolerance, "tolerance", 1e-3, "duality gap, relative to the objective, at which the svm stops")
	flags.IntVar(&f.passes, "max-passes", 0, "passes over the data after which a learner stops (default: 1000, more for few rows)")
	flags.Float64Var(&f.err, "error", 0, "instead of --dim: grow the map until it is certified on fresh rows to add at most this error")
	flags.Float64Var(&f.confidence, "confidence", 0.95, "of the certificate")
	flags.Float64Var(&f.margin, "margin", 0, "margin of the targets that the certificate speaks of (default: chosen on rows set apart, see kerf margin)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(c); err != nil {
			return err
		}
		return a.runTrain(c.Context(), args[0], f)
	}
	return c
}

// check reports flags that are out of range or do not go together.
func (f *trainFlags) check(c *cobra.Command) error {
	changed := c.Flags().Changed
	switch {
	case f.test != "" && changed("holdout"):
		return usage("--test and --holdout do not go together; choose one")
	case changed("holdout") && !(f.holdout > 0 && f.holdout < 1):
		return usage("--holdout is %v and must be between 0 and 1", f.holdout)
	case !slices.Contains(model.Learners, f.learner):
		return usage("unknown learner %q; there are %s", f.learner, strings.Join(model.Learners, ", "))
	case changed("C") && !(f.c > 0 && f.c <= 1e12):
		return usage("--C is %v and must be a positive number", f.c)
	case changed("C") && f.learner != model.LearnerSVM:
		return usage("--C is for the svm; %s has none", f.learner)
	case !(f.tolerance >= 0 && f.tolerance < 1):
		return usage("--tolerance is %v and must be at least 0 and below 1", f.tolerance)
	case changed("output") && f.out == "":
		return usage("-o needs the name of a file")
	case changed("max-passes") && f.passes < 1:
		return usage("--max-passes is %d and must be at least 1", f.passes)
	}
	if err := f.checkClaim(c); err != nil {
		return err
	}
	if f.learner == model.LearnerKernelPerceptron {
		if changed("map") && f.mapKind != model.MapNone || changed("dim") {
			return usage("--learner %s works in the kernel's own space; drop --map and --dim", f.learner)
		}
		f.mapKind = model.MapNone
	}
	if err := writable(f.out); err != nil {
		return err
	}
	return f.mapFlags.check(c, f.learner == model.LearnerKernelPerceptron)
}

// checkClaim reports flags of a certificate that do not go together.
func (f *trainFlags) checkClaim(c *cobra.Command) error {
	changed := c.Flags().Changed
	switch {
	case !changed("error") && (changed("confidence") || changed("margin")):
		return usage("--confidence and --margin are for a certificate; give --error too")
	case !changed("error"):
		return nil
	case changed("dim"):
		return usage("--error finds the dimension itself; drop --dim")
	case f.repair != "" || f.selection != "":
		return usage("--error grows f2 from landmarks drawn at random; drop --repair and --select")
	case f.learner == model.LearnerKernelPerceptron || f.mapKind != "" && f.mapKind != model.MapF2 && f.mapKind != model.MapF3:
		return usage("--error certifies the maps f2 and f3; choose one")
	case !(f.err > 0 && f.err < 1):
		return usage("--error is %v and must be between 0 and 1", f.err)
	case !(f.confidence > 0 && f.confidence < 1):
		return usage("--confidence is %v and must be between 0 and 1", f.confidence)
	case changed("margin") && !(f.margin > 0 && f.margin <= 1):
		return usage("--margin is %v and must be above 0 and at most 1", f.margin)
	}
	return nil
}

// trained is everything that training produced, on its way to the user.
type trained[T any] struct {
	flags    *trainFlags
	input    *input
	encoding *encoding
	kind     instanceKind[T]
	x        data.Source[T]
	pipeline *model.Pipeline[T]
	training model.Training
	train    eval.Metrics
	test     *eval.Metrics
	header   model.Header

	separator *certificate.Certificate // of the separator, on test rows
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
	if err := f.settle(in.kind); err != nil {
		return err
	}
	switch in.kind {
	case spec.KindStrings:
		return train(ctx, a, spec.Strings{}, in, f)
	case spec.KindSets:
		return train(ctx, a, spec.Sets{}, in, f)
	}
	return train(ctx, a, spec.Vectors{}, in, f)
}

// train trains on instances of type T.
func train[T any](ctx context.Context, a *app, kind instanceKind[T], in *input, f *trainFlags) error {
	ctl := a.control()
	rest, held, err := a.divide(in, f)
	if err != nil {
		return err
	}
	scale, err := f.scaling(in, f.spec.Open())
	if err != nil {
		return err
	}
	t := &trained[T]{flags: f, input: in, kind: kind}
	if t.encoding, err = in.fitEncoding(rest, scale, &f.inputFlags); err != nil {
		return err
	}
	x, labels, err := decode[T](t.encoding, in.chunk)
	if err != nil {
		return err
	}
	t.x = x
	all := data.Labeled[T, string]{X: x, Y: labels}
	part := all.Select(rest)
	a.warnScales(t.encoding, part.X)
	if err := t.fit(ctx, a, ctl, part); err != nil {
		return err
	}
	if err := t.measure(ctx, a, ctl, part, all.Select(held)); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.out != "" {
		if err := model.Save(f.out, t.pipeline, model.Kind[T](kind)); err != nil {
			return err
		}
	}
	return a.result(t.object(), t.print)
}

// divide returns the rows to train on and those held out.
func (a *app) divide(in *input, f *trainFlags) (rest, held []int, err error) {
	if err := in.checkClasses(); err != nil {
		return nil, nil, err
	}
	_, y := data.Encode(in.labels)
	rest, held = data.SplitBy(y, f.holdout, a.seed)
	if f.holdout > 0 && len(held) == 0 {
		return nil, nil, badInput(in.name, fmt.Sprintf("%d rows are too few to hold out %v of each class", in.Len(), f.holdout), "use a larger --holdout")
	}
	return rest, held, nil
}

// checkClasses reports rows without labels, or with labels that are no classes.
func (in *input) checkClasses() error {
	if in.labels == nil {
		return badInput(in.name, "the rows have no labels to learn", "name the label's column with --target")
	}
	classes, _ := data.Encode(in.labels)
	switch {
	case in.Len() == 1:
		return badInput(in.name, "there is only one row, and at least two with different labels are needed", "")
	case classes.Len() == 1:
		return badInput(in.name, fmt.Sprintf("all %d rows have the label %q, and there is nothing to separate", in.Len(), classes.Names[0]), "check --target")
	case classes.Len() > 1000 || in.table != nil && classes.Len() > 20 && 2*classes.Len() > in.Len():
		return badInput(in.name, fmt.Sprintf("the target has %d different values in %d rows, which are no classes", classes.Len(), in.Len()), "check --target")
	}
	return nil
}

// kindOf returns the kind of instances that the flags ask for, empty where the
// file is to decide.
func (f *trainFlags) kindOf() (string, error) {
	if f.kernel == "" {
		return f.inputFlags.kind(spec.Kernel{})
	}
	return f.inputFlags.kind(f.spec)
}

// scaling returns the scaling of a table's numbers. Numbers are taken as they
// stand if the user gave the kernel's width, which is in their units.
func (f *inputFlags) scaling(in *input, open bool) (csvfile.Scale, error) {
	if f.scale == "auto" {
		if in.table != nil && in.kind == spec.KindVectors && open {
			return csvfile.Standard, nil
		}
		return csvfile.None, nil
	}
	s, err := csvfile.ParseScale(f.scale)
	if err != nil {
		return s, usage("--%w, or auto", err)
	}
	return s, nil
}

// warnScales tells of columns whose sizes are so different that a distance sees
// only one of them.
func (a *app) warnScales(e *encoding, instances any) {
	x, ok := instances.(data.Source[data.Vector])
	if !ok || e.Table == nil || e.Table.Scale != csvfile.None || x.Len() == 0 {
		return
	}
	var numbers []int
	for _, c := range e.Table.Columns {
		if c.Kind == csvfile.Number {
			numbers = append(numbers, c.Offset)
		}
	}
	if low, high := spreads(x, numbers); high/low > 100 {
		a.warn("the columns' spreads differ by a factor of %.0f; try --scale standard", high/low)
	}
}

// rowVisits is how many rows a learner may visit where the user set no limit: a
// few seconds of work for few rows, and 1000 passes over many.
const rowVisits = 20_000_000

// fit trains the pipeline.
func (t *trained[T]) fit(ctx context.Context, a *app, ctl run.Control, part data.Labeled[T, string]) error {
	f := t.flags
	k, err := t.kind.Make(f.spec, part.X, a.seed)
	if err != nil {
		return err
	}
	r := recipe(&f.mapFlags, k, part.X.Len())
	r.Learner, r.Tolerance, r.MaxPasses, r.Seed, r.Run = f.learner, f.tolerance, f.passes, a.seed, ctl
	if f.passes == 0 {
		r.MaxPasses = min(max(1000, rowVisits/part.X.Len()), 20000)
	}
	if f.c > 0 {
		r.C, r.ChooseC = f.c, false
	}
	if f.err > 0 {
		if f.mapKind == model.MapNone {
			return usage("--error certifies a map into features; the linear kernel has none to choose")
		}
		claim := certificate.NewClaim(f.margin, f.err, f.confidence)
		r.Claim = &claim
	}
	if t.pipeline, t.training, err = r.Fit(ctx, part); err != nil {
		return named(t.input.name, err)
	}
	if t.training.Status == learn.Cancelled {
		return ctx.Err()
	}
	if t.training.Status != learn.Converged {
		a.warn("the learner stopped at its %s; the model is the best so far (see --max-passes, --tolerance)", t.training.Status)
	}
	if e := t.training.Earned; e != nil && !e.Holds {
		a.warn("nothing could be certified: %s", e.Words)
	}
	if t.pipeline.Schema, err = t.encoding.raw(); err != nil {
		return err
	}
	t.pipeline.Trained, err = json.Marshal(map[string]any{
		"n": part.X.Len(), "status": t.training.Status, "objective": t.training.Objective, "gap": t.training.Gap, "seed": a.seed,
	})
	if err != nil {
		return err
	}
	t.header, err = model.Describe(t.pipeline, model.Kind[T](t.kind))
	return err
}

// named adds the file's name to a fault of its rows.
func named(name string, err error) error {
	if _, ok := err.(*data.InputError); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// measure evaluates the model on the rows it was trained on and on others.
func (t *trained[T]) measure(ctx context.Context, a *app, ctl run.Control, part, held data.Labeled[T, string]) error {
	var err error
	if t.train, err = metrics(ctx, a, ctl, t.pipeline, t.input.name, part); err != nil {
		return err
	}
	name := t.input.name
	if t.flags.test != "" {
		flags := t.flags.inputFlags
		flags.labels = t.flags.testLabel
		in, err := a.read(ctx, t.flags.test, t.input.kind, true, &flags)
		if err != nil {
			return err
		}
		x, labels, err := decode[T](t.encoding, in.chunk)
		if err != nil {
			return err
		}
		if labels == nil {
			return badInput(in.name, "the rows have no labels to test against", "use kerf predict for such data")
		}
		held, name = data.Labeled[T, string]{X: x, Y: labels}, in.name
	}
	if len(held.Y) == 0 {
		return nil
	}
	m, err := metrics(ctx, a, ctl, t.pipeline, name, held)
	t.test = &m
	if err != nil || t.training.Earned == nil {
		return err
	}
	return t.certifySeparator(ctx, ctl, held)
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

// metrics compares predictions with labels.
func metrics[T any](ctx context.Context, a *app, ctl run.Control, p *model.Pipeline[T], name string, d data.Labeled[T, string]) (eval.Metrics, error) {
	y, unknown := classIndex(p.Classes, d.Y)
	if err := a.checkLabels(name, p.Classes, y, unknown); err != nil {
		return eval.Metrics{}, err
	}
	ctl.Counter = nil
	scores, err := p.ScoreAll(ctx, ctl, d.X)
	if err != nil {
		return eval.Metrics{}, err
	}
	return eval.Classify(predicted(scores), y, p.Classes.Len()), nil
}

func predicted(scores *data.Matrix) []int {
	out := make([]int, scores.Rows)
	for i := range out {
		out[i] = model.Best(scores.Row(i))
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

// object is the result for machines.
func (t *trained[T]) object() any {
	tr := t.training
	o := map[string]any{
		"model": nil, "kernel": kernelName(t.pipeline.Kernel), "map": t.mapName(), "dim": t.pipeline.Map.Dim(), "rank": nil,
		"learner": t.pipeline.Learner, "n": t.train.N, "features": t.width(), "classes": t.pipeline.Classes.Names,
		"train": t.train, "test": nil, "margin": tr.Margins.Min(), "margin_95": tr.Margins.Quantile(0.05),
		"kernel_evaluations": tr.Evaluations, "objective": nil, "gap": nil, "support": tr.Support, "mistakes": tr.Mistakes,
		"iterations": tr.Iterations, "seconds": tr.Elapsed.Seconds(), "status": tr.Status, "C": nil, "trials": tr.Trials,
		"scale": t.scale(),
	}
	if t.flags.out != "" {
		o["model"] = t.flags.out
	}
	if tr.Rank > 0 {
		o["rank"] = tr.Rank
	}
	if t.test != nil {
		o["test"] = t.test
	}
	if tr.Earned != nil {
		o["certificate"] = tr.Earned
	}
	if t.separator != nil {
		o["separator_certificate"] = t.separator
	}
	if tr.C > 0 {
		o["C"], o["objective"], o["gap"] = tr.C, tr.Objective, tr.Gap
	}
	return o
}

// width is the number of coordinates of vectors; null for other instances.
func (t *trained[T]) width() any {
	if x, ok := any(t.x).(data.Source[data.Vector]); ok {
		return data.Dim(x)
	}
	return nil
}

// mapName is the map as the user chose it. A kernel machine's features are its
// support vectors, but it was trained without a map.
func (t *trained[T]) mapName() string {
	if t.flags.learner == model.LearnerKernelPerceptron {
		return model.MapNone
	}
	return t.header.Map.Kind
}

func (t *trained[T]) scale() csvfile.Scale {
	if t.encoding.Table == nil {
		return csvfile.None
	}
	return t.encoding.Table.Scale
}

// print is the result for people.
func (t *trained[T]) print(w io.Writer) error {
	tr := t.training
	out := newFacts(w)
	out.add("data", "%s: %s", t.input.name, t.encoding.describe(t.x.Len(), t.x))
	out.add("classes", "%d: %s", t.pipeline.Classes.Len(), quoted(t.pipeline.Classes.Names))
	if t.scale() != csvfile.None {
		out.add("scale", "%s", t.scale())
	}
	out.add("kernel", "%s%s", kernelName(t.pipeline.Kernel), picked(t.flags.spec.Open() && t.pipeline.Kernel != nil, "width: the median distance"))
	out.add("map", "%s", t.describeMap())
	out.add("learner", "%s", t.describeLearner())
	out.add("train", "error %s on %d rows", percent(t.train.Error), t.train.N)
	if t.test != nil {
		out.add("test", "error %s on %d rows", percent(t.test.Error), t.test.N)
	}
	out.add("margin", "%.3g; %.3g for 95%% of the rows", tr.Margins.Min(), tr.Margins.Quantile(0.05))
	if e := tr.Earned; e != nil {
		t.printEarned(out, e)
	}
	if s := t.separator; s != nil {
		out.add("tested", "with %s confidence at most %s of all rows like these have a margin below %.3g", percent(s.Confidence), percent(s.Bound), s.Margin)
	}
	out.add("work", "%.2f s, %s kernel evaluations, %s after %d passes", tr.Elapsed.Seconds(), grouped(tr.Evaluations), tr.Status, tr.Iterations)
	if t.flags.out != "" {
		out.add("model", "written to %s", t.flags.out)
	} else {
		out.add("model", "not kept; -o FILE writes it")
	}
	return out.flush()
}

// printEarned says what theory promised, what was certified, and what is used.
func (t *trained[T]) printEarned(out facts, e *model.Earned) {
	if e.Promised > 0 {
		out.add("promised", "%s landmarks suffice by theory for margin %.3g, error %.3g, confidence %v", grouped(int64(e.Promised)), e.Margin, e.Certificate.Error, e.Confidence)
	}
	if e.Choice != nil {
		out.add("", "the margin was chosen on rows set apart, of which %s have less", percent(e.Choice.Noise))
	}
	if e.Holds {
		out.add("certified", "%s", e.Certificate)
	} else {
		out.add("certified", "nothing: %s", e.Outcome)
	}
	out.add("used", "%d landmarks", e.Used)
}

func (t *trained[T]) describeMap() string {
	if t.flags.learner == model.LearnerKernelPerceptron {
		return fmt.Sprintf("none: %d support vectors of the kernel itself", t.pipeline.Map.Dim())
	}
	h := t.header.Map
	byDefault := picked(!t.flags.dimGiven, "dimension by default; see --dim")
	switch h.Kind {
	case model.MapNone:
		return fmt.Sprintf("none: the %d coordinates themselves", h.Dim)
	case model.MapF1:
		return fmt.Sprintf("f1: similarities to %d landmarks%s", h.Dim, byDefault)
	case model.MapF2:
		return fmt.Sprintf("f2: %d landmarks of rank %d%s", h.Drawn, h.Dim, byDefault)
	case model.MapMonomials:
		return fmt.Sprintf("monomials: all %d of %d coordinates", h.Dim, h.Width)
	case model.MapFourier, model.MapORF, model.MapSketch:
		return fmt.Sprintf("%s: %d features of %d coordinates%s", h.Kind, h.Dim, h.Width, byDefault)
	}
	return fmt.Sprintf("f3: %d landmarks of rank %d, projected to %d dimensions%s", h.Drawn, h.Landmarks, h.Dim, byDefault)
}

func (t *trained[T]) describeLearner() string {
	tr := t.training
	switch {
	case tr.C > 0:
		return fmt.Sprintf("svm with C = %v%s; objective %.6g, gap %.2g, %d support vectors", tr.C, picked(t.flags.c == 0, "chosen on held-out rows"), tr.Objective, tr.Gap, tr.Support)
	case t.flags.learner == model.LearnerKernelPerceptron:
		return fmt.Sprintf("kernel perceptron; %d mistakes on %d rows", tr.Mistakes, tr.Support)
	}
	return fmt.Sprintf("perceptron; %d mistakes", tr.Mistakes)
}
