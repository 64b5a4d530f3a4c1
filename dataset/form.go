package dataset

import (
	"slices"

	"github.com/kerf-ml/kerf/data/table"
)

// Form is how somebody who has no file writes a row of an encoding.
type Form string

// The forms of rows.
const (
	Columns Form = "columns" // values by column, or cells in their order
	Text    Form = "text"    // one text; a table may have it in a column
	Items   Form = "items"   // a list of items, or a text of them; as above
	Indexed Form = "indexed" // numbers by index, as LIBSVM has them
	Numbers Form = "numbers" // numbers in their order
)

// RowForm returns the form of rows.
func (e *Encoding) RowForm() Form {
	if e.Kind != Vectors && (!e.isTable() || e.Column > 0) {
		if e.Kind == Strings {
			return Text
		}
		return Items
	}
	switch {
	case e.isTable():
		return Columns
	case e.Format == formatLIBSVM:
		return Indexed
	}
	return Numbers
}

// HasColumns reports whether training data were a table, whose rows can be given by
// column.
func (e *Encoding) HasColumns() bool { return e.isTable() }

// IsCSV reports whether training data were CSV, as which Stream reads further rows.
func (e *Encoding) IsCSV() bool { return e.Format == formatCSV }

// Width returns how many coordinates vectors have, 0 where the encoding does not say.
func (e *Encoding) Width() int {
	switch {
	case e.Table != nil:
		return e.Table.Width
	case e.Scaling != nil:
		return len(e.Scaling.Center)
	case e.Counts != nil:
		return len(e.Counts.IDF)
	}
	return 0
}

// RowColumn is a column of which instances are made.
type RowColumn struct {
	Name    string
	Number  bool   // cells are plain numbers
	Example string // a cell that training had, where one is known
	Mean    float64
}

// RowColumns returns the columns that a row must have, in the order of the training
// data; none where there are no columns.
func (e *Encoding) RowColumns() []RowColumn {
	var out []RowColumn
	switch {
	case e.Table != nil:
		for _, c := range e.Table.Columns {
			if c.Size == 0 {
				continue
			}
			one := RowColumn{Name: c.Name, Number: c.Kind == table.Number && c.Format == nil, Mean: c.Mean}
			if len(c.Categories) > 0 {
				one.Example = c.Categories[0]
			}
			out = append(out, one)
		}
	case e.Column > 0 && e.Column <= len(e.Columns):
		out = append(out, RowColumn{Name: e.Columns[e.Column-1]})
	default:
		for _, name := range e.Columns {
			if name != e.Target && name != e.Weight && !slices.Contains(e.Dropped, name) {
				out = append(out, RowColumn{Name: name})
			}
		}
	}
	return out
}
