package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/alloc"
)

// Decode turns rows into instances of type T, which must be the one of the
// encoding's kind, with their labels, nil where there are none, and the weights
// that the rows have. A table with columns that are not those of the training data
// is a *data.InputError.
func Decode[T any](e *Encoding, r *Rows) (data.Labeled[T, string], error) {
	var none data.Labeled[T, string]
	x, labels, err := e.decode(r)
	if err != nil {
		return none, err
	}
	return withLabels[T](e, r, x, labels)
}

// Free gives back the memory of instances that Decode made, if it is their own: they may not be looked at again.
func Free[T any](e *Encoding, x data.Source[T]) {
	if m, ok := any(x).(*data.Matrix); ok && e.Table != nil {
		alloc.Free(m.Data)
		m.Data = nil
	}
}

// withLabels returns instances of type T, which decode made, with their labels.
func withLabels[T any](e *Encoding, r *Rows, x any, labels []string) (data.Labeled[T, string], error) {
	src, ok := x.(data.Source[T])
	if !ok {
		var none data.Labeled[T, string]
		return none, e.otherFormat(r.Name, r.Format)
	}
	return data.Labeled[T, string]{X: src, Y: labels, Weight: r.Weights}, nil
}

// otherFormat reports rows of a format that is not the training data's.
func (e *Encoding) otherFormat(name, format string) error {
	return &data.InputError{File: name, Advice: "convert it first",
		Problem: fmt.Sprintf("this is %s data and the model was trained on %s data", format, e.Format)}
}

// decode is the one place that knows what each form of rows is as instances of
// each kind: a Source of vectors, strings or sets.
func (e *Encoding) decode(r *Rows) (instances any, labels []string, err error) {
	if r.table != nil {
		if err := e.checkColumns(r.table); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case e.Kind == Vectors && (e.Table == nil) != (r.table == nil):
		return nil, nil, e.otherFormat(r.Name, r.Format)
	case r.texts != nil:
		return r.texts, r.Labels, nil
	case r.sets != nil:
		return r.sets, r.Labels, nil
	case r.vectors != nil && e.Counts != nil:
		return e.Counts.Apply(r.vectors), r.Labels, nil
	case r.vectors != nil && e.Scaling != nil:
		return e.Scaling.Apply(r.vectors), r.Labels, nil
	case r.vectors != nil:
		return r.vectors, r.Labels, nil
	case e.Kind == Sets && e.Column == 0:
		return e.rowSets(r.table), r.Labels, nil
	case e.Kind == Vectors:
		return e.Table.Encode(r.table)
	}
	col := e.textPlace(r.table)
	if col < 0 || col >= r.table.Cols() {
		return nil, nil, otherColumns(r.table, fmt.Sprintf("its %s in column %d", e.Kind, e.Column))
	}
	texts := columnTexts(r.table, col)
	if e.Kind == Strings {
		return texts, r.Labels, nil
	}
	sets := make(data.Slice[data.Set], len(texts))
	for i, text := range texts {
		sets[i] = cellSet(text)
	}
	return sets, r.Labels, nil
}

// textPlace returns the column of a table that holds the strings, or sets: that of
// the name where there are names, that in the same place otherwise.
func (e *Encoding) textPlace(t *table.Table) int {
	if e.Column <= len(e.Columns) && e.Column > 0 {
		if at := slices.Index(t.Header, e.Columns[e.Column-1]); at >= 0 {
			return at
		}
	}
	return e.Column - 1
}

// needed returns the names of the columns that instances are made of, nil where they
// have none.
func (e *Encoding) needed() []string {
	var out []string
	switch {
	case e.Table != nil && e.Table.Header:
		for _, c := range e.Table.Columns {
			if c.Size > 0 {
				out = append(out, c.Name)
			}
		}
	case e.Column > 0 && e.named():
		out = e.Columns[e.Column-1 : e.Column]
	case e.named():
		for _, name := range e.Columns {
			if name != e.Target && name != e.Weight && !slices.Contains(e.Dropped, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// checkColumns reports a table of strings or sets that lacks a column of training,
// as encoding vectors does, and one whose columns come with their values, as in JSON
// Lines, where it has others alone.
func (e *Encoding) checkColumns(t *table.Table) error {
	needed, known, strange := e.needed(), false, false
	if t.Header == nil || needed == nil {
		return nil
	}
	for _, name := range needed {
		if e.Table == nil && !slices.Contains(t.Header, name) {
			return &data.InputError{
				File: t.Name, Problem: fmt.Sprintf("the table lacks column %q, of which training made %s", name, e.Kind),
				Advice: "give the same columns",
			}
		}
	}
	if f := byName(e.Format); f == nil || !f.keyed {
		return nil
	}
	for j, name := range t.Header {
		if !isBlank(t, j) {
			known = known || slices.Contains(needed, name)
			strange = strange || !slices.Contains(e.columns(), name)
		}
	}
	if known || !strange {
		return nil
	}
	return &data.InputError{
		File: t.Name, Problem: "no row has any of the columns that training had: " + clip(strings.Join(needed, ", ")),
		Advice: "give the same columns",
	}
}

// columnTexts returns the cells of a column, empty where one is missing.
func columnTexts(t *table.Table, col int) data.Slice[string] {
	out := make(data.Slice[string], t.Len())
	for i := range out {
		out[i], _ = t.Cell(i, col)
	}
	return out
}

// cellSet returns a text as a set of items, which commas, semicolons or bars
// separate, or blanks where there is none of these.
func cellSet(text string) data.Set {
	items := strings.Fields(text)
	if strings.ContainsAny(text, ",;|") {
		items = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' })
	}
	return itemSet(items)
}

// itemSet returns the set of items, without the blanks around them, nor empty ones.
func itemSet(items []string) data.Set {
	kept := make([]string, 0, len(items))
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" {
			kept = append(kept, item)
		}
	}
	return data.NewSet(kept...)
}

// rowSets returns rows as sets of items column=value, without what is missing, nor
// columns that training did not have or ignored.
func (e *Encoding) rowSets(t *table.Table) data.Slice[data.Set] {
	ignored := make([]bool, t.Cols())
	for j := range ignored {
		name := columnTitle(t, j)
		unknown := e.Columns != nil && t.Header != nil && !slices.Contains(e.Columns, name)
		ignored[j] = j == t.Target || j == t.Weight || unknown || slices.Contains(e.Dropped, name)
	}
	out := make(data.Slice[data.Set], t.Len())
	for i := range out {
		var items []string
		for j := range t.Cols() {
			if v, ok := t.Cell(i, j); ok && !ignored[j] {
				items = append(items, columnTitle(t, j)+"="+v)
			}
		}
		out[i] = data.NewSet(items...)
	}
	return out
}
