package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/wire"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/sums"
)

// Engine does work on the units of data sets elsewhere than in this process: who adds up,
// where a stream adds up by itself. Results do not depend on it.
type Engine interface {
	// Files returns the names of the files that a path stands for, in the order in which
	// their rows are read.
	Files(ctx context.Context, path string) ([]string, error)

	// Each does a work on units, and hands over what came of them in their order; of a
	// work whose results merge it may hand over those of several consecutive units as
	// one, as long as which these are depends on the units alone. Tell is told now and
	// then how many units are done.
	Each(ctx context.Context, w *Work, units []Unit, tell func(units int), take func(r *Result) error) error

	// Publish moves the results of units that Each has handed over to a folder, all of
	// them or none, and returns the names of the files.
	Publish(ctx context.Context, w *Work, units []Unit, folder string) ([]string, error)
}

// Result is what came of a unit.
type Result struct {
	Done
	Units   int              // of which it is; 1 but for merged ones
	Content []byte           // nil where the result is published
	Bad     *data.InputError // what is wrong with the rows; nil where there is a result
}

// Clustered are the options of a job on an Engine.
type Clustered struct {
	Engine  Engine // nil for this process
	SkipBad int    // files that may be bad: they are left out, with a warning
	Span    int    // rows of a unit at most, as far as files can be divided; 0 for DefaultSpan
}

// here refuses an engine for a job that is done in one process.
func (c Clustered) here() error {
	if c.Engine != nil {
		return dataset.BadOption("folds and searches are done in one process; an engine is for training a stream, " +
			"for predictions and for features")
	}
	return nil
}

const (
	// DefaultSpan is how many rows a unit has at most.
	DefaultSpan = 1 << 16

	// mostUnits is how many units a data set has at most, files aside: beyond, pieces of
	// a file are joined.
	mostUnits = 1024
)

// badFiles are faults of files, one each.
type badFiles struct{ faults []*data.InputError }

func (b *badFiles) Error() string {
	text := b.faults[0].Error()
	if n := len(b.faults) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more files are bad)", n)
	}
	return text
}

func (b *badFiles) Unwrap() error { return b.faults[0] }

// fileSet are the files of a data set, of which some may be left out.
type fileSet struct {
	path  string
	names []string
	bad   []*data.InputError
}

// filesOn finds the files of a path.
func (o *Options) filesOn(ctx context.Context, path string) (*fileSet, error) {
	if path == "-" || slices.Contains(o.Read.More, "-") {
		return nil, badInput("standard input", "a pipe cannot be read on several machines", "write it to a file first")
	}
	names, err := o.Read.Files(path, func(path string) ([]string, error) { return o.Engine.Files(ctx, path) })
	return &fileSet{path: path, names: names}, err
}

// without leaves out the files that an error blames, as far as so many may be bad. It
// reports whether there are others to go on with.
func (f *fileSet) without(err error, o *Options) bool {
	var many *badFiles
	var one *data.InputError
	var faults []*data.InputError
	switch {
	case errors.As(err, &many):
		faults = many.faults
	case errors.As(err, &one):
		faults = []*data.InputError{one}
	}
	for _, fault := range faults {
		if !slices.Contains(f.names, fault.File) {
			return false
		}
	}
	if len(faults) == 0 || len(f.bad)+len(faults) > o.SkipBad || len(faults) >= len(f.names) {
		return false
	}
	for _, fault := range faults {
		f.leave(fault, o)
	}
	return true
}

// leave leaves a file out.
func (f *fileSet) leave(fault *data.InputError, o *Options) {
	f.bad = append(f.bad, fault)
	f.names = slices.DeleteFunc(slices.Clone(f.names), func(name string) bool { return name == fault.File })
	o.warn("left out: %v", fault)
}

// work returns a work on rows as the options say.
func (o *Options) work(do Do, read *dataset.Options) (*Work, error) {
	for _, beside := range []struct{ name, given string }{{"labels", read.Labels}, {"weights", read.Weights}} {
		if beside.given != "" {
			return nil, dataset.BadOption("%s is for one file on one machine; on several the rows have them in a column",
				dataset.Option(beside.name))
		}
	}
	return &Work{Do: do, Read: readingOf(read), Seed: o.Seed, Precision: o.Run.Precision}, nil
}

// each does a work on units. Files whose rows are bad are gathered in one error.
func (o *Options) each(ctx context.Context, w *Work, units []Unit, take func(i int, r *Result) error) error {
	name := map[Do]string{DoDivide: "divide", DoSurvey: "survey", DoScore: "score", DoPredict: "predict", DoMap: "map"}
	total := int64(len(units))
	if name[w.Do] != "" {
		o.Run.Progress.Begin(name[w.Do], total)
		defer o.Run.Progress.End()
	}
	tell := func(done int) {
		if name[w.Do] != "" {
			o.Run.Progress.Advance(int64(done))
		} else if done > 0 {
			last := units[min(done, len(units))-1]
			o.Run.Progress.Advance(int64(last.Learnt + last.Piece.Rows))
		}
	}
	bad, at := &badFiles{}, 0
	seen := map[string]bool{}
	err := o.Engine.Each(ctx, w, units, tell, func(r *Result) error {
		i := at
		at += max(r.Units, 1)
		for _, text := range r.Warnings {
			o.warn("%s", text)
		}
		for _, text := range r.Notes {
			if !seen[text] {
				o.note("%s", text)
			}
			seen[text] = true
		}
		if r.Bad != nil {
			if !slices.ContainsFunc(bad.faults, func(f *data.InputError) bool { return f.File == r.Bad.File }) {
				bad.faults = append(bad.faults, r.Bad)
			}
			return nil
		}
		if len(bad.faults) > 0 && w.Do != DoDivide {
			return nil
		}
		return take(i, r)
	})
	if err == nil && len(bad.faults) > 0 {
		return bad
	}
	return err
}

// divide finds the units of files. Those that a model reads are read as it reads.
func (o *Options) divide(ctx context.Context, f *fileSet, read *dataset.Options, m []byte, exec bool) ([]Unit, error) {
	w, err := o.work(DoDivide, read)
	if err != nil {
		return nil, err
	}
	w.Model, w.Exec = m, exec
	if w.Most = o.Span; w.Most <= 0 {
		w.Most = DefaultSpan
	}
	files := make([]Unit, len(f.names))
	for i, name := range f.names {
		files[i].File = name
	}
	var units []Unit
	row := 0
	err = o.each(ctx, w, files, func(i int, r *Result) error {
		var pieces []dataset.Piece
		if err := wire.Read(r.Content, &pieces); err != nil {
			return err
		}
		for _, p := range pieces {
			p.Row = row + p.InFile
			units = append(units, Unit{File: f.names[i], Piece: p})
		}
		if n := len(pieces); n > 0 {
			row += pieces[n-1].InFile + pieces[n-1].Rows
		}
		return nil
	})
	return joinUnits(units), err
}

// joinUnits joins pieces of files that follow each other until there are at most
// mostUnits, or one a file.
func joinUnits(units []Unit) []Unit {
	each := (len(units) + mostUnits - 1) / mostUnits
	if each <= 1 {
		return units
	}
	var out []Unit
	joined := 0
	for _, u := range units {
		if n := len(out); n > 0 && out[n-1].File == u.File && joined < each {
			out[n-1].Piece.To = u.Piece.To
			out[n-1].Piece.Rows += u.Piece.Rows
			joined++
			continue
		}
		out, joined = append(out, u), 1
	}
	return out
}

// trainOn trains on an engine. Where files are bad, and may be, it begins again without
// them.
func (o *TrainOptions) trainOn(ctx context.Context, path string) (*Trained, error) {
	f, err := o.filesOn(ctx, path)
	if err != nil {
		return nil, err
	}
	for {
		one := *o
		one.on = &onCluster{files: f}
		t, err := one.trainStream(ctx, path)
		if err == nil && t.Streamed != nil {
			t.Streamed.Skipped = len(f.bad)
		}
		if err == nil || !f.without(err, &o.Options) {
			return t, err
		}
	}
}

// onCluster is where a training on an engine stands.
type onCluster struct {
	files *fileSet
	units []Unit
}

// The steps of a survey on an engine: to find units is half the work of looking at rows.
const (
	divideSteps = 1
	surveySteps = 2
)

// steps is how many steps a survey has, 0 where that is not known.
func (c *onCluster) steps() int64 {
	if c == nil {
		return 0
	}
	return divideSteps + surveySteps
}

// survey is dataset.Survey on an engine.
func (c *onCluster) survey(ctx context.Context, o *TrainOptions, read dataset.Options, s dataset.Sampling) (
	*dataset.Rows, error) {
	units, err := o.divide(ctx, c.files, &read, nil, false)
	if err != nil {
		return nil, err
	}
	o.Run.Progress.Advance(divideSteps)
	if o.Run.Progress.Share != nil {
		o.Run.Progress.Share(surveySteps)
	}
	c.units = units
	if n := len(units); n > 0 {
		last := units[n-1].Piece
		s.Below = sums.Bound(s.Rows, (1-o.Holdout)*float64(last.Row+last.Rows))
	}
	rows, moved, err := c.surveyOnce(ctx, o, read, s)
	if err != nil || !moved {
		return rows, err
	}
	notes := rows.Notes
	read.Target = rows.Surveyed().Target
	if rows, _, err = c.surveyOnce(ctx, o, read, s); err == nil {
		rows.Notes = notes
	}
	return rows, err
}

func (c *onCluster) surveyOnce(ctx context.Context, o *TrainOptions, read dataset.Options, s dataset.Sampling) (
	*dataset.Rows, bool, error) {
	w, err := o.work(DoSurvey, &read)
	if err != nil {
		return nil, false, err
	}
	w.Sample, w.Below, w.Needed, w.Ranks, w.Holdout = s.Rows, s.Below, s.Needed, s.Quantiles, o.Holdout
	var all *dataset.Partial
	learnt := 0
	err = o.each(ctx, w, c.units, func(i int, r *Result) error {
		p := &dataset.Partial{}
		if err := p.UnmarshalBinary(r.Content); err != nil {
			return err
		}
		c.units[i].Learnt = learnt
		learnt += r.Rows
		if all == nil {
			all = p
			return nil
		}
		return all.Merge(p)
	})
	if err != nil {
		return nil, false, err
	}
	if all == nil {
		return nil, false, badInput(c.files.path, "there are no rows", "give a file with data")
	}
	if s.Below > 0 && all.Short() { // rows of weight 0 are no part of it, and nobody knew how many there are
		s.Below = 0
		return c.surveyOnce(ctx, o, read, s)
	}
	return all.End(c.files.path, read)
}

// sumOn takes the sums of a pass on an engine.
func (t *training[T]) sumOn(
	ctx context.Context, p *stream.Pass, w model.Weighing, merge func(part []byte) error,
) error {
	var m bytes.Buffer
	if err := model.NewModel(t.pipeline, t.part.encoding, model.Kind[T](t.kind)).Write(&m); err != nil {
		return err
	}
	work, err := t.o.work(DoSum, &t.stream.read)
	if err != nil {
		return err
	}
	work.Holdout, work.Model, work.Pass, work.Weighing, work.Own = t.o.Holdout, m.Bytes(), p, w, t.part.train.Weight != nil
	return t.o.each(ctx, work, t.o.on.units, func(_ int, r *Result) error { return merge(r.Content) })
}

// scoreOn gathers in v what a model makes of labelled rows, on an engine. It returns the
// numbers of rows that are held out, where these alone are asked for.
func (o *Options) scoreOn(ctx context.Context, v *evaluation, units []Unit, held float64) (rows []int, err error) {
	w, err := o.work(DoScore, &o.Read)
	if err != nil {
		return nil, err
	}
	var m bytes.Buffer
	if err := v.m.Write(&m); err != nil {
		return nil, err
	}
	w.Model, w.Exec, w.Held, w.Holdout = m.Bytes(), o.AllowExec, held > 0, held
	unseen := 0
	err = o.each(ctx, w, units, func(_ int, r *Result) error {
		var s scored
		if err := wire.Read(r.Content, &s); err != nil {
			return err
		}
		rows, unseen = append(rows, s.Rows...), unseen+s.Unseen
		return v.merge(&s)
	})
	if err == nil {
		o.warnUnseen(v.path, unseen)
	}
	return rows, err
}

// testOn is the gathering of testStream on an engine.
func (t *training[T]) testOn(ctx context.Context, o *Options, v *evaluation, held bool) ([]int, error) {
	if held {
		return o.scoreOn(ctx, v, t.o.on.units, t.o.Holdout)
	}
	_, units, _, err := o.unitsFor(ctx, v.m, v.path)
	if err != nil {
		return nil, err
	}
	_, err = o.scoreOn(ctx, v, units, 0)
	return nil, err
}

// unitsFor finds the units of a path as a model reads them, and leaves bad files out.
func (o *Options) unitsFor(ctx context.Context, m *model.Model, path string) (*fileSet, []Unit, []byte, error) {
	f, err := o.filesOn(ctx, path)
	if err != nil {
		return nil, nil, nil, err
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return nil, nil, nil, err
	}
	for {
		units, err := o.divide(ctx, f, &o.Read, b.Bytes(), o.AllowExec)
		if err == nil || !f.without(err, o) {
			return f, units, b.Bytes(), err
		}
	}
}

// evaluateOn is the gathering of Evaluate on an engine.
func (o *Options) evaluateOn(ctx context.Context, v *evaluation, path string) error {
	f, units, _, err := o.unitsFor(ctx, v.m, path)
	for err == nil {
		if _, err = o.scoreOn(ctx, v, units, 0); err == nil {
			return nil
		}
		if f.without(err, o) {
			err = nil
			units = slices.DeleteFunc(units, func(u Unit) bool { return !slices.Contains(f.names, u.File) })
			*v = evaluation{o: v.o, m: v.m, path: v.path, alike: map[string]string{}}
		}
	}
	return err
}
