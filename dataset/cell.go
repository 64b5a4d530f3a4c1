package dataset

import (
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

// Cell returns what a row has in a column of RowColumns, as text; false where it is
// missing, or rows have no columns.
func (e *Encoding) Cell(r *Rows, row int, column string) (string, bool) {
	if r.table == nil {
		return "", false
	}
	if e.Table != nil {
		at, err := e.Table.PlaceOf(r.table, column)
		if err != nil || at < 0 {
			return "", false
		}
		return r.table.Cell(row, at)
	}
	at := slices.Index(r.table.Header, column)
	if n, err := strconv.Atoi(column); at < 0 && r.table.Header == nil && err == nil && n >= 1 && n <= r.table.Cols() {
		at = n - 1
	}
	if at < 0 {
		return "", false
	}
	return r.table.Cell(row, at)
}

// Vector returns a row of vectors that come from no table, as the file has it; false
// for rows that are none.
func (r *Rows) Vector(row int) (data.Vector, bool) {
	if r.vectors == nil {
		return data.Vector{}, false
	}
	return r.vectors.At(row), true
}

// First returns how many rows of the file come before these.
func (r *Rows) First() int { return r.first }
