package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// cvFlags are the choices of kerf cv.
type cvFlags struct {
	inputFlags
	learnerFlags
	folds   eval.Folds
	grouped string
}

func (a *app) cv() *cobra.Command {
	f := &cvFlags{folds: eval.NewFolds()}
	c := &cobra.Command{
		Use:   "cv DATA",
		Short: "Cross-validate: train and test on parts of the data in turn",
		Long: `Cross-validate: divide the rows into parts, and train on all but one and test
on that one, for each. Rows are divided class by class, at random for numbers,
and group by group with --groups. What is fitted to the data, such as scaling and
the kernel's width, is fitted to the rows to train on alone.

All choices are those of kerf train.`,
		Example: `  kerf cv data.csv
  kerf cv data.csv --kernel 'rbf(gamma=1)' --dim 200 --folds 10 --repeats 3 --json
  kerf cv houses.csv --task regress`,
		Args: cobra.ExactArgs(1),
	}
	flags := c.Flags()
	f.inputFlags.add(flags)
	f.inputFlags.addWeights(flags)
	f.learnerFlags.add(flags)
	flags.IntVar(&f.folds.K, "folds", f.folds.K, "parts to divide the rows into")
	flags.IntVar(&f.folds.Repeats, "repeats", f.folds.Repeats, "how often to divide them anew")
	flags.StringVar(&f.grouped, "groups", "", "column of a table, by name or number, whose equal values keep rows in one part; it is not learnt from")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case f.folds.K < 2:
			return usage("--folds is %d and must be at least 2", f.folds.K)
		case f.folds.Repeats < 1 || f.folds.Repeats > 10_000:
			return usage("--repeats is %d and must be from 1 to 10000", f.folds.Repeats)
		case c.Flags().Changed("groups") && f.grouped == "":
			return usage("--groups needs a column")
		}
		if err := f.inputFlags.checkWeights(c.Flags()); err != nil {
			return err
		}
		if err := f.learnerFlags.check(c); err != nil {
			return err
		}
		f.folds.Seed = a.seed
		return a.runCV(c.Context(), args[0], f)
	}
	return c
}

func (a *app) runCV(ctx context.Context, path string, f *cvFlags) error {
	if f.grouped != "" {
		f.drop = append(f.drop, f.grouped)
	}
	in, err := a.readFor(ctx, path, &f.inputFlags, &f.learnerFlags)
	if err != nil {
		return err
	}
	switch in.Kind {
	case dataset.Strings:
		return crossValidate(ctx, a, spec.Strings{}, in, f)
	case dataset.Sets:
		return crossValidate(ctx, a, spec.Sets{}, in, f)
	}
	return crossValidate(ctx, a, spec.Vectors{}, in, f)
}

// readFor reads the data that a learner is to be fitted to, and fills in what
// its flags leave to the kind of the instances.
func (a *app) readFor(ctx context.Context, path string, flags *inputFlags, l *learnerFlags) (*dataset.Rows, error) {
	var k spec.Kernel
	if l.kernel != "" {
		k = l.spec
	}
	kind, err := flags.kind(k)
	if err != nil {
		return nil, err
	}
	in, err := a.read(ctx, path, kind, true, flags)
	if err != nil {
		return nil, err
	}
	return in, l.settle(string(in.Kind))
}

// crossValidated is what kerf cv found.
type crossValidated struct {
	flags   *cvFlags
	input   *dataset.Rows
	scale   scale.Kind
	folds   []validated
	seconds float64
}

// validated is what became of one fold.
type validated struct {
	repeat, index int
	score         *score
	trained       int // rows trained on
	dim           int
	kernel        string
	mapKind       string
	status        learn.Status
	seconds       float64
}

// crossValidate validates on instances of type T.
func crossValidate[T any](ctx context.Context, a *app, kind instanceKind[T], in *dataset.Rows, f *cvFlags) error {
	begun := time.Now()
	folds, err := divideFolds(in, f)
	if err != nil {
		return err
	}
	out := &crossValidated{flags: f, input: in}
	if out.scale, err = f.scaling(in, f.spec.Open()); err != nil {
		return err
	}
	progress := newTicker(a.control().Progress)
	progress.Begin("folds", int64(len(folds)))
	for i, fold := range folds {
		v, err := validate(ctx, a, kind, out, fold, progress.inner())
		if err != nil {
			progress.End()
			return err
		}
		out.folds = append(out.folds, v)
		progress.Advance(int64(i + 1))
	}
	progress.End()
	out.warn(a)
	out.seconds = time.Since(begun).Seconds()
	return a.result(out.object(), out.print)
}

// validate trains on all rows but those of a fold and tests on these.
func validate[T any](ctx context.Context, a *app, kind instanceKind[T], c *crossValidated, fold eval.Fold, progress run.Progress) (validated, error) {
	f, in, begun := c.flags, c.input, time.Now()
	v := validated{repeat: fold.Repeat, index: fold.Index}
	place := fmt.Sprintf("fold %d of %d", fold.Index+1, f.folds.K)
	rows := in.Live()
	part, err := encodePart[T](in, selected(rows, fold.Train()), selected(rows, fold.Test), c.scale, &f.inputFlags)
	if err != nil {
		return v, err
	}
	if len(c.folds) == 0 {
		a.warnScales(part.encoding, part.train.X)
	}
	k, err := kind.Make(f.spec, part.train.X, a.seed)
	if err != nil {
		return v, err
	}
	r, err := learnerRecipe(a, &f.learnerFlags, k, part.train.X.Len())
	if err != nil {
		return v, err
	}
	r.Calibrate, r.Run.Progress = "", progress // what is measured needs no probabilities
	tested, err := testPart(ctx, r, &f.learnerFlags, in, part)
	if err != nil {
		if errors.Is(err, learn.ErrOneClass) {
			return v, badInput(in.Name, fmt.Sprintf("%s leaves rows of a single class to train on", place), "use other --folds, --seed or --groups")
		}
		return v, named(in.Name, fmt.Errorf("%s: %w", place, err))
	}
	if len(tested.unknown) > 0 {
		a.warn("%s: the rows to train on have none with the label %s; such rows count as errors", place, strings.Join(tested.unknown, ", "))
	}
	v.score, v.trained, v.status = tested.score, part.train.X.Len(), tested.training.Status
	v.kernel, v.mapKind, v.dim, v.seconds = kernelName(tested.pipeline.Kernel), tested.training.Map, tested.pipeline.Map.Dim(), time.Since(begun).Seconds()
	return v, nil
}

// divide divides the rows that have a positive weight into folds, in which they
// are numbered among these.
func divideFolds(in *dataset.Rows, f *cvFlags) ([]eval.Fold, error) {
	if _, _, err := splitRows(in, &f.learnerFlags, 0, 0); err != nil {
		return nil, err
	}
	rows := in.Live()
	if len(rows) < f.folds.K {
		return nil, badInput(in.Name, fmt.Sprintf("%d rows cannot be divided into %d folds", len(rows), f.folds.K), "use fewer --folds")
	}
	switch {
	case f.grouped != "":
		groups, err := groupsOf(in, f)
		if err != nil {
			return nil, err
		}
		some := make([]string, len(rows))
		for a, i := range rows {
			some[a] = groups[i]
		}
		folds, err := f.folds.Grouped(some)
		if err != nil {
			return nil, badInput(in.Name, fmt.Sprintf("column %q has fewer groups than there are folds, %d", f.grouped, f.folds.K), "use fewer --folds")
		}
		return folds, nil
	case f.regresses() || f.learner == model.LearnerOneClass:
		return f.folds.Plain(len(rows))
	}
	_, y := data.Encode(in.LiveLabels())
	return f.folds.Stratified(y)
}

// groups returns the group of each row.
func groupsOf(in *dataset.Rows, f *cvFlags) ([]string, error) {
	switch {
	case !in.IsTable():
		return nil, usage("--groups is for tables; %s is %s data", in.Name, in.Format)
	case in.Kind == dataset.Sets && f.text == "":
		return nil, usage("--groups with rows as sets would be among the items; name the column of the sets with --text")
	}
	groups, err := in.Cells(f.grouped, "group", "fill it in, or choose other --groups")
	if option := (*dataset.OptionError)(nil); errors.As(err, &option) {
		return nil, usage("--groups: there is no column %q", f.grouped)
	}
	return groups, err
}

// measures returns the measures of a score by the names that they have in JSON.
func (s *score) measures() map[string]float64 {
	if s.Regression == nil {
		return map[string]float64{"n": float64(s.Metrics.N), "error": s.Metrics.Error, "accuracy": s.Accuracy, "balanced_accuracy": s.BalancedAccuracy}
	}
	out := map[string]float64{"n": float64(s.Regression.N), "rmse": s.RMSE, "mae": s.MAE}
	if s.R2 != nil {
		out["r2"] = *s.R2
	}
	return out
}

// meanStd returns the mean of each measure and its standard deviation, with the
// divisor n-1, over the scores that have it. The deviation of a single one is 0.
func meanStd(scores []*score) (mean, std map[string]float64) {
	mean, std = map[string]float64{}, map[string]float64{}
	count := map[string]float64{}
	for _, s := range scores {
		for name, v := range s.measures() {
			count[name]++
			mean[name] += (v - mean[name]) / count[name]
		}
	}
	for _, s := range scores {
		for name, v := range s.measures() {
			std[name] = math.Hypot(std[name], v-mean[name])
		}
	}
	for name := range std {
		std[name] /= math.Sqrt(max(count[name]-1, 1))
	}
	return mean, std
}

// warn tells of learners that did not get to their end.
func (c *crossValidated) warn(a *app) {
	short := 0
	for _, v := range c.folds {
		if v.status != learn.Converged {
			short++
		}
	}
	if short > 0 {
		a.warn("the learner did not get to its optimum in %d of %d folds (see --max-passes, --tolerance)", short, len(c.folds))
	}
}

// kernel is what the kernel is called: its width is another one in each fold
// where it is left open.
func (c *crossValidated) kernel() string {
	if c.flags.spec.Open() {
		return c.flags.spec.String()
	}
	return c.folds[0].kernel
}

// mapKind is the map of the folds, all of them where they chose different ones.
func (c *crossValidated) mapKind() string {
	var kinds []string
	for _, v := range c.folds {
		if !slices.Contains(kinds, v.mapKind) {
			kinds = append(kinds, v.mapKind)
		}
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " or ")
}

// dim is the largest dimension of a fold.
func (c *crossValidated) dim() int {
	d := 0
	for _, v := range c.folds {
		d = max(d, v.dim)
	}
	return d
}

func (c *crossValidated) scores() []*score {
	out := make([]*score, len(c.folds))
	for i, v := range c.folds {
		out[i] = v.score
	}
	return out
}

// object is the result for machines.
func (c *crossValidated) object() any {
	mean, std := meanStd(c.scores())
	folds := make([]map[string]any, len(c.folds))
	for i, v := range c.folds {
		folds[i] = v.object()
	}
	out := map[string]any{
		"folds": folds, "mean": mean, "std": std, "repeats": c.flags.folds.Repeats,
		"kernel": c.kernel(), "map": c.mapKind(), "dim": c.dim(), "learner": c.flags.learner, "task": c.flags.task,
		"scale": c.scale, "n": c.input.Len(), "seconds": c.seconds,
	}
	if w := weighingOf(c.input, &c.flags.inputFlags); w != nil {
		out["weights"] = w
	}
	return out
}

// object is the fold for machines: the metrics, and what belongs to the fold.
func (v validated) object() map[string]any {
	out := map[string]any{}
	if text, err := json.Marshal(v.score); err == nil {
		_ = json.Unmarshal(text, &out) // an object, as it was just written
	}
	out["repeat"], out["fold"], out["n_train"], out["seconds"] = v.repeat+1, v.index+1, v.trained, v.seconds
	out["kernel"], out["map"], out["dim"], out["status"] = v.kernel, v.mapKind, v.dim, v.status
	return out
}

// print is the result for people.
func (c *crossValidated) print(w io.Writer) error {
	f := c.flags
	out := newFacts(w)
	out.add("data", "%s: %d rows, %d folds%s", c.input.Name, c.input.Len(), f.folds.K, picked(f.folds.Repeats > 1, fmt.Sprintf("%d times", f.folds.Repeats)))
	out.addWeights(weighingOf(c.input, &f.inputFlags))
	out.add("kernel", "%s%s", c.kernel(), picked(f.spec.Open(), "width chosen in each fold"))
	out.add("map", "%s%s", c.mapKind(), picked(!f.machine && c.mapKind() != model.MapNone, fmt.Sprintf("%d dimensions", c.dim())))
	out.add("learner", "%s", f.learner)
	if err := out.flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := measureColumns(f.regresses())
	fmt.Fprint(t, "fold\ttrained on\ttested on\t")
	for _, m := range columns {
		fmt.Fprintf(t, "%s\t", m.title)
	}
	fmt.Fprintln(t, "seconds\t")
	for i, v := range c.folds {
		fmt.Fprintf(t, "%d\t%d\t%d\t", i+1, v.trained, v.score.rows())
		all := v.score.measures()
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(all))
		}
		fmt.Fprintf(t, "%.2f\t\n", v.seconds)
	}
	mean, std := meanStd(c.scores())
	for _, row := range []struct {
		name string
		of   map[string]float64
	}{{"mean", mean}, {"±", std}} {
		fmt.Fprintf(t, "%s\t\t\t", row.name)
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(row.of))
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

// measureColumn is a measure in a table for people.
type measureColumn struct {
	key, title string
	format     func(float64) string
}

// write writes the measure, a dash where there is none.
func (m measureColumn) write(of map[string]float64) string {
	v, ok := of[m.key]
	if !ok {
		return "–"
	}
	return m.format(v)
}

// measureColumns are the measures that people are shown.
func measureColumns(regress bool) []measureColumn {
	if regress {
		short := func(v float64) string { return fmt.Sprintf("%.5g", v) }
		return []measureColumn{{"rmse", "RMSE", short}, {"mae", "MAE", short}, {"r2", "R²", decimals}}
	}
	return []measureColumn{{"error", "error", percent}, {"balanced_accuracy", "balanced accuracy", percent}}
}
