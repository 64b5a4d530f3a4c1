package job

import (
	"cmp"
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
)

// testing are rows that a model is tested on.
type testing[T any] struct {
	rows   *dataset.Rows // their file
	index  []int         // their numbers there, from 0; nil for all
	x      data.Source[T]
	weight []float64
	known  truth  // what is true of them, by the classes of the rows to train on
	seen   []bool // which of them stand among those to train on, too; nil where that was not looked for
}

// testRows returns the rows to test on, nil for none, and reports what is wrong with
// them before anything is trained.
func (t *training[T]) testRows(ctx context.Context, held []int) (*testing[T], error) {
	v, err := t.readTest(ctx, held)
	if v == nil || err != nil {
		return nil, err
	}
	if t.o.Test != "" {
		t.o.noteAlike(v.rows.Name, alike(t.part.train.Classes, v.rows))
	}
	head := &model.Head{Task: t.choices.Task, Classes: t.part.train.Classes, Learner: t.choices.Learner.Name}
	if v.known, err = truthOf(head, v.rows, v.index); err != nil {
		return nil, err
	}
	return v, t.o.checkLabels(v.rows.Name, head, v.known)
}

// encodeTest makes instances of the rows to test on anew, as those to train on are
// encoded now.
func (t *training[T]) encodeTest() error {
	if t.tested == nil {
		return nil
	}
	if t.o.Test == "" {
		t.tested.x = sampleRows(t.part.x, t.rows, t.tested.index).X
		return nil
	}
	d, err := dataset.Decode[T](t.part.encoding, t.tested.rows)
	t.tested.x = d.X
	return err
}

// readTest returns the rows to test on: those of a file of their own, or those held
// out.
func (t *training[T]) readTest(ctx context.Context, held []int) (*testing[T], error) {
	o := t.o
	if o.Test == "" {
		if len(held) == 0 {
			return nil, nil
		}
		d := sampleRows(t.part.x, t.rows, held)
		return &testing[T]{rows: t.rows, index: held, x: d.X, weight: d.Weight}, nil
	}
	read := o.Read
	read.Kind, read.Run, read.WeightSpare = t.rows.Kind, o.Run, true
	read.Labels, read.Weights, read.More = o.TestLabels, o.TestWeights, nil
	if o.Read.Target == "" {
		o.labelsBeside(o.Test, t.rows.Format, &read)
	}
	o.Run.Progress.Begin("read "+o.Test, 0)
	rows, err := dataset.Read(ctx, o.Test, read)
	o.Run.Progress.End()
	if err == nil && read.Labels == "" {
		err = t.part.encoding.FindLabels(rows)
	}
	if err != nil {
		return nil, err
	}
	d, err := dataset.Decode[T](t.part.encoding, rows)
	if err != nil {
		return nil, err
	}
	o.warnUnseen(rows.Name, t.part.encoding.Unseen(rows))
	if !t.choices.traits.Unsupervised {
		if rows.Labels == nil {
			return nil, badInput(rows.Name, "the rows have no labels to test against", "use kerf predict for such data")
		}
		if err := rows.CheckLabels(); err != nil {
			return nil, err
		}
	}
	weights, err := t.part.encoding.WeightsOf(rows, read)
	if err = cmp.Or(err, dataset.SomeWeight(rows.Name, weights)); err != nil {
		return nil, err
	}
	return &testing[T]{rows: rows, x: d.X, weight: weights}, nil
}

// test measures the model on rows that it was not trained on.
func (t *training[T]) test(ctx context.Context) (*Measured, error) {
	o, out, v, known := t.o, t.out, t.tested, t.tested.known
	ctl := o.Run
	ctl.Counter = nil
	m := &Measured{On: v.rows.Name, Test: true, Rows: numbered(v.index), Truth: known.y, Values: known.values,
		Weight: v.weight}
	earned, err := out.Training.Earned, error(nil)
	var margins []float64
	if known.y != nil && !t.choices.traits.Unsupervised && (o.Details || earned != nil) {
		m.Scores, margins, err = t.pipeline.ScoreMargins(ctx, ctl, v.x, known.y)
		m.Margins = margin.NewMargins(margins)
	} else {
		m.Scores, err = t.pipeline.ScoreAll(ctx, ctl, v.x)
	}
	if err != nil {
		return nil, err
	}
	out.Test, err = known.score(out.Model.Head, m.Scores, v.weight, constantOf(t.part.train))
	if err = cmp.Or(err, t.measureSeen(out.Model.Head, m)); err != nil || earned == nil {
		return m, err
	}
	out.Separator, err = t.certifyTest(ctx, margins)
	return m, err
}

// certifyTest bounds the error of the separator by its margins on the test rows.
// Rows of less weight than others are left out now and then, so that the rest are
// draws of the weighted distribution. Copies of rows that were trained on, or of
// one another, tell nothing new: the bound holds with and without them.
func (t *training[T]) certifyTest(ctx context.Context, margins []float64) (*certificate.Certificate, error) {
	v, c := t.tested, t.choices.Claim
	kept, ctl := numbers(v.x.Len()), t.o.Run.Quiet()
	if v.weight != nil {
		var err error
		if kept, err = certificate.Thin(v.weight, 0, t.o.Seed); err != nil {
			return nil, err
		}
	}
	distinct := kept
	if !c.Atoms {
		index, err := certificate.Distinct(ctx, ctl, t.pipeline.Kernel, t.part.train.X, data.Subset[T]{Of: v.x, Index: kept})
		if err != nil {
			return nil, err
		}
		distinct = selected(kept, index)
	}
	var out *certificate.Certificate
	for _, index := range [][]int{kept, distinct} {
		of := margin.NewMargins(selected(margins, index))
		h, err := certificate.HeldOut(of, 0, c.Error, c.Confidence, t.pipeline.Map.Dim())
		if err != nil {
			return nil, err
		}
		if out == nil || h.Bound >= out.Bound {
			out = &h
		}
	}
	out.Copies = len(kept) - len(distinct)
	return out, nil
}

// detail adds what a report shows.
func (t *training[T]) detail(ctx context.Context, m *Measured) error {
	x := t.part.train.X
	if t.tested != nil {
		x = t.tested.x
	}
	if texts, ok := any(x).(data.Source[string]); ok {
		for i := range texts.Len() {
			m.Texts = append(m.Texts, texts.At(i))
		}
	}
	t.out.Measured = m
	var err error
	if m.Importance, err = t.importance(ctx, m, x); err != nil {
		return err
	}
	if truth := (explain.Truth{Classes: m.Truth, Values: m.Values}); truth.Len() == x.Len() {
		if m.Plane, err = explain.NewPlane(ctx, t.o.Run, t.out.Model, model.NewEncoded(x), truth); err != nil {
			return err
		}
	}
	if t.choices.regresses() {
		return nil
	}
	head := t.out.Model.Head
	said := eval.Said{Classes: head.Classes.Len(), Truth: m.Truth, Predicted: head.DecideAll(m.Scores), Scores: m.Scores}
	if t.choices.traits.Unsupervised {
		said.Scores = nil
	} else if head.Calibration != nil {
		said.Probabilities = head.Calibration.All(m.Scores)
	}
	m.Measures, err = measureBy(m.Weight).Classification(ctx, said)
	return err
}

// numbered returns the numbers of rows from 1, nil for all.
func numbered(index []int) []int {
	if index == nil {
		return nil
	}
	out := make([]int, len(index))
	for i, j := range index {
		out[i] = j + 1
	}
	return out
}

// numbers returns the numbers from 0 up to n.
func numbers(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// testApart measures the model on rows that were held out of a pipe, and kept.
func (t *training[T]) testApart(ctx context.Context, v *evaluation, m *Measured) error {
	parts, numbers := t.stream.apart.Parts()
	kept := 0
	for p, part := range parts {
		for _, row := range numbers[p] {
			m.Rows = append(m.Rows, row+1)
		}
		if err := v.add(ctx, part); err != nil {
			return err
		}
		kept += part.Len()
	}
	if all := t.stream.apart.Offered(); all > kept {
		t.o.note("%s: %s rows were held out; the test is on %s of them, drawn at random, which were kept", t.rows.Name,
			grouped(int64(all)), grouped(int64(kept)))
	}
	return nil
}

// testStream measures the model on the rows that are held out, or on those of a file,
// part by part.
func (t *training[T]) testStream(ctx context.Context) (*Measured, error) {
	o, out := t.o, t.out
	options := o.Options
	path, held := t.stream.path, o.Test == ""
	if options.Read = t.stream.read; !held {
		path = o.Test
		options.Read.Labels, options.Read.Weights, options.Read.WeightSpare = o.TestLabels, o.TestWeights, true
		options.Read.Target, options.Read.More = o.Read.Target, nil
		if o.Read.Target == "" && o.Engine == nil {
			o.labelsBeside(path, t.rows.Format, &options.Read)
		}
	}
	v := evaluation{o: &options, m: out.Model, path: path, alike: map[string]string{}}
	m := &Measured{On: path, Test: true}
	first := 0
	var err error
	switch {
	case o.on != nil:
		m.Rows, err = t.testOn(ctx, &options, &v, held)
	case held && t.stream.apart != nil:
		err = t.testApart(ctx, &v, m)
	default:
		err = options.stream(ctx, out.Model, path, func(r *dataset.Rows) error {
			var index []int
			for i := range r.Len() {
				if held && o.heldOut(first+i) {
					index = append(index, i)
					m.Rows = append(m.Rows, first+i+1)
				}
			}
			first += r.Len()
			if held {
				if len(index) == 0 {
					return nil
				}
				r = r.Pick(index)
			}
			return v.add(ctx, r)
		})
	}
	if err == nil {
		err = dataset.SomeWeight(path, v.weights)
	}
	if err == nil && v.rows == 0 {
		err = badInput(path, fmt.Sprintf("no row is among the %v that are held out", o.Holdout), "use a larger --holdout")
	}
	if err != nil {
		return nil, err
	}
	head := out.Model.Head
	m.Scores = &data.Matrix{Rows: v.rows, Cols: head.Outputs(), Data: v.scores}
	m.Truth, m.Values, m.Weight = v.truth.y, v.truth.values, v.weights
	o.noteAlike(path, v.alike)
	if err := o.checkLabels(path, head, v.truth); err != nil {
		return nil, err
	}
	out.Test, err = v.truth.score(head, m.Scores, v.weights, constantOf(t.part.train))
	return m, err
}
