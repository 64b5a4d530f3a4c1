package job

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Streamed says how the rows of a file were learnt from that was read part by part.
type Streamed struct {
	Rows   int `json:"rows"`            // learnt from
	Sample int `json:"sample"`          // rows that kernel, map and choices are of
	Passes int `json:"passes"`          // over the file to learn, beside one to survey it
	First  int `json:"first,omitempty"` // rows of a pipe that the sample is of; 0 where it is of all rows

	Skipped int `json:"skipped,omitempty"` // files that were bad and left out
}

// String is the same for people.
func (s *Streamed) String() string {
	if s.First > 0 {
		return fmt.Sprintf("%s rows in sums, in the one pass that a pipe allows; encoding, kernel, map and choices by a "+
			"sample of %s of the first %s", grouped(int64(s.Rows)), grouped(int64(s.Sample)), grouped(int64(s.First)))
	}
	return fmt.Sprintf("%s rows in sums, %s after one to survey them; kernel, map and choices by a sample of %s",
		grouped(int64(s.Rows)), passes(s.Passes), grouped(int64(s.Sample)))
}

func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// streaming is a file that is read part by part.
type streaming struct {
	path string
	read dataset.Options // as the file is read again
	all  *dataset.Surveyed
	sums []float64 // of the weights of each class

	pipe  *piped        // where it is one
	first int           // rows that all is of, of a pipe that is longer
	apart *dataset.Kept // held out of such a pipe; nil for none
}

const (
	// mostSampled is how many rows a sample has at most: choices look at no more than 20,000.
	mostSampled = 20_000

	// featureShare is the part of the budget that the features of a sample may take.
	featureShare = 1.0 / 8

	// nearRows is how many rows for each feature a larger sample has, at most, whose minimum
	// the passes over all rows begin with: it is off theirs by less than a hundredth of the
	// objective, about, which a single step makes up for.
	nearRows = 256

	// inMemory is about how many bytes a byte of a file takes while a model is trained on
	// it in memory, and unpacked how many a byte of a compressed one is.
	inMemory = 3
	unpacked = 4
)

// settleStream decides whether a file is read part by part, and reports what does not go
// with that.
func (o *TrainOptions) settleStream(path string) error {
	why := o.unstreamed()
	if o.Engine != nil {
		if o.Stream = true; why == nil && o.Checkpoint != "" {
			why = dataset.BadOption("%s is for one machine; on several, what was summed up is kept where they share it",
				dataset.Option("checkpoint"))
		}
		for _, beside := range []struct{ name, given string }{
			{"test-labels", o.TestLabels}, {"test-weights", o.TestWeights},
		} {
			if why == nil && beside.given != "" {
				why = dataset.BadOption("%s is for one file on one machine; on several the rows have them in a column",
					dataset.Option(beside.name))
			}
		}
		return why
	}
	if !o.Stream {
		size := largeFile(path, &o.Read)
		if budget := o.budget(); why != nil || size*inMemory < float64(budget) {
			return nil // Train streams it after all where what is made of it does not fit
		}
		o.Stream = true
		o.note("%s: a file of %s does not fit in %s of memory: it is read part by part, and learnt from sums (--stream)",
			path, run.Bytes(size), run.Bytes(float64(o.budget())))
	}
	if why != nil {
		return why
	}
	return nil
}

// budget is the memory of the run, whatever is left of it.
func (o *Options) budget() int64 {
	ctl := o.Run
	ctl.Process = false
	return ctl.Budget()
}

// largeFile returns about how many bytes of content the regular files of a data set have.
func largeFile(path string, read *dataset.Options) (size float64) {
	names, err := read.Files(path, dataset.Files)
	if err != nil || path == "-" {
		return 0 // reading says what is wrong
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		one := float64(info.Size())
		for _, packed := range []string{".gz", ".zst", ".bz2"} {
			if strings.HasSuffix(strings.ToLower(name), packed) {
				one *= unpacked
			}
		}
		size += one
	}
	return size
}

// unstreamed reports options that need all rows at once.
func (o *TrainOptions) unstreamed() error {
	option, c := dataset.Option("stream"), &o.Choices
	if c.Learner.Name != "" {
		l, err := model.NewLearner[string](c.Learner.Name, c.Learner.Args)
		if err == nil {
			err = model.Streams(l, 0, false)
		}
		if err != nil {
			return dataset.BadOption("%s: %v", option, err)
		}
	}
	switch {
	case c.Claim != nil:
		return dataset.BadOption("%s does not go with %s: a certificate keeps rows apart in memory", option,
			dataset.Option("error"))
	case c.Conformal > 0:
		return dataset.BadOption("%s does not go with %s: its rows are kept apart in memory", option,
			dataset.Option("conformal"))
	case o.Read.Categories.OfTarget():
		return dataset.BadOption("%s does not go with %s %s: statistics of the target are of all rows at once", option,
			dataset.Option("categories"), o.Read.Categories)
	case o.Read.Categories == table.Levels:
		return dataset.BadOption("%s does not go with %s levels: the values of numbers are of all rows at once", option,
			dataset.Option("categories"))
	case o.Scale != "" && o.Scale == "tfidf":
		return dataset.BadOption("%s does not go with %s tfidf: it counts the terms of all rows", option,
			dataset.Option("scale"))
	case o.Effort == Normal || o.Effort == Thorough:
		return dataset.BadOption("%s does not go with %s %s: a search is on rows in memory", option,
			dataset.Option("effort"), string(o.Effort))
	}
	return nil
}

// trainStream trains on a file that is read part by part.
func (o *TrainOptions) trainStream(ctx context.Context, path string) (*Trained, error) {
	rows, w, err := o.surveyFile(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.train(ctx, rows, o)
}

// surveyFile returns a sample of the rows of a file, and who trains on it.
func (o *TrainOptions) surveyFile(ctx context.Context, path string) (*dataset.Rows, worker, error) {
	read, err := o.reading()
	if err != nil {
		return nil, nil, err
	}
	dim := float64(MostDim)
	for _, args := range []map[string]any{o.Choices.Map.Args, o.Choices.Learner.Args} {
		switch v := args["dim"].(type) {
		case int:
			dim = max(float64(v), 1)
		case float64:
			dim = max(v, 1)
		}
	}
	most := max(1, min(mostSampled, int(featureShare*float64(o.budget())/8/dim)))
	o.Run.Progress.Begin("survey "+path, o.on.steps())
	sampling := dataset.Sampling{Rows: most, Seed: o.Seed, Needed: !read.Unlabeled,
		Quantiles: scale.Kind(o.Scale).Sorts(), Keep: func(row int) bool { return !o.heldOut(row) }}
	switch {
	case o.pipe != nil:
		sampling.Bytes = o.pipe.bytes
	case o.on == nil:
		sampling.More = int(nearRows * (dim + 1))
	}
	var rows *dataset.Rows
	if o.on != nil {
		rows, err = o.on.survey(ctx, o, read, sampling)
	} else {
		rows, err = dataset.Survey(ctx, path, read, sampling)
	}
	o.Run.Progress.End()
	if err != nil {
		return nil, nil, err
	}
	for _, text := range rows.Notes {
		o.note("%s: %s", rows.Name, text)
	}
	w, err := workerFor(rows.Kind)
	return rows, w, err
}

// heldOut reports whether a row of a stream is held out to test on.
func (o *TrainOptions) heldOut(row int) bool {
	return heldOut(o.Seed, o.Holdout, row)
}

// holdout returns the part of the rows in memory that is held out: none of a sample.
func (t *training[T]) holdout() float64 {
	if t.stream != nil {
		return 0
	}
	return t.o.Holdout
}

// settleStream takes over what was found of all rows, and reports what the sample lacks.
func (t *training[T]) settleStream() error {
	all, s := t.rows.Surveyed(), t.choices
	l, err := learnerOf[T](s, all.Rows)
	if err != nil {
		return err
	}
	t.stream = &streaming{path: all.Path, all: all, pipe: t.o.pipe}
	if err := model.Streams(l, t.targets.classes.Len(), t.stream.once()); err != nil {
		return dataset.BadOption("%s: %v", dataset.Option("stream"), err)
	}
	if t.o.pipe != nil {
		t.stream.path = t.o.pipe.path
	}
	if t.stream.once() {
		t.stream.first = all.Rows
		if t.o.Holdout > 0 && t.o.Test == "" {
			t.stream.apart = dataset.NewKept(t.o.Seed, max(leastHeld, t.rows.Len()))
		}
	}
	t.stream.read = t.o.Read
	t.stream.read.Run, t.stream.read.Target, t.stream.read.Labels = t.o.Run, all.Target, all.Beside
	s.unchosen = false // a map that lists the features of strings has too many for sums
	if s.regresses() {
		return nil
	}
	names, rows, weights, ok := all.Labels()
	if !ok {
		return badInput(t.rows.Name, "the target has more than 1000 different values, which are no classes",
			"check --target, or use --task regress for numbers")
	}
	t.stream.sums = make([]float64, t.targets.classes.Len())
	for i, name := range names {
		if name == "" {
			continue // a pass says where it is missing
		}
		c, known := t.targets.classes.Index(name)
		if !known {
			problem := fmt.Sprintf("the label %q stands in %d of %d rows, and in none of the sample of %d", name, rows[i],
				all.Rows, t.rows.Len())
			return badInput(t.rows.Name, problem, "leave such rows out, or use a larger --max-memory")
		}
		t.stream.sums[c] = weights[i]
	}
	return nil
}

// learnt is how many rows the model is learnt from.
func (t *training[T]) learnt() int {
	if t.stream != nil {
		return t.stream.all.Rows
	}
	return t.part.train.Len()
}

// described is how many rows of the file there are for people.
func (t *training[T]) described() int {
	if t.stream != nil {
		return t.stream.all.Rows
	}
	return t.part.x.Len()
}

// streamed says how a stream was learnt from; nil where there was none.
func (t *training[T]) streamed(tr model.Training) *Streamed {
	if t.stream == nil {
		return nil
	}
	return &Streamed{Rows: t.stream.all.Rows, Sample: t.rows.Len(), Passes: tr.Iterations, First: t.stream.first}
}

// sumsShare is the part of the budget that sums may take for a dimension that is chosen by them.
const sumsShare = 1.0 / 4

// mostFromSums returns how many features a stream may choose among by sums over folds, 0
// where it does not choose: of ridge these sums are there anyhow.
func (t *training[T]) mostFromSums() int {
	if t.stream == nil || t.choices.Learner.Name != model.LearnerRidge {
		return 0
	}
	dim, targets := MostDim, max(1, t.targets.classes.Len())
	for model.RidgeSums*sums.ProductsBytes(dim, targets) > sumsShare*float64(t.o.budget()) {
		dim /= 2
	}
	return dim
}

// fitStream fits the separators to all rows.
func (t *training[T]) fitStream(ctx context.Context, r model.Recipe[T], tr *model.Training, picked *Picked) error {
	s := model.Stream[T]{Rows: t.stream.all.Rows, Weight: t.stream.all.Weight, Classes: t.stream.sums}
	if picked != nil && len(picked.Dims) > 0 && t.mostFromSums() > 0 {
		for d := LeastDim; d < t.pipeline.Map.Dim(); d *= 2 {
			s.Dims = append(s.Dims, d)
		}
	}
	if err := t.near(&s); err != nil {
		return err
	}
	s.Each = func(ctx context.Context, use func(part model.Sample[T]) error) error { return t.each(ctx, 0, use) }
	if t.o.on != nil {
		s.Sum = t.sumOn
	}
	if t.stream.once() {
		file := t.stream.all.File
		s.Head = func(ctx context.Context, use func(part model.Sample[T]) error) error { return t.each(ctx, file, use) }
		s.Each = func(ctx context.Context, use func(part model.Sample[T]) error) error {
			t.stream.pipe.last = true
			return t.each(ctx, 0, use)
		}
		s.Read = func(rows int, weight float64) { t.stream.all.Rows, t.stream.all.Weight = rows, weight }
	}
	if t.keep != nil {
		key, err := t.streamKey(r)
		if err != nil {
			return err
		}
		if s.Checkpoint, err = t.keep(key); err != nil {
			return err
		}
	}
	counter := &run.Counter{}
	r.Run.Counter = counter
	err := r.FitStream(ctx, t.pipeline, tr, t.part.train, s)
	tr.Evaluations += counter.Count()
	t.o.Run.Counter.Add(counter.Count())
	return err
}

// near makes instances of the larger sample of the rows, of which it forgets the rows.
func (t *training[T]) near(s *model.Stream[T]) error {
	rows := t.stream.all.TakeMore(2 * t.rows.Len())
	if rows == nil {
		return nil
	}
	weights, err := t.part.encoding.WeightsOf(rows, t.stream.read)
	if err != nil {
		return err
	}
	part, err := t.partOf(rows)
	if err != nil {
		return err
	}
	if t.part.train.Weight != nil {
		part.Weight = weights
	}
	s.Near = &part
	return nil
}

// streamKey tells whether a state belongs to this training: the sample and what is
// known of all rows stand for these.
func (t *training[T]) streamKey(r model.Recipe[T]) ([]byte, error) {
	key, err := keyOf(r, nil, t.kind, t.part.train)
	if err != nil {
		return nil, err
	}
	all, w := t.stream.all, sha256.New()
	fmt.Fprintf(w, "stream 1: %x %d %d %x %x %v", key, all.Rows, all.File, math.Float64bits(all.Weight), t.stream.sums,
		t.o.Holdout)
	return w.Sum(nil), nil
}

// errEnough ends the reading of rows.
var errEnough = errors.New("these are rows enough")

// each reads the rows to learn from: of the first so many of the file, or of all for 0.
func (t *training[T]) each(ctx context.Context, most int, use func(part model.Sample[T]) error) error {
	if err := t.eachPart(ctx, most, use); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// eachPart is each, but that it reports errEnough after the last row before the end.
func (t *training[T]) eachPart(ctx context.Context, most int, use func(part model.Sample[T]) error) error {
	first := 0
	train := t.part.train
	read := t.stream.read
	read.Run.Progress = run.Progress{}
	ctl := t.o.Run
	if most > 0 { // no more is read than is used: a pipe keeps what was
		ctl.Workers = 1
	}
	return par.Ahead(ctx, ctl, func(ctx context.Context, hand func(*dataset.Rows) error) error {
		return t.part.encoding.Stream(ctx, t.stream.path, read, hand)
	}, func(r *dataset.Rows) error {
		weights, err := t.part.encoding.WeightsOf(r, read)
		if err != nil {
			return err
		}
		var index, held []int
		for i := range r.Len() {
			switch {
			case most > 0 && first+i >= most:
			case t.o.heldOut(first + i):
				held = append(held, i)
			case weights == nil || weights[i] > 0:
				index = append(index, i)
			}
		}
		before := first
		if t.stream.apart != nil && most == 0 {
			t.stream.apart.Add(r, first, held)
		}
		if most > 0 && first >= most {
			return errEnough
		}
		first += r.Len()
		if len(index) == 0 {
			return nil
		}
		if len(index) < r.Len() {
			r = r.Pick(index)
		}
		part, err := t.partOf(r)
		if err != nil {
			return err
		}
		if train.Weight != nil {
			part.Weight = selected(weights, index)
		}
		err = use(part)
		if row, ok := model.RowOf(err); ok {
			return inFile(r.Name, model.Moved(err, before+index[row]-row))
		}
		return err
	})
}

// partOf makes instances of rows, with what is to be learnt of them.
func (t *training[T]) partOf(r *dataset.Rows) (model.Sample[T], error) {
	train := t.part.train
	part := model.Sample[T]{Task: train.Task, Classes: train.Classes, By: train.By}
	if r.Labels == nil {
		return part, badInput(r.Name, "some rows have no labels", "name the label's column with --target")
	}
	if err := r.CheckLabels(); err != nil {
		return part, err
	}
	d, err := dataset.Decode[T](t.part.encoding, r)
	if err != nil {
		return part, err
	}
	part.X = d.X
	if t.choices.regresses() {
		part.Values, err = r.Values(nil)
		return part, err
	}
	part.Y = make([]int, r.Len())
	for i, label := range r.Labels {
		c, ok := train.Classes.Index(label)
		if !ok && t.stream.once() {
			return part, badInput(r.Name, fmt.Sprintf("the label %q stands in none of the first %d rows, by which the classes "+
				"are known", label, t.stream.first), "give the rows in random order, or as a file, or use a larger --max-memory")
		}
		if !ok {
			return part, badInput(r.Name, fmt.Sprintf("the label %q came up while the file was read again", label),
				"leave the file as it is while it is learnt from")
		}
		part.Y[i] = c
	}
	return part, nil
}

// leastHeld is how many rows that are held out of a pipe are kept, or as many as the
// sample has.
const leastHeld = 1000
