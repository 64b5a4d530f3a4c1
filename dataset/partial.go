package dataset

import (
	"context"
	"errors"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/wire"
	"github.com/kerf-ml/kerf/sums"
)

// ErrDamaged reports bytes that are no partial survey.
var ErrDamaged = errors.New("these bytes are no survey of rows, or damaged")

// Partial is a survey of some of the rows of a data set, which is merged with those of
// the others: what Survey does, divided. It has a binary form in which it can be sent.
// Merged in the order of the rows it is the same whatever machine made the parts; beside
// Survey of all rows at once moments differ by rounding, and nothing else does.
type Partial struct {
	g *gathering
}

// SurveyPart surveys the rows of a file, or of o.Piece.
func SurveyPart(ctx context.Context, path string, o Options, s Sampling) (*Partial, error) {
	r := &recogniser{Options: o, on: true, needed: s.Needed, asked: o.Kind}
	if err := r.settleTarget(); err != nil {
		return nil, err
	}
	g := newGathering(r, &s)
	g.part = true
	if err := eachFile(ctx, path, &r.Options, func(f *file.File) error { return g.file(ctx, f, path) }); err != nil {
		return nil, err
	}
	g.compact()
	return &Partial{g}, nil
}

// Rows returns how many rows the part has that are learnt from.
func (p *Partial) Rows() int { return p.g.known.Rows }

// Short reports whether the sample lacks rows, because Sampling.Below was too low a bound of
// all rows that were merged.
func (p *Partial) Short() bool { return p.g.sample.Short(p.g.known.Rows) }

// Merge adds the survey of rows that come after these.
func (p *Partial) Merge(q *Partial) error {
	a, b := p.g, q.g
	if err := b.first.alike(a.first); err != nil {
		return err
	}
	if a.o.Kind == "" {
		a.o.Kind = b.o.Kind
	}
	a.o.notes = append(a.o.notes, b.o.notes...)
	a.known.Rows, a.known.File = a.known.Rows+b.known.Rows, a.known.File+b.known.File
	a.known.Weight += b.known.Weight
	a.known.table.Merge(b.known.table)
	a.moved = a.moved || b.moved
	if a.unlabeled == nil {
		a.unlabeled = b.unlabeled
	}
	a.mergeLabels(b.known.labels)
	a.sample.Merge(b.sample)
	a.parts, a.places = append(a.parts, b.parts...), append(a.places, b.places...)
	if a.held += b.held; a.held > 2*a.sample.Most+PartRows {
		a.compact()
	}
	return nil
}

// mergeLabels adds the counts of labels.
func (g *gathering) mergeLabels(of map[string]tally) {
	labels := g.known.labels
	if labels == nil || of == nil {
		g.known.labels = nil
		return
	}
	for name, t := range of {
		labels[name] = tally{labels[name].rows + t.rows, labels[name].weight + t.weight}
	}
	if len(labels) > mostLabels {
		g.known.labels = nil
	}
}

// End returns what Survey returns, of all rows that were merged. It reports whether the
// target was found in another column than the one that labels were counted in: Target of
// Surveyed is then to be the option of another survey. Of the options those of the data
// and Run count.
func (p *Partial) End(name string, o Options) (*Rows, bool, error) {
	p.g.o.Run, p.g.o.More = o.Run, o.More
	p.g.sample.Shrink(p.g.most())
	return p.g.finish(name)
}

// wirePartial is a Partial as it is sent.
type wirePartial struct {
	Options     wireOptions
	Rows, File  int
	Weight      float64
	Counted     bool
	Names       []string
	NameRows    []int
	NameWeights []float64
	Table       []byte
	Sample      []byte
	Most        int
	First, Kept wireRows
	Places      []int
	Bytes       float64
	Unlabeled   *wireFault
	Moved       bool
}

// wireFault is a fault of the input as it is sent, without its cause.
type wireFault struct {
	File            string
	Line, Column    int
	Problem, Advice string
}

// wireOptions are what the recogniser of a partial survey found, or was told.
type wireOptions struct {
	Asked, Kind                        Kind
	Target, Labels, Text, Weight, Into string
	Spare, Needed                      bool
	Notes, Drop                        []string
}

// MarshalBinary returns the survey in a form in which it can be sent.
func (p *Partial) MarshalBinary() ([]byte, error) {
	g, k := p.g, p.g.known
	g.compact()
	w := wirePartial{Rows: k.Rows, File: k.File, Weight: k.Weight, Counted: k.labels != nil, Most: g.sample.Most,
		Places: g.places[0], Bytes: g.bytes, Moved: g.moved,
		Options: wireOptions{Asked: g.o.asked, Kind: g.o.Kind, Target: g.o.Target, Labels: g.o.Labels, Text: g.o.Text,
			Weight: g.o.Weight, Spare: g.o.WeightSpare, Needed: g.o.needed, Notes: g.o.notes, Into: g.o.Groups, Drop: g.o.Drop}}
	for name := range k.labels {
		w.Names = append(w.Names, name)
	}
	slices.Sort(w.Names)
	for _, name := range w.Names {
		w.NameRows, w.NameWeights = append(w.NameRows, k.labels[name].rows), append(w.NameWeights, k.labels[name].weight)
	}
	if g.unlabeled != nil {
		var fault *data.InputError
		if !errors.As(g.unlabeled, &fault) {
			return nil, g.unlabeled
		}
		w.Unlabeled = &wireFault{fault.File, fault.Line, fault.Column, fault.Problem, fault.Advice}
	}
	var err error
	if w.Table, err = k.table.MarshalBinary(); err != nil {
		return nil, err
	}
	if w.Sample, err = g.sample.AppendBinary(nil); err != nil {
		return nil, err
	}
	if err := errors.Join(w.First.take(g.first), w.Kept.take(g.parts[0])); err != nil {
		return nil, err
	}
	return wire.Append(nil, w), nil
}

// UnmarshalBinary reads what MarshalBinary returned.
func (p *Partial) UnmarshalBinary(b []byte) error {
	var w wirePartial
	if wire.Read(b, &w) != nil {
		return ErrDamaged
	}
	o := &w.Options
	r := &recogniser{on: true, needed: o.Needed, asked: o.Asked, notes: o.Notes, Options: Options{Kind: o.Kind,
		Target: o.Target, Labels: o.Labels, Text: o.Text, Weight: o.Weight, WeightSpare: o.Spare, Groups: o.Into,
		Drop: o.Drop}}
	g := &gathering{o: r, s: &Sampling{Needed: o.Needed}, part: true, bytes: w.Bytes, moved: w.Moved,
		sample: &sums.Reservoir{},
		known:  &Surveyed{Rows: w.Rows, File: w.File, Weight: w.Weight, table: &table.Survey{}}}
	if w.Counted {
		g.known.labels = map[string]tally{}
	}
	if len(w.NameRows) != len(w.Names) || len(w.NameWeights) != len(w.Names) || !w.Counted && len(w.Names) > 0 ||
		w.Rows < 0 || w.File < w.Rows || g.known.table.UnmarshalBinary(w.Table) != nil ||
		g.sample.UnmarshalBinary(w.Sample) != nil {
		return ErrDamaged
	}
	for i, name := range w.Names {
		g.known.labels[name] = tally{w.NameRows[i], w.NameWeights[i]}
	}
	if f := w.Unlabeled; f != nil {
		g.unlabeled = &data.InputError{File: f.File, Line: f.Line, Column: f.Column, Problem: f.Problem, Advice: f.Advice}
	}
	var err error
	if g.first, err = w.First.rows(); err != nil {
		return err
	}
	kept, err := w.Kept.rows()
	if err != nil {
		return err
	}
	if kept.Len() != len(w.Places) || !slices.Equal(w.Places, g.sample.Rows()) || g.first.form() != kept.form() {
		return ErrDamaged
	}
	g.parts, g.places, g.held = []*Rows{kept}, [][]int{w.Places}, kept.Len()
	p.g = g
	return nil
}

// wireRows are rows as they are sent.
type wireRows struct {
	Name, Format string
	Kind         Kind
	Labeled      bool
	Labels       []string
	Weighed      bool
	Weights      []float64
	Coded        bool
	Notes        []string
	Text         int

	Form   byte
	Table  []byte
	Cols   int
	Count  int
	Ptr    []int
	Index  []int32
	Values []float64
	Texts  []string
	Sets   [][]string
}

// The forms that rows have.
const (
	formTable byte = iota + 1
	formDense
	formSparse
	formTexts
	formSets
)

func (r *Rows) form() byte {
	switch {
	case r.table != nil:
		return formTable
	case r.vectors != nil:
		if _, dense := r.vectors.(*data.Matrix); dense {
			return formDense
		}
		return formSparse
	case r.texts != nil:
		return formTexts
	}
	return formSets
}

// take fills in the wire form of rows.
func (w *wireRows) take(r *Rows) (err error) {
	*w = wireRows{Name: r.Name, Format: r.Format, Kind: r.Kind, Labeled: r.Labels != nil, Labels: r.Labels,
		Weighed: r.Weights != nil, Weights: r.Weights, Coded: r.Coded, Notes: r.Notes, Text: r.text, Form: r.form(),
		Count: r.Len()}
	switch w.Form {
	case formTable:
		w.Table, err = r.table.MarshalBinary()
	case formDense:
		m := r.vectors.(*data.Matrix)
		w.Cols, w.Values = m.Cols, m.Data[:m.Rows*m.Cols]
	case formSparse:
		m := copied(r.vectors, r.vectors).(*data.CSR)
		w.Cols, w.Ptr, w.Index, w.Values = m.Cols, m.Ptr, m.Index, m.Value
	case formTexts:
		w.Texts = r.texts
	case formSets:
		for _, s := range r.sets {
			w.Sets = append(w.Sets, s)
		}
	}
	return err
}

// rows returns the rows that were sent.
func (w *wireRows) rows() (*Rows, error) {
	r := &Rows{Name: w.Name, Format: w.Format, Kind: w.Kind, Labels: w.Labels, Weights: w.Weights, Coded: w.Coded,
		Notes: w.Notes, text: w.Text}
	if w.Labeled && r.Labels == nil {
		r.Labels = []string{}
	}
	if w.Weighed && r.Weights == nil {
		r.Weights = []float64{}
	}
	switch w.Form {
	case formTable:
		r.table = &table.Table{}
		if r.table.UnmarshalBinary(w.Table) != nil {
			return nil, ErrDamaged
		}
	case formDense:
		if w.Count < 0 || w.Cols < 0 || w.Cols > 0 && len(w.Values)/w.Cols != w.Count || len(w.Values) != w.Count*w.Cols {
			return nil, ErrDamaged
		}
		r.vectors = &data.Matrix{Rows: w.Count, Cols: w.Cols, Data: w.Values}
	case formSparse:
		m, err := w.sparse()
		if err != nil {
			return nil, err
		}
		r.vectors = m
	case formTexts:
		r.texts = append(data.Slice[string]{}, w.Texts...)
	case formSets:
		r.sets = data.Slice[data.Set]{}
		for _, s := range w.Sets {
			r.sets = append(r.sets, data.NewSet(s...))
		}
	default:
		return nil, ErrDamaged
	}
	if n := r.Len(); n != w.Count || w.Labeled && len(r.Labels) != n || w.Weighed && len(r.Weights) != n ||
		!w.Labeled && r.Labels != nil || !w.Weighed && r.Weights != nil {
		return nil, ErrDamaged
	}
	return r, nil
}

// sparse returns sparse vectors whose indices are in order.
func (w *wireRows) sparse() (*data.CSR, error) {
	m := &data.CSR{Cols: w.Cols, Ptr: w.Ptr, Index: w.Index, Value: w.Values}
	if len(m.Ptr) != w.Count+1 || len(m.Index) != len(m.Value) || m.Ptr[0] != 0 || m.Ptr[w.Count] != len(m.Index) {
		return nil, ErrDamaged
	}
	for i := range w.Count {
		if m.Ptr[i+1] < m.Ptr[i] || m.Ptr[i+1] > len(m.Index) {
			return nil, ErrDamaged
		}
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			if m.Index[k] < 0 || int(m.Index[k]) >= m.Cols || k > m.Ptr[i] && m.Index[k] <= m.Index[k-1] {
				return nil, ErrDamaged
			}
		}
	}
	return m, nil
}
