package table

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Table holds rows of a file, as columns of cells.
type Table struct {
	Name   string   // of the file, for errors
	Header []string // names of the columns; nil where there is no header
	Lines  []int    // the line of the file in which each row begins
	Places []int    // which row of the file each one is, from 0; nil for all in their order
	Target int      // the column of the labels, -1 for none
	Weight int      // the column of the rows' weights, -1 for none

	column []*column
	drop   []bool
	comma  rune
	run    run.Control // who reads the table says how many may work on it
	memory []float64   // in which columns of numbers are
}

// Free gives the memory of the cells back, at which nobody may look again.
func (t *Table) Free() {
	alloc.Free(t.memory)
	t.memory, t.column = nil, nil
}

// fewCells is how many cells are no work for several.
const fewCells = 1 << 16

// each calls body(i) for every i in [0, n), on several cores where the table is large, and
// returns the error of the smallest i that has one.
func (t *Table) each(n int, body func(i int) error) error {
	ctl := run.Control{Workers: t.run.Workers}
	if len(t.Lines)*len(t.column) < fewCells {
		ctl.Workers = 1
	}
	errs := make([]error, n)
	if err := par.For(context.Background(), ctl, "", n, func(i int) error {
		errs[i] = body(i)
		return nil
	}); err != nil {
		return err
	}
	return cmp.Or(errs...)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.Lines) }

// place returns which row of the file a row is.
func (t *Table) place(row int) int {
	if t.Places == nil {
		return row
	}
	return t.Places[row]
}

// Cols returns the number of columns, the target included.
func (t *Table) Cols() int { return len(t.column) }

// Dropped reports whether a column, counted from 0, is to be ignored.
func (t *Table) Dropped(col int) bool { return t.drop[col] }

// Cell returns the cell in a row and a column, both counted from 0, and false if
// it is missing. A number is spelled in the shortest way that reads as the same
// float64, unless the column is verbatim or has a text in an earlier row.
func (t *Table) Cell(row, col int) (string, bool) { return t.column[col].text(row) }

// Labels returns the cells of the target, "" where one is missing; nil if the
// table has no target.
func (t *Table) Labels() []string {
	if t.Target < 0 {
		return nil
	}
	return t.texts(t.Target)
}

// SetTarget makes a column, counted from 0, the target in the place of the one that
// the options named; -1 for none.
func (t *Table) SetTarget(col int) {
	if t.Target = col; col >= 0 && t.column[col].code == nil {
		t.column[col].toTexts()
	}
}

func (t *Table) texts(col int) []string {
	all := make([]string, t.Len())
	for i := range all {
		all[i], _ = t.column[col].text(i)
	}
	return all
}

// columnName names column j for people.
func (t *Table) columnName(j int) string {
	if t.Header == nil {
		return "column " + strconv.Itoa(j+1)
	}
	return t.Header[j]
}

// quoteName shows the name of a column in a sentence.
func quoteName(name string) string {
	if len(name) > 7 && name[:7] == "column " {
		return name
	}
	return fmt.Sprintf("column %q", name)
}
