package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
)

// ExplainOptions are the options of Explain.
type ExplainOptions struct {
	Options
	Rows       []int   // to explain, from 1; none for the columns alone
	Against    string  // file of rows to compare them with, as that of training; empty for none
	Repeats    int     // passes of the importance of columns; 0 for no importance
	Metric     string  // as explain.ParseMetric reads it
	Sample     int     // rows that importance is measured on, at most; 0 for all
	Columns    int     // at most; 0 for all
	Confidence float64 // of intervals
	Nearest    int     // landmarks and rows that are listed
}

// NewExplainOptions returns the options of package explain.
func NewExplainOptions() ExplainOptions {
	p := explain.NewPermutation()
	return ExplainOptions{Options: NewOptions(), Repeats: p.Repeats, Sample: p.Rows, Columns: p.Most,
		Confidence: p.Confidence, Nearest: explain.NewWhy(nil).Nearest}
}

// Explained is why a model predicts what it does: which columns matter, and for some
// rows why.
type Explained struct {
	Importance []explain.Importance `json:"importance"`           // the largest first; none where rows have no labels
	Ranking    *explain.Ranking     `json:"measured"`             // how; null where it was not
	Directions []explain.Direction  `json:"directions,omitempty"` // of a learnt metric
	Rows       []*explain.Row       `json:"rows"`
	Notes      []string             `json:"notes,omitempty"` // what is not there, and why

	Plane *explain.Plane `json:"-"` // of the metric, with the rows; nil for none
}

// mostExplained is how many rows may be explained at once: each is compared with all
// rows of another file.
const mostExplained = 1000

// fewBackground is how many rows a file must have for its cells to be those that are put
// in the place of others.
const fewBackground = 10

// Explain says why a model predicts what it does for the rows of a file. Importance
// needs labels; rows may be explained without.
func Explain(ctx context.Context, m *model.Model, path string, o ExplainOptions) (*Explained, error) {
	if err := o.check(m, path); err != nil {
		return nil, err
	}
	d, err := o.explained(ctx, m, path)
	if err != nil {
		return nil, err
	}
	out := &Explained{Importance: []explain.Importance{}, Rows: []*explain.Row{}}
	if o.Repeats > 0 {
		if err := o.rank(ctx, m, path, d, out); err != nil {
			return nil, err
		}
	}
	if len(o.Rows) == 0 {
		return out, nil
	}
	return out, o.explainRows(ctx, m, path, d, out)
}

// ExplainRows is Explain of rows in memory: with labels the importance of their columns,
// unless Repeats is 0, and why of those that Rows names. Others, which may be nil, are in
// the place of Against.
func ExplainRows(
	ctx context.Context, m *model.Model, rows, others *dataset.Rows, o ExplainOptions,
) (*Explained, error) {
	if err := o.check(m, rows.Name); err != nil {
		return nil, err
	}
	d := &toExplain{sample: rows, all: rows.Len(), others: others}
	out := &Explained{Importance: []explain.Importance{}, Rows: []*explain.Row{}}
	if o.Repeats > 0 {
		if err := o.rank(ctx, m, rows.Name, d, out); err != nil {
			return nil, err
		}
	}
	if len(o.Rows) == 0 {
		return out, nil
	}
	d.number = slices.Compact(slices.Sorted(slices.Values(o.Rows)))
	index := make([]int, len(d.number))
	for k, n := range d.number {
		if n > d.all {
			return nil, dataset.BadOption("%s is %d and there are %d rows", dataset.Option("row"), n, d.all)
		}
		index[k] = n - 1
	}
	d.wanted = rows.Pick(index)
	return out, o.explainRows(ctx, m, rows.Name, d, out)
}

// check reports options that cannot be.
func (o *ExplainOptions) check(m *model.Model, path string) error {
	p := o.permutation()
	if p.Repeats == 0 {
		p.Repeats = 1
	}
	if err := p.Validate(); err != nil {
		return dataset.BadOption("%v", err)
	}
	if _, err := explain.ParseMetric(o.Metric, m.Head); err != nil {
		return dataset.BadOption("%v", err)
	}
	switch {
	case len(o.Rows) > mostExplained:
		return dataset.BadOption("%s names %d rows and at most %d are explained at once", dataset.Option("row"),
			len(o.Rows), mostExplained)
	case slices.Min(append([]int{1}, o.Rows...)) < 1:
		return dataset.BadOption("%s is %d and rows are counted from 1", dataset.Option("row"), slices.Min(o.Rows))
	case o.Repeats == 0 && len(o.Rows) == 0:
		return dataset.BadOption("%s 0 leaves nothing to do without %s", dataset.Option("repeats"), dataset.Option("row"))
	case o.Against != "" && len(o.Rows) == 0:
		return dataset.BadOption("%s is to compare rows with; name some by %s", dataset.Option("against"),
			dataset.Option("row"))
	case o.Against == "-" && path == "-":
		return dataset.BadOption("%s and the data cannot both be standard input", dataset.Option("against"))
	case o.Nearest < 0:
		return dataset.BadOption("%s is %d and must be at least 0", dataset.Option("nearest"), o.Nearest)
	}
	return nil
}

func (o *ExplainOptions) permutation() explain.Permutation {
	return explain.Permutation{Metric: o.Metric, Repeats: o.Repeats, Confidence: o.Confidence, Rows: o.Sample,
		Most: o.Columns, Seed: o.Seed, Run: o.Run}
}

// toExplain are rows of a file: a sample to measure on, and those to explain.
type toExplain struct {
	sample *dataset.Rows // with the labels and weights of the file, where it has them
	all    int           // rows of the file
	wanted *dataset.Rows // in the order of the file; nil for none
	number []int         // of each of these, from 1
	others *dataset.Rows // to compare them with, where they are in memory
}

// explained reads what is looked at of a file.
func (o *ExplainOptions) explained(ctx context.Context, m *model.Model, path string) (*toExplain, error) {
	if o.Read.Target == "" {
		o.labelsBeside(path, m.Encoding.Format, &o.Read)
	}
	d, known := &toExplain{}, o.labelsKnown(m)
	v, s := evaluation{o: &o.Options, m: m, path: path}, sampled{most: o.Sample, seed: o.Seed}
	wanted := map[int]bool{}
	for _, n := range o.Rows {
		wanted[n] = true
	}
	alikes := map[string]string{}
	var found []*dataset.Rows
	err := o.stream(ctx, m, path, func(r *dataset.Rows) error {
		if err := cmp.Or(known(r), v.weigh(r)); err != nil {
			return err
		}
		if !m.Regresses() {
			maps.Copy(alikes, alike(m.Classes, r))
		}
		if v.weights != nil {
			r.Weights = v.weights[d.all:]
		}
		var index []int
		for i := range r.Len() {
			if n := d.all + i + 1; wanted[n] {
				index, d.number = append(index, i), append(d.number, n)
			}
		}
		if index != nil {
			found = append(found, r.Pick(index))
		}
		s.add(r, d.all)
		d.all += r.Len()
		return nil
	})
	if err == nil {
		err = dataset.SomeWeight(path, v.weights)
	}
	if err != nil {
		return nil, err
	}
	o.noteAlike(path, alikes)
	for _, n := range o.Rows {
		if n > d.all {
			return nil, dataset.BadOption("%s is %d and %s has %d rows", dataset.Option("row"), n, path, d.all)
		}
	}
	d.sample = s.rows()
	if found != nil {
		d.wanted = dataset.Join(found)
	}
	return d, nil
}

// rank measures the importance of columns, or notes why it cannot be where rows are
// wanted too.
func (o *ExplainOptions) rank(ctx context.Context, m *model.Model, path string, d *toExplain, out *Explained) error {
	rows := d.sample
	fault := o.rankable(m, path, rows)
	if fault == nil {
		fault = o.rankRows(ctx, m, path, d, out)
	}
	var input *data.InputError
	if errors.As(fault, &input) && len(o.Rows) > 0 {
		out.Notes = append(out.Notes, "importance: "+input.Problem)
		return nil
	}
	return fault
}

// rankable reports rows without labels.
func (o *ExplainOptions) rankable(m *model.Model, path string, rows *dataset.Rows) error {
	switch {
	case rows == nil:
		return badInput(path, "all rows have weight 0", "check the weights")
	case rows.Labels == nil && m.Learner != model.LearnerOneClass:
		return badInput(path, "the rows have no labels, by which importance is measured",
			"give labelled rows, or explain single ones with --row N")
	case rows.Labels == nil:
		return nil
	}
	return rows.CheckLabels()
}

func (o *ExplainOptions) rankRows(
	ctx context.Context, m *model.Model, path string, d *toExplain, out *Explained,
) error {
	rows := d.sample
	known, err := truthOf(m.Head, rows, nil)
	if err != nil {
		return err
	}
	if !m.Regresses() {
		if err := o.checkLabels(path, m.Head, known); err != nil {
			return err
		}
	}
	x, err := m.Encode(rows)
	if err != nil {
		return err
	}
	if d.all > rows.Len() {
		o.note("%s: importance is measured on %d of %d rows; --rows 0 takes all", path, rows.Len(), d.all)
	}
	truth := explain.Truth{Classes: known.y, Values: known.values, Weight: rows.Weights}
	ranking, err := o.permutation().Columns(ctx, m, x, truth)
	switch {
	case errors.Is(err, explain.ErrFew):
		return badInput(path, fmt.Sprintf("%v and there are %d", err, rows.Len()), "give more")
	case errors.Is(err, model.ErrColumns):
		return badInput(path, err.Error(), "explain single rows with --row N")
	case errors.Is(err, explain.ErrFar):
		return badInput(path, err.Error(), "use --metric mae, or explain single rows with --row N")
	case err != nil:
		return err
	}
	out.Ranking, out.Importance = ranking, ranking.Importance
	if out.Plane, err = explain.NewPlane(ctx, o.Run, m, x, truth); err != nil {
		return err
	}
	if out.Plane != nil {
		out.Directions = out.Plane.Directions
	}
	if ranking.LeftOut > 0 {
		o.note("%s: %d columns that few rows have something in are left out; --columns 0 takes all", path, ranking.LeftOut)
	}
	return nil
}

// explainRows explains the rows that are wanted.
func (o *ExplainOptions) explainRows(
	ctx context.Context, m *model.Model, path string, d *toExplain, out *Explained,
) error {
	x, err := m.Encode(d.wanted)
	if err != nil {
		return err
	}
	why := explain.NewWhy(m)
	why.Nearest, why.Most, why.Seed, why.Run = o.Nearest, o.Columns, o.Seed, o.Run
	rows := make([]*explain.Row, d.wanted.Len())
	for i := range rows {
		if rows[i], err = why.Landmarks(ctx, d.wanted, x, i); err != nil {
			return inFile(path, model.Moved(err, d.number[i]-1-i))
		}
		rows[i].Row = d.number[i]
	}
	background, from := d.sample, path
	if d.others != nil {
		if background, err = o.among(ctx, m, x, rows, d.others); err != nil {
			return err
		}
		from = d.others.Name
	}
	if o.Against != "" {
		if background, err = o.against(ctx, m, x, rows); err != nil {
			return err
		}
		from = o.Against
	}
	if background != nil && background.Len() >= fewBackground {
		if why.Background, err = m.Encode(background); err != nil {
			return err
		}
		why.From = from
	}
	o.Run.Progress.Begin("explain rows", int64(len(rows)))
	defer o.Run.Progress.End()
	for i, one := range rows {
		if err := why.Columns(ctx, one, d.wanted, x, i); err != nil {
			return inFile(path, err)
		}
		o.Run.Progress.Advance(int64(i + 1))
	}
	out.Rows = o.inOrder(rows)
	return nil
}

// inOrder returns the rows as they were asked for.
func (o *ExplainOptions) inOrder(rows []*explain.Row) []*explain.Row {
	out := make([]*explain.Row, 0, len(o.Rows))
	for _, n := range o.Rows {
		at, _ := slices.BinarySearchFunc(rows, n, func(r *explain.Row, n int) int { return cmp.Compare(r.Row, n) })
		out = append(out, rows[at])
	}
	return out
}

// among finds rows that are like those explained, and returns a sample of them.
func (o *ExplainOptions) among(
	ctx context.Context, m *model.Model, x *model.Encoded, rows []*explain.Row, others *dataset.Rows,
) (*dataset.Rows, error) {
	search := explain.NewSearch(m, x, rows)
	search.Most, search.Run = o.Nearest, o.Run
	all, err := m.Encode(others)
	if err != nil {
		return nil, err
	}
	if err := search.Add(ctx, others, all); err != nil {
		return nil, err
	}
	s := sampled{most: explain.NewWhy(m).Cells, seed: o.Seed}
	s.add(others, 0)
	return s.rows(), nil
}

// against finds rows of another file that are like those explained, and returns a sample
// of it.
func (o *ExplainOptions) against(
	ctx context.Context, m *model.Model, x *model.Encoded, rows []*explain.Row,
) (*dataset.Rows, error) {
	other := o.Options
	other.Read.Labels, other.Read.Weights, other.Read.Weight = "", "", ""
	if other.Read.Target == "none" {
		other.Read.Target = "" // of the data alone
	}
	other.labelsBeside(o.Against, m.Encoding.Format, &other.Read)
	search := explain.NewSearch(m, x, rows)
	search.Most, search.Run = o.Nearest, o.Run
	s, before := sampled{most: explain.NewWhy(m).Cells, seed: o.Seed}, 0
	err := other.stream(ctx, m, o.Against, func(r *dataset.Rows) error {
		among, err := m.Encode(r)
		if err != nil {
			return err
		}
		if err := search.Add(ctx, r, among); err != nil {
			return err
		}
		s.add(r, before)
		before += r.Len()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.rows(), nil
}
