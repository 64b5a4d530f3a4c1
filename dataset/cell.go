package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// longestRow is how many bytes of a row RowText shows.
const longestRow = 300

// RowText shows a row for people: the cells of the columns that instances are made of,
// or the text, items or numbers themselves. What is missing or 0 is left out.
func (e *Encoding) RowText(r *Rows, row int) string {
	var parts []string
	switch {
	case r.table != nil:
		columns := e.RowColumns()
		for _, c := range columns {
			text, ok := e.Cell(r, row, c.Name)
			switch {
			case !ok:
			case e.RowForm() != Columns:
				parts = append(parts, text)
			default:
				parts = append(parts, c.Name+"="+text)
			}
		}
	case r.vectors != nil:
		v, first := r.vectors.At(row), 1
		if e.RowForm() == Indexed {
			first = 0
		}
		for k, value := range v.Value {
			if v.IsSparse() {
				k = int(v.Index[k])
			}
			if value != 0 && len(parts) < longestRow/4 {
				parts = append(parts, fmt.Sprintf("%d:%v", k+first, value))
			}
		}
		return data.Clip(strings.Join(parts, " "), longestRow)
	case r.texts != nil:
		parts = []string{r.texts[row]}
	case r.sets != nil:
		parts = r.sets[row]
	}
	return data.Clip(strings.Join(parts, ", "), longestRow)
}
