package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/wire"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Do says what is done with the rows of a unit.
type Do string

// What can be done. The result of each is what Work.Run writes.
const (
	DoDivide  Do = "divide"  // find the pieces that a file can be read in
	DoSurvey  Do = "survey"  // a dataset.Partial
	DoSum     Do = "sum"     // the stream.Sums of a pass
	DoScore   Do = "score"   // what a model makes of labelled rows
	DoPredict Do = "predict" // lines, as kerf predict writes them
	DoMap     Do = "map"     // features, as kerf map writes them
)

// Work is what is to be done with each unit of a data set, as plain data that can be sent
// to other machines. What comes of a unit depends on the work and the unit alone: neither
// on the machine nor on what was done before.
type Work struct {
	Do        Do
	Read      Reading
	Seed      uint64
	Holdout   float64 // part of the rows that is held out
	Precision run.Precision
	Model     []byte // file of the model that maps rows, or reads them; nil for none
	Exec      bool   // the model may start its program

	Most   int    // rows of a piece, of DoDivide
	Sample int    // rows of a sample, of DoSurvey
	Below  uint64 // bound of its hashes; 0 for none
	Needed bool   // rows must have labels
	Ranks  bool   // quantiles of numbers are asked for

	Pass     *stream.Pass // of DoSum
	Weighing model.Weighing
	Own      bool // rows have weights of their own

	Held bool // DoScore is of rows that are held out alone

	Scores, Proba bool // of DoPredict
	Coverage      float64
	Keep          []string

	Ending string // of files that DoMap writes
}

// Reading is how files are read: of dataset.Options what can be sent.
type Reading struct {
	Kind                             dataset.Kind
	Target, Text, Groups, Weight     string
	Unlabeled, WeightSpare, Verbatim bool
	Header                           table.Header
	Drop                             []string
	Categories                       table.Categories
	Numbers                          bool
	Seed                             uint64
}

// readingOf returns what can be sent of options.
func readingOf(o *dataset.Options) Reading {
	return Reading{Kind: o.Kind, Target: o.Target, Text: o.Text, Groups: o.Groups, Weight: o.Weight,
		Unlabeled:   o.Unlabeled,
		WeightSpare: o.WeightSpare, Verbatim: o.Verbatim, Header: o.Header, Drop: o.Drop, Categories: o.Categories,
		Numbers: o.Numbers, Seed: o.Seed}
}

// options returns the options that were sent.
func (r *Reading) options() dataset.Options {
	return dataset.Options{Kind: r.Kind, Target: r.Target, Text: r.Text, Groups: r.Groups, Weight: r.Weight,
		Unlabeled: r.Unlabeled, WeightSpare: r.WeightSpare, Verbatim: r.Verbatim, Header: r.Header, Drop: r.Drop,
		Categories: r.Categories, Numbers: r.Numbers, Seed: r.Seed}
}

// Unit is the rows of a data set that are worked on together.
type Unit struct {
	File   string
	Piece  dataset.Piece // of the file
	Learnt int           // rows of the data set before these that are learnt from
}

// Done is what is said of a unit beside the result.
type Done struct {
	Rows     int
	Warnings []string
	Notes    []string
}

// Marshal returns the work in a form in which it can be sent: the same bytes for the same
// work.
func (w *Work) Marshal() ([]byte, error) { return json.Marshal(w) }

// errWork reports bytes that are no work, or no result of one.
var errWork = errors.New("these bytes are no work on rows, nor its result, or damaged")

// ReadWork reads what Marshal returned.
func ReadWork(b []byte) (*Work, error) {
	w := &Work{}
	if json.Unmarshal(b, w) != nil {
		return nil, errWork
	}
	if w.Do == DoSum && (w.Pass == nil || w.Pass.Validate() != nil) {
		return nil, errWork
	}
	return w, nil
}

// Worker does work on units, one after the other. The model of the work is opened once.
// It is safe for concurrent use.
type Worker struct {
	Work *Work

	// Open opens the files of units; nil for those of this machine.
	Open func(ctx context.Context, name string) (io.ReadCloser, error)

	Run run.Control

	model *model.Model
}

// NewWorker opens the model of a work.
func NewWorker(w *Work, open func(ctx context.Context, name string) (io.ReadCloser, error), ctl run.Control) (
	*Worker, error) {
	out := &Worker{Work: w, Open: open, Run: ctl}
	out.Run.Precision = w.Precision
	if w.Model == nil {
		return out, nil
	}
	f, err := model.Decode(w.Model)
	if err != nil {
		return nil, err
	}
	f.AllowExec = w.Exec
	out.model, err = f.Model()
	return out, err
}

// Do does the work on a unit, and writes the result. Faults of the rows are a
// *data.InputError.
func (w *Worker) Do(ctx context.Context, u Unit, to io.Writer) (*Done, error) {
	done := &Done{}
	o := NewOptions()
	o.Read, o.Seed, o.Run = w.Work.Read.options(), w.Work.Seed, w.Run
	o.Warn = func(text string) { done.Warnings = append(done.Warnings, text) }
	o.Note = func(text string) { done.Notes = append(done.Notes, text) }
	o.Read.Open, o.Read.Run = w.Open, w.Run
	if w.Work.Do != DoDivide {
		o.Read.Piece = &u.Piece
	}
	var content []byte
	var err error
	switch w.Work.Do {
	case DoDivide:
		content, err = w.divide(ctx, u, &o)
	case DoSurvey:
		content, err = w.survey(ctx, u, &o, done)
	case DoSum:
		content, err = w.sum(ctx, u, &o, done)
	case DoScore:
		content, err = w.score(ctx, u, &o, done)
	case DoPredict:
		err = w.predict(ctx, u, o, done, to)
	case DoMap:
		err = w.features(ctx, u, o, done, to)
	default:
		err = fmt.Errorf("there is no work %q", string(w.Work.Do))
	}
	if err == nil && content != nil {
		_, err = to.Write(content)
	}
	return done, err
}

// divide finds the pieces of a file.
func (w *Worker) divide(ctx context.Context, u Unit, o *Options) ([]byte, error) {
	var as *dataset.Encoding
	if w.model != nil {
		as = w.model.Encoding
	}
	pieces, err := dataset.Divide(ctx, u.File, o.Read, as, w.Work.Most)
	if err != nil {
		return nil, err
	}
	return wire.Append(nil, pieces), nil
}

// heldOut reports whether a row of a data set is held out to test on.
func heldOut(sd uint64, part float64, row int) bool {
	return part > 0 && float64(seed.Hash(sd, seed.StreamHeldOut, uint64(row)))/(1<<63)/2 < part
}

// survey surveys the rows that are not held out.
func (w *Worker) survey(ctx context.Context, u Unit, o *Options, done *Done) ([]byte, error) {
	p, err := dataset.SurveyPart(ctx, u.File, o.Read, dataset.Sampling{Rows: w.Work.Sample, Seed: w.Work.Seed,
		Below: w.Work.Below, Needed: w.Work.Needed, Quantiles: w.Work.Ranks,
		Keep: func(row int) bool { return !heldOut(w.Work.Seed, w.Work.Holdout, row) }})
	if err != nil {
		return nil, err
	}
	done.Rows = p.Rows()
	return p.MarshalBinary()
}

// sum sums up a pass over the rows that are not held out.
func (w *Worker) sum(ctx context.Context, u Unit, o *Options, done *Done) ([]byte, error) {
	work, m := w.Work, w.model
	if m == nil || m.Dim() != work.Pass.Dim {
		return nil, errWork
	}
	if err := w.Run.Reserve("sums of so many features", work.Pass.Bytes(),
		"use a smaller --dim, or a larger --worker-memory"); err != nil {
		return nil, err
	}
	rows := m.Features
	var basis *stream.Basis
	if work.Pass.Similar {
		if basis = m.Basis(); basis == nil {
			return nil, errWork
		}
		rows = m.F1
	}
	all := stream.NewSums(work.Pass, basis)
	blocks := sums.NewBlocks(m.Dim(), !m.Regresses(), work.Weighing.Weighted, func(b *sums.Block) error {
		return all.Add(ctx, w.Run.Quiet(), b)
	})
	blocks.From(u.Learnt)
	row := u.Piece.Row
	err := m.Encoding.Stream(ctx, u.File, o.Read, func(r *dataset.Rows) error {
		before := row
		row += r.Len()
		return w.block(ctx, r, before, before-u.Piece.Row+u.Piece.InFile, o, rows, blocks)
	})
	if err == nil {
		err = blocks.End()
	}
	if err != nil {
		return nil, err
	}
	all.End()
	done.Rows = all.Rows()
	return all.AppendBinary(nil)
}

// coordinates makes of rows what a pass is over.
type coordinates = func(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error)

// block adds rows to blocks. Row is the number of the first in the data set, and inFile
// in its file.
func (w *Worker) block(
	ctx context.Context, r *dataset.Rows, row, inFile int, o *Options, of coordinates, to *sums.Blocks,
) error {
	m, work := w.model, w.Work
	weights, err := m.Encoding.WeightsOf(r, o.Read)
	if err != nil {
		return err
	}
	var index []int
	for i := range r.Len() {
		if !heldOut(work.Seed, work.Holdout, row+i) && (weights == nil || weights[i] > 0) {
			index = append(index, i)
		}
	}
	if len(index) == 0 {
		return nil
	}
	r = r.Pick(index)
	y, values, err := learnt(r, m.Head)
	if err != nil {
		return err
	}
	x, err := of(ctx, w.Run.Quiet(), r)
	if row, ok := model.RowOf(err); ok {
		return inFileError(r.Name, model.Moved(err, inFile+index[row]-row))
	}
	if err != nil {
		return err
	}
	for i := range x.Rows {
		class, value, weight := 0, 0.0, 1.0
		if work.Own && weights != nil {
			weight = weights[index[i]]
		}
		if values != nil {
			value = values[i]
		} else {
			class = y[i]
			weight *= work.Weighing.Factor[class]
		}
		if err := to.Add(x.At(i), class, value, weight); err != nil {
			return err
		}
	}
	return nil
}

// inFileError makes a fault of a row one of its file.
func inFileError(name string, err error) error {
	return &data.InputError{File: name, Problem: err.Error(), Err: err}
}

// learnt returns what is to be learnt of rows: classes of the model, or numbers.
func learnt(r *dataset.Rows, head *model.Head) (y []int, values []float64, err error) {
	if r.Labels == nil {
		return nil, nil, badInput(r.Name, "some rows have no labels", "name the label's column with --target")
	}
	if err := r.CheckLabels(); err != nil {
		return nil, nil, err
	}
	if head.Regresses() {
		values, err = r.Values(nil)
		return nil, values, err
	}
	y = make([]int, r.Len())
	for i, label := range r.Labels {
		c, ok := head.Classes.Index(label)
		if !ok {
			return nil, nil, badInput(r.Name, fmt.Sprintf("the label %q came up while the file was read again", label),
				"leave the file as it is while it is learnt from")
		}
		y[i] = c
	}
	return y, nil, nil
}

// scored is what a model makes of labelled rows, as it is sent.
type scored struct {
	Rows      []int // numbers in the data set, from 1
	Count     int
	Predicted []int
	Y         []int
	Values    []float64
	Unknown   []string
	Scores    []float64
	Margins   []float64
	Weighted  bool
	Weights   []float64
	Alike     map[string]string
	Unseen    int
}

// score scores labelled rows.
func (w *Worker) score(ctx context.Context, u Unit, o *Options, done *Done) ([]byte, error) {
	if w.model == nil {
		return nil, errWork
	}
	v := evaluation{o: o, m: w.model, path: u.File, alike: map[string]string{}}
	out := scored{}
	row := u.Piece.Row
	warn := o.Warn
	o.Warn = nil // of the whole data set is said at the end what is said of it
	err := o.stream(ctx, w.model, u.File, func(r *dataset.Rows) error {
		out.Unseen += w.model.Encoding.Unseen(r)
		if !w.Work.Held {
			return v.add(ctx, r)
		}
		var index []int
		for i := range r.Len() {
			if heldOut(w.Work.Seed, w.Work.Holdout, row+i) {
				index, out.Rows = append(index, i), append(out.Rows, row+i+1)
			}
		}
		if row += r.Len(); len(index) == 0 {
			return nil
		}
		return v.add(ctx, r.Pick(index))
	})
	if o.Warn = warn; err != nil {
		return nil, err
	}
	done.Rows = v.rows
	out.Count, out.Predicted, out.Unknown = v.rows, v.predicted, v.truth.unknown
	out.Y, out.Values = v.truth.y, v.truth.values
	out.Scores, out.Margins, out.Weighted, out.Weights = v.scores, v.margins, v.weights != nil, v.weights
	out.Alike = v.alike
	return wire.Append(nil, out), nil
}

// merge adds rows that another machine has scored.
func (v *evaluation) merge(s *scored) error {
	if s.Count == 0 {
		return nil
	}
	if v.rows > 0 && s.Weighted != (v.weights != nil) {
		return badInput(v.path, "some rows have a weight and others have none",
			"fill it in, or leave it aside with --weight none")
	}
	if len(v.truth.unknown) == 0 {
		v.truth.unknown = s.Unknown
	}
	v.rows += s.Count
	v.predicted, v.truth.y = append(v.predicted, s.Predicted...), append(v.truth.y, s.Y...)
	v.truth.values, v.scores = append(v.truth.values, s.Values...), append(v.scores, s.Scores...)
	v.margins, v.weights = append(v.margins, s.Margins...), append(v.weights, s.Weights...)
	for from, to := range s.Alike {
		v.alike[from] = to
	}
	return nil
}

// predict writes predictions, a line a row, after a header where columns are kept.
func (w *Worker) predict(ctx context.Context, u Unit, o Options, done *Done, to io.Writer) error {
	if w.model == nil {
		return errWork
	}
	p := PredictOptions{Options: o, Scores: w.Work.Scores, Proba: w.Work.Proba, Coverage: w.Work.Coverage,
		Keep: w.Work.Keep}
	var b strings.Builder
	return Predict(ctx, w.model, u.File, p, func(part *Predictions) error {
		b.Reset()
		if p.Keep != nil && done.Rows == 0 {
			b.WriteString(part.Names() + "\n")
		}
		for i := range part.Predictions {
			b.WriteString(part.Line(i) + "\n")
		}
		done.Rows += len(part.Predictions)
		_, err := io.WriteString(to, b.String())
		return err
	})
}

// features writes features, and labels where there are any.
func (w *Worker) features(ctx context.Context, u Unit, o Options, done *Done, to io.Writer) error {
	if w.model == nil {
		return errWork
	}
	form, err := dataset.WriterFor("x" + w.Work.Ending)
	if err != nil {
		return err
	}
	out := form(to, "f", o.Run)
	if _, err := MapFeatures(ctx, w.model, u.File, o, func(x *data.Matrix, labels []string) error {
		done.Rows += x.Rows
		return out.Write(x, labels)
	}); err != nil {
		return err
	}
	return out.Close()
}

// Merges reports whether results of the work can be merged.
func (w *Work) Merges() bool { return w.Do == DoSum }

// Merge makes of the results of consecutive units one. They are merged in the order in
// which next gives them, until it returns nil.
func (w *Work) Merge(next func() ([]byte, error)) ([]byte, error) {
	if !w.Merges() || w.Pass == nil {
		return nil, errWork
	}
	all := stream.NewSums(w.Pass, nil)
	for {
		part, err := next()
		if err != nil {
			return nil, err
		}
		if part == nil {
			return all.AppendBinary(nil)
		}
		if _, err := all.Merge(part); err != nil {
			return nil, err
		}
	}
}
