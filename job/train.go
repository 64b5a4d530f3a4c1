package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// TrainOptions are the options of Train.
type TrainOptions struct {
	Options
	Holdout     float64       // part of the data to hold out and test on; 0 for none
	Test        string        // file with data to test on; empty for none
	TestLabels  string        // file with its labels, of IDX or NPY data
	TestWeights string        // file with its weights
	Output      string        // file to write the model to; empty for none
	Checkpoint  string        // file to keep the learner's state in; empty for none
	Time        time.Duration // after which the learner stops with the best so far; 0 for no limit
	Effort      Effort        // that goes into what nobody chose; empty for Normal
	Single      bool          // a search ends in one model, not in a blend of some
	Details     bool          // gather what a report shows beside the result
	Stream      bool          // learn from sums over the rows, read part by part, as of a file larger than memory

	on   *onCluster // on an engine
	pipe *piped     // where the rows are those of one
}

// NewTrainOptions returns the options that leave all choices open.
func NewTrainOptions() TrainOptions { return TrainOptions{Options: NewOptions()} }

// Trained is what came of a training.
type Trained struct {
	Baseline    *Baseline                `json:"baseline"` // on the rows of Test, else of Train; null for none
	C           *float64                 `json:"C"`        // null for a learner without
	Certificate *model.Earned            `json:"certificate,omitempty"`
	Classes     []string                 `json:"classes"`
	Dim         int                      `json:"dim"`
	Features    *int                     `json:"features"` // coordinates of vectors; null for other instances
	Gap         *float64                 `json:"gap"`
	Iterations  int                      `json:"iterations"`
	Kernel      string                   `json:"kernel"`
	Expected    *Expected                `json:"expected"` // on new rows; null where no rows were held out
	Evaluations int64                    `json:"kernel_evaluations"`
	Lambda      *float64                 `json:"lambda"` // null for a learner without
	Learner     string                   `json:"learner"`
	Map         string                   `json:"map"` // none for a kernel machine, whose features are its support vectors
	Margin      *float64                 `json:"margin"`
	Margin95    *float64                 `json:"margin_95"` // that 95% of the rows have
	Mistakes    int                      `json:"mistakes"`
	Most        *float64                 `json:"mistake_bound,omitempty"` // that a perceptron cannot exceed, where known
	Output      *string                  `json:"model"`                   // file
	N           int                      `json:"n"`
	Metric      eval.Criterion           `json:"metric,omitempty"` // of choices; empty for the error, or the RMSE
	Objective   *float64                 `json:"objective"`
	Picked      *Picked                  `json:"picked,omitempty"`
	Rank        *int                     `json:"rank"`
	Report      string                   `json:"report,omitempty"` // file that the caller wrote a report to
	Scale       scale.Kind               `json:"scale"`
	Streamed    *Streamed                `json:"streamed,omitempty"` // where the rows were read part by part
	Seconds     float64                  `json:"seconds"`
	Seen        *Seen                    `json:"seen,omitempty"`                  // test rows that were also trained on
	Separator   *certificate.Certificate `json:"separator_certificate,omitempty"` // of the separator, on test rows
	Status      learn.Status             `json:"status"`
	Support     int                      `json:"support"`
	Task        model.Task               `json:"task"`
	Test        *Score                   `json:"test"`
	Train       *Score                   `json:"train"`
	Tried       int                      `json:"tried"` // kernels, dimensions, maps and penalties on held-out rows
	Trials      []model.Trial            `json:"trials"`
	Weights     *Weighing                `json:"weights,omitempty"`

	Model    *model.Model   `json:"-"`
	Training model.Training `json:"-"`
	Words    Words          `json:"-"`
	Measured *Measured      `json:"-"` // of Details
}

// Measured are the rows that a report measures: test rows, or those trained on
// where there are none.
type Measured struct {
	On       string // file
	Test     bool   // whether the model has not seen them
	Rows     []int  // numbers in the file, from 1; nil for all in order
	Scores   *data.Matrix
	Truth    []int // class of each, -1 for one that the model does not know
	Values   []float64
	Weight   []float64
	Margins  margin.Margins // of test rows
	Texts    []string       // the rows, where they are strings
	Measures *eval.Classification

	Importance *explain.Ranking // of the columns; nil where it was not measured
	Plane      *explain.Plane   // of a learnt metric; nil for none
}

// Train trains a model on a file.
func Train(ctx context.Context, path string, o TrainOptions) (*Trained, error) {
	if err := o.apart(path); err != nil {
		return nil, err
	}
	pipe, err := o.settlePipe(ctx, path)
	if err != nil {
		return nil, err
	}
	if pipe != nil {
		defer pipe.replay.Close()
		o.pipe = pipe
	}
	if err := o.settleStream(path); err != nil {
		return nil, err
	}
	if o.Engine != nil {
		return o.trainOn(ctx, path)
	}
	if o.Stream {
		return o.trainStream(ctx, path)
	}
	all := o
	out, err := all.trainAll(ctx, path)
	var memory *run.MemoryError
	if pipe == nil && errors.As(err, &memory) && o.unstreamed() == nil {
		o.note("%s: it does not fit in memory with what is made of it (%v): it is read part by part, and learnt from sums "+
			"(--stream)", path, memory)
		o.Stream = true
		return o.trainStream(ctx, path)
	}
	return out, err
}

// trainAll trains on all rows of a file in memory.
func (o *TrainOptions) trainAll(ctx context.Context, path string) (*Trained, error) {
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.train(ctx, rows, o)
}

// TrainRows is Train on rows that a program has, such as those of dataset.OfMatrix, with
// their labels beside them. The rows have no target of their own.
func TrainRows(ctx context.Context, rows *dataset.Rows, o TrainOptions) (*Trained, error) {
	if o.Stream {
		return nil, dataset.BadOption("%s is for files; the rows are in memory already", dataset.Option("stream"))
	}
	if err := o.apart(""); err != nil {
		return nil, err
	}
	if t, ok := model.TraitsOf(o.Choices.Learner.Name); ok && rows.Weights != nil && !t.Weights {
		takers := model.LearnerNames(func(t model.Traits) bool { return t.Weights })
		return nil, dataset.BadOption("%s takes no weights of rows; these learners do: %s", o.Choices.Learner.Name,
			strings.Join(takers, ", "))
	}
	w, err := o.given(rows)
	if err != nil {
		return nil, err
	}
	return w.train(ctx, rows, &o)
}

// training is a training on instances of type T.
type training[T any] struct {
	o       *TrainOptions
	kind    spec.Kind[T]
	choices *settled
	rows    *dataset.Rows
	targets *targets
	part    *part[T]
	fresh   []int                                      // rows set apart for a certificate, among those to train on
	own     []int                                      // the others, of which encoding and width are; nil for all
	keep    func(key []byte) (learn.Checkpoint, error) // opens the checkpoint of the training with that key; nil for none

	stream *streaming  // how the rows are read, where these are a sample of them; nil where they are all
	tested *testing[T] // rows to test on, and what is true of them; nil for none

	searched string  // what a search did, in words; empty for none
	growth   float64 // of the error from the rows of a search to all; 0 where there was none
	pipeline *model.Pipeline[T]
	header   model.Header
	out      *Trained
}

func (w typed[T]) train(ctx context.Context, rows *dataset.Rows, o *TrainOptions) (*Trained, error) {
	o.findTask(rows)
	s, err := settle(o.Choices, w.kind)
	if err != nil {
		return nil, err
	}
	t := &training[T]{o: o, kind: w.kind, choices: s, rows: rows}
	if t.targets, err = targetsOf(rows, s); err != nil {
		return nil, err
	}
	if err := o.findCriterion(rows, s, t.targets); err != nil {
		return nil, err
	}
	if s.traits.Unsupervised {
		o.warnLabels(rows)
	}
	if rows.Surveyed() != nil {
		if err := t.settleStream(); err != nil {
			return nil, err
		}
	}
	rest, held, err := t.targets.holdOut(rows, t.holdout(), o.Seed)
	if err != nil {
		return nil, err
	}
	scaled, err := o.scaling(rows, s.kernel.Open())
	if err != nil {
		return nil, err
	}
	if o.Checkpoint != "" {
		t.keep = func(key []byte) (learn.Checkpoint, error) { return openCheckpoint(o.Checkpoint, key) }
	}
	look := rest
	if s.Claim != nil && o.Read.Categories == table.ByTarget {
		return nil, dataset.BadOption("%s target does not go with %s: rows to train on are encoded by other rows' targets, "+
			"and those to come are not", dataset.Option("categories"), dataset.Option("error"))
	}
	if s.Claim != nil {
		if o.Read.Categories.OfTarget() {
			o.Read.Categories = ""
		}
		t.own, t.fresh = data.Split(len(rest), model.FreshPart, o.Seed)
		look = selected(rest, t.own)
	}
	as := func(c coding) (*part[T], error) {
		return encode[T](&o.Options, rows, t.targets, look, rest, c)
	}
	if t.part, err = as(coding{scaled, o.Read.Categories}); err != nil {
		return nil, err
	}
	if t.stream == nil { // rows of a stream are tested part by part
		if t.tested, err = t.testRows(ctx, held); err == nil {
			err = t.findSeen(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	if s.searches(o) && t.stream == nil {
		err = t.search(ctx, as)
	} else {
		err = t.fit(ctx)
	}
	if err != nil {
		return nil, err
	}
	return t.out, t.finish(ctx, rest)
}

// search searches for the model, and fits it.
func (t *training[T]) search(ctx context.Context, as func(coding) (*part[T], error)) error {
	limited, cancel := model.TimeLimit(ctx, t.o.Time)
	defer cancel()
	before := t.part
	picked, training, err := t.searchFit(limited, as)
	switch {
	case err == nil && picked == nil: // too few rows for a race
		return t.fit(ctx)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the %v of --time were over before there was a model; give it more", t.o.Time)
	case err != nil:
		return inFile(t.rows.Name, err)
	}
	if t.part != before {
		if err := t.encodeTest(); err != nil {
			return err
		}
	}
	t.o.warnScales(t.part.encoding, t.part.train.X)
	return t.describe(training, picked)
}

// holdOut returns the rows to train on and those held out.
func (t *targets) holdOut(rows *dataset.Rows, part float64, seed uint64) (rest, held []int, err error) {
	rest, held = t.split(part, seed)
	if part > 0 && len(held) == 0 {
		problem := fmt.Sprintf("%d rows are too few to hold out %v of each class", rows.Len(), part)
		return nil, nil, badInput(rows.Name, problem, "use a larger --holdout")
	}
	return rest, held, nil
}

// fit trains the pipeline.
func (t *training[T]) fit(ctx context.Context) error {
	o, s, part := t.o, t.choices, t.part.train
	o.warnScales(t.part.encoding, part.X)
	sample := part.X
	if t.own != nil {
		sample = part.Select(t.own).X
	}
	k, err := t.kind.Make(s.kernel, sample, o.Seed)
	if err != nil {
		return err
	}
	o.warnExcess(s, part.Len())
	r, err := recipe(&o.Options, s, k, part.Len())
	if err != nil {
		return err
	}
	if r.Claim != nil {
		r.Claim.Fresh = t.fresh
	}
	left, err := leftOpen(s, t.kind, k, part.X, o.Seed)
	if err != nil {
		return err
	}
	if left != nil {
		left.most = t.mostFromSums()
	}
	if t.keep != nil && t.stream == nil {
		key, err := keyOf(r, left, t.kind, part)
		if err != nil {
			return err
		}
		if r.Checkpoint, err = t.keep(key); err != nil {
			return err
		}
	}
	if part.Weight != nil && s.Conformal > 0 {
		o.warn("prediction sets hold for rows that come as these do, not as they are weighted")
	}
	limited, cancel := model.TimeLimit(ctx, o.Time)
	defer cancel()
	var picked *Picked
	var training model.Training
	if t.pipeline, training, picked, err = fit(limited, r, left, part); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("the %v of --time were over before there was a model; give it more", o.Time)
		}
		return inFile(t.rows.Name, err)
	}
	if t.stream != nil {
		if err := t.fitStream(limited, r, &training, picked); err != nil {
			if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("the %v of --time were over before there was a model; give it more", o.Time)
			}
			return inFile(t.rows.Name, err)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return t.describe(training, picked)
}

// fit chooses what a recipe leaves open, and fits it.
func fit[T any](ctx context.Context, r model.Recipe[T], left *open[T], s model.Sample[T]) (*model.Pipeline[T],
	model.Training, *Picked, error) {
	begun, counter, outer := time.Now(), &run.Counter{}, r.Run.Counter
	r.Run.Counter = counter
	var picked *Picked
	if err := r.Check(s); err != nil {
		return nil, model.Training{}, nil, err
	}
	plan := planOf(r, left, s)
	stages := r.Run.Progress.Divide("train", plan.left(0, 0, plan.likely(0)))
	defer stages.End()
	if left != nil {
		var err error
		whole := ctx
		if r.Checkpoint.On() {
			whole = model.Undivided(ctx)
		}
		r, picked, err = choose(whole, r, left, s, plan, stages)
		if err != nil {
			return nil, model.Training{}, nil, err
		}
	}
	stages.Last("", r.Work(s))
	p, t, err := r.FitSample(ctx, s)
	t.Evaluations, t.Elapsed = counter.Count(), time.Since(begun)
	outer.Add(t.Evaluations)
	return p, t, picked, err
}

// finish writes the model, before anything else can fail, and measures it.
func (t *training[T]) finish(ctx context.Context, rest []int) error {
	o, out, head := t.o, t.out, t.out.Model.Head
	if o.Output != "" {
		out.Output = &o.Output
		o.Run.Progress.Begin("save the model", 0)
		err := out.Model.Save(o.Output)
		o.Run.Progress.End()
		if err != nil {
			return err
		}
	}
	known, err := truth{y: t.part.train.Y, values: t.part.train.Values}, error(nil)
	if t.choices.traits.Unsupervised {
		if known, err = truthOf(head, t.rows, rest); err != nil {
			return err
		}
	}
	if out.Train, err = known.score(head, out.Training.Scores, t.part.train.Weight, constantOf(t.part.train)); err != nil {
		return err
	}
	if out.N = out.Train.Rows(); t.stream != nil {
		out.N = t.learnt()
	}
	m := &Measured{On: t.rows.Name, Rows: numbered(rest), Scores: out.Training.Scores, Truth: known.y,
		Values: known.values,
		Weight: t.part.train.Weight}
	switch {
	case t.stream != nil && (o.Test != "" || o.Holdout > 0):
		m, err = t.testStream(ctx)
	case t.tested != nil:
		m, err = t.test(ctx)
	}
	if err != nil {
		return err
	}
	if err := cmp.Or(ctx.Err(), t.expect(m)); err != nil {
		return err
	}
	if o.Details {
		return t.detail(ctx, m)
	}
	return nil
}
