package model

import (
	"errors"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
)

// Column is a part of a row that can be taken from another row: a column of a table
// with all the coordinates that are made of it, an index of vectors that come from no
// table, a position of strings of one length, an item of sets.
type Column struct {
	Name string
	Rows int // that have something in it, of those that it was found in; -1 where all do

	lo, hi   int    // coordinates, or the position
	position bool   // of strings
	item     string // of sets; with prefix all that begin with it and with no longer name of a column
	prefix   bool
	longer   []string // prefixes of other columns that begin with this one
}

// longestText is how many bytes of an instance are shown.
const longestText = 300

// ErrColumns reports rows of which no part can be taken from another row.
var ErrColumns = errors.New("strings of different lengths have no columns: a position of one is not that of another")

// Columns returns the columns of rows, in the order of the training data, or of
// indices, positions or names where there was no table. Of vectors that come from no
// table and of sets, they are those that some row has something in.
//
// A coordinate of a table's vector is made of one column alone, so that to take the
// coordinates of another row is to take its cell. Vectors of counts are of length 1;
// of these a coordinate is taken as it stands.
func (m *Model) Columns(parts ...*Encoded) ([]Column, error) { return m.rows.columns(parts) }

// Swap returns rows of x that have a column of rows of another, donors[k] for to[k],
// and the places k of those that are changed by it: the others are left out.
func (m *Model) Swap(x *Encoded, to []int, from *Encoded, donors []int, c Column) (*Encoded, []int, error) {
	return m.rows.swap(x, to, from, donors, c)
}

// Value returns what a row has in a column, for people: a cell, a number, a character,
// or whether an item is there.
func (m *Model) Value(r *dataset.Rows, x *Encoded, row int, c Column) string {
	if text, ok := m.Encoding.Cell(r, row, c.Name); ok || r.IsTable() && !c.isPart() {
		return text
	}
	if v, ok := r.Vector(row); ok {
		return strconv.FormatFloat(coordinateOf(v, c.lo), 'g', -1, 64)
	}
	return m.rows.value(x, row, c)
}

// Text returns an instance for people; empty for vectors, whose coordinates are not
// those of the file.
func (m *Model) Text(x *Encoded, row int) string { return m.rows.text(x, row) }

// Missing returns a row of which nothing is known: its cells are missing, a set is
// empty, numbers are at the centre of their scale. It is nil for strings.
func (m *Model) Missing() (*Encoded, error) {
	if m.Encoding.RowForm() != dataset.Columns {
		return m.rows.empty(), nil
	}
	width := len(m.Encoding.Columns)
	if t := m.Encoding.Table; t != nil {
		width = len(t.Columns)
	}
	r, err := m.Encoding.Record(make([]string, width))
	if err != nil {
		return nil, err
	}
	return m.Encode(r)
}

// isPart reports a column that is a part of one cell, or of no table.
func (c *Column) isPart() bool { return c.item != "" && !c.prefix || c.position }

// columner knows the columns of instances of a type.
type columner[T any] interface {
	columns(x data.Source[T]) ([]Column, error)
	// swap returns a with the column of b, and false where it is the same there.
	swap(a, b T, c Column) (T, bool)
	// value says for people what the column holds.
	value(x T, c Column) string
	// empty returns an instance of which nothing is known, where there is one. Vectors of
	// a scale have its centre.
	empty() (T, bool)
	// text shows an instance.
	text(x T) string
	// equal reports instances that no kernel tells apart.
	equal(a, b T) bool
}

// columnerOf returns who knows the columns of an encoding's instances.
func columnerOf[T any](e *dataset.Encoding) columner[T] {
	var known any
	switch any((*T)(nil)).(type) {
	case *data.Vector:
		known = vectorColumns{e}
	case *string:
		known = textColumns{}
	case *data.Set:
		known = setColumns{e}
	}
	c, _ := known.(columner[T])
	return c
}

func (m encoded[T]) columns(parts []*Encoded) ([]Column, error) {
	x, err := m.join(parts)
	if err != nil {
		return nil, err
	}
	return columnerOf[T](m.e).columns(x)
}

func (m encoded[T]) value(x *Encoded, row int, c Column) string {
	src, ok := x.x.(data.Source[T])
	if !ok {
		return ""
	}
	return columnerOf[T](m.e).value(src.At(row), c)
}

func (m encoded[T]) text(x *Encoded, row int) string {
	src, ok := x.x.(data.Source[T])
	if !ok {
		return ""
	}
	return data.Clip(columnerOf[T](m.e).text(src.At(row)), longestText)
}

func (m encoded[T]) empty() *Encoded {
	one, ok := columnerOf[T](m.e).empty()
	if !ok {
		return nil
	}
	return &Encoded{rows: 1, x: data.Source[T](data.Slice[T]{one})}
}

func (m encoded[T]) swap(x *Encoded, to []int, from *Encoded, donors []int, c Column) (*Encoded, []int, error) {
	receivers, err := m.join([]*Encoded{x})
	if err != nil {
		return nil, nil, err
	}
	givers, err := m.join([]*Encoded{from})
	if err != nil {
		return nil, nil, err
	}
	known := columnerOf[T](m.e)
	var out data.Slice[T]
	var places []int
	for k, i := range to {
		if one, changed := known.swap(receivers.At(i), givers.At(donors[k]), c); changed {
			out, places = append(out, one), append(places, k)
		}
	}
	return &Encoded{rows: len(out), x: data.Source[T](out)}, places, nil
}
