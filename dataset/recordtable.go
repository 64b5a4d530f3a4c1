package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// columns returns the names of the training columns.
func (e *Encoding) columns() []string {
	if e.Table == nil {
		return e.Columns
	}
	names := make([]string, len(e.Table.Columns))
	for j, c := range e.Table.Columns {
		names[j] = c.Name
	}
	return names
}

// options returns how a table of records with such columns is read.
func (e *Encoding) options(names []string) table.Options {
	if e.Table != nil {
		return e.Table.Options(recordName)
	}
	o := table.Options{Name: recordName, Names: names, Target: "none", Verbatim: true, Weight: e.Weight, WeightSpare: true}
	if e.Target != "" && slices.Contains(names, e.Target) {
		o.Target = e.Target
	}
	return o
}

// builder returns a builder of a table of records, to which columns may be added
// if it is keyed.
func (e *Encoding) builder(names []string, keyed bool) (*table.Builder, error) {
	if keyed {
		return table.NewBuilder(e.options(names)), nil
	}
	return table.Settled(e.options(names), names, len(names))
}

// positional makes a table of cells in the order of the training columns.
func (e *Encoding) positional(all []any) (*table.Table, error) {
	width := cellsOf(all[0])
	b, place, err := e.positionalTable(width)
	if err != nil {
		return nil, err
	}
	for i, v := range all {
		if n := cellsOf(v); n != width {
			return nil, recordFault(i, "%d cells, where the first record has %d", n, width)
		}
		b.Row(i + 1)
		row := &recordRow{Builder: b, row: i}
		switch v := v.(type) {
		case []string:
			for j, s := range v {
				err = row.text(place[j], s)
				if err != nil {
					return nil, err
				}
			}
		case []float64:
			for j, x := range v {
				b.Number(place[j], x)
			}
		}
	}
	return b.Table()
}

// positionalTable returns the builder of a table of so many cells a row, in the order of
// the training columns, and where in it each stands.
func (e *Encoding) positionalTable(width int) (*table.Builder, []int, error) {
	names, place := []string(nil), make([]int, max(width, 0))
	for j := range place {
		place[j] = j
	}
	if e.Table == nil { // Schema.Encode finds the columns by itself
		var err error
		if names, place, err = e.places(width); err != nil {
			return nil, nil, err
		}
	}
	b, err := table.Settled(e.options(names), names, max(width, len(names)))
	return b, place, err
}

// cellsOf returns how many cells a positional record has, -1 for any other.
func cellsOf(v any) int {
	switch v := v.(type) {
	case []string:
		return len(v)
	case []float64:
		return len(v)
	}
	return -1
}

// places returns the training columns of a table of strings or sets, and where in
// it the cells of a record stand that has so many: all, or all without the target,
// or without the weight as well.
func (e *Encoding) places(width int) (names []string, place []int, err error) {
	names = e.Columns
	lacking, may := map[string]bool{}, 0
	for _, name := range []string{e.Target, e.Weight} {
		if name == "" {
			continue
		}
		if may++; width <= len(names)-may {
			lacking[name] = true
		}
	}
	if width > len(names) || width < len(names)-may || width < 0 {
		return nil, nil, recordFault(0, "the record has %d cells and training had %d columns", width, len(names))
	}
	for j, name := range names {
		if !lacking[name] {
			place = append(place, j)
		}
	}
	if len(place) != width {
		return nil, nil, recordFault(0, "two columns of the training data have the same name; give all %d", len(names))
	}
	return names, place, nil
}

// byNames makes a table of records whose values have names.
func (e *Encoding) byNames(all []any) (*table.Table, error) {
	records := make([][]field, len(all))
	known := map[string]bool{}
	for i, v := range all {
		var err error
		if records[i], err = fieldsOf(v); err != nil {
			return nil, recordFault(i, "%v", err)
		}
		for _, f := range records[i] {
			known[f.name] = true
		}
	}
	to, err := e.namedTable(known, func(name string) bool {
		return slices.ContainsFunc(records[0], func(f field) bool { return f.name == name })
	})
	if err != nil {
		return nil, err
	}
	for i, record := range records {
		to.begin(i)
		for _, f := range record {
			if err := to.put(e, f); err != nil {
				return nil, err
			}
		}
	}
	return to.Builder.Table()
}

// namedTable returns a table without rows for records with values of the known names,
// which it changes; first says what the first record has. Where the format finds its
// columns in the rows, the training columns are there in any case; otherwise those that
// no record has are not.
func (e *Encoding) namedTable(known map[string]bool, first func(name string) bool) (*recordRow, error) {
	unnamed := e.Table != nil && !e.Table.Header // columns are found by their places
	if unnamed {
		for _, c := range e.Table.Columns {
			if c.Size > 0 && !known[c.Name] {
				return nil, recordFault(0, "the record lacks %s, which training had", c.Name)
			}
		}
	}
	f := byName(e.Format)
	keyed := f != nil && f.keyed
	var names []string
	for _, name := range e.columns() {
		if known[name] || unnamed || e.Table == nil && (keyed || !e.named()) {
			names = append(names, name)
			delete(known, name)
		}
	}
	if e.Table == nil && e.Columns == nil {
		return nil, recordFault(0, "the model does not say which columns its %s had; give the instance itself", e.Kind)
	}
	if e.Column > 0 && !first(e.Columns[e.Column-1]) {
		return nil, recordFault(0, "the record lacks column %q, which holds the %s", e.Columns[e.Column-1], e.Kind)
	}
	if !unnamed {
		names = append(names, slices.Sorted(maps.Keys(known))...)
	}
	b, err := e.builder(names, keyed)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int, len(names))
	for j := len(names) - 1; j >= 0; j-- { // of two columns of a name, the first
		place[names[j]] = j
	}
	return &recordRow{Builder: b, row: -1, place: place, filled: map[int]int{}, keyed: keyed}, nil
}

// recordRow adds the values of a record to a table.
type recordRow struct {
	*table.Builder
	row    int
	place  map[string]int // of columns by name
	filled map[int]int    // the record, from 1, that filled a column last
	keyed  bool           // as JSON Lines do: columns come with their values, and texts are quoted
}

// begin begins a record.
func (r *recordRow) begin(row int) {
	r.row = row
	r.Row(row + 1)
}

// at returns the column of a name, which is added where columns come with their values,
// and false for none.
func (r *recordRow) at(name string) (int, bool) {
	if r.keyed {
		return r.Column(name), true
	}
	col, known := r.place[name]
	return col, known
}

// put adds a value to the column of its name.
func (r *recordRow) put(e *Encoding, f field) error {
	if f.value == nil {
		return nil
	}
	col, known := r.at(f.name)
	if !known {
		return nil
	}
	if r.filled[col] == r.row+1 {
		return recordFault(r.row, "there are two values for column %q", f.name)
	}
	r.filled[col] = r.row + 1
	switch v := f.value.(type) {
	case string:
		return r.text(col, v)
	case float64:
		r.Number(col, v)
	case bool:
		if r.keyed || e.isNumber(f.name) {
			r.Bool(col, v)
		} else {
			r.Text(col, strconv.FormatBool(v))
		}
	default:
		return recordFault(r.row, "column %q has a value of type %T, which is no text, number or truth value", f.name, v)
	}
	return nil
}

// isNumber reports a column that was numbers in training.
func (e *Encoding) isNumber(name string) bool {
	return e.Table != nil && slices.ContainsFunc(e.Table.Columns, func(c table.Column) bool {
		return c.Name == name && c.Kind == table.Number
	})
}

// text adds a text as a file of the format has it: a cell of CSV without quotes,
// or a string of JSON.
func (r *recordRow) text(col int, s string) error {
	if !utf8.ValidString(s) {
		return &data.InputError{
			File: recordName, Line: r.row + 1, Column: col + 1,
			Problem: fmt.Sprintf("the text of column %d is not UTF-8", col+1),
		}
	}
	if r.keyed {
		r.Text(col, s)
		return nil
	}
	r.Cell(col, []byte(strings.Trim(s, " \t\r")), false, table.Place{Line: r.row + 1, Column: col + 1})
	return nil
}
