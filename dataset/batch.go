package dataset

import (
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// Batch gathers records whose values have names, cell by cell, as a table.Sink does:
// many of them at less than the cost of a map each. A cell that is not added is missing.
// It is not safe for concurrent use.
type Batch struct {
	rows   int
	first  int // columns that the first record has
	index  map[string]int
	column []batchColumn
}

// batchColumn holds the cells of a column, one a row up to the last that has one.
type batchColumn struct {
	name    string
	numbers []float64 // NaN where there is none
	odd     []any     // what is no finite number, and nil elsewhere; nil for numbers alone
}

// NewBatch returns a batch without records.
func NewBatch() *Batch { return &Batch{index: map[string]int{}} }

// Len returns the number of records.
func (b *Batch) Len() int { return b.rows }

// Column returns the index of the column of a name, which is added if it is new.
func (b *Batch) Column(name string) int {
	if j, ok := b.index[name]; ok {
		return j
	}
	j := len(b.column)
	b.index[name] = j
	b.column = append(b.column, batchColumn{name: name})
	if b.rows <= 1 {
		b.first = j + 1
	}
	return j
}

// Row begins a record. Errors place it by its number, not by the line.
func (b *Batch) Row(int) { b.rows++ }

// Number adds a number to the record.
func (b *Batch) Number(col int, v float64) {
	c := &b.column[col]
	if v-v != 0 {
		c.put(b.rows-1, v)
		return
	}
	c.check(b.rows - 1)
	for len(c.numbers) < b.rows-1 {
		c.numbers = append(c.numbers, math.NaN())
	}
	c.numbers = append(c.numbers, v+0) // -0 becomes 0
}

// Bool adds a truth value to the record.
func (b *Batch) Bool(col int, v bool) { b.column[col].put(b.rows-1, v) }

// Text adds a text to the record.
func (b *Batch) Text(col int, s string) { b.column[col].put(b.rows-1, s) }

// put adds a cell that is no finite number.
func (c *batchColumn) put(row int, v any) {
	c.check(row)
	for len(c.numbers) <= row {
		c.numbers = append(c.numbers, math.NaN())
	}
	for len(c.odd) <= row {
		c.odd = append(c.odd, nil)
	}
	c.odd[row] = v
}

// check panics if a row is none, or has a cell.
func (c *batchColumn) check(row int) {
	if row < 0 || len(c.numbers) > row {
		panic("dataset: a cell without a record, or a second one in the same place")
	}
}

// cell returns the cell of a row: a string, a float64 or a bool, nil if it is missing.
func (c *batchColumn) cell(row int) any {
	switch {
	case row < len(c.odd) && c.odd[row] != nil:
		return c.odd[row]
	case row < len(c.numbers) && !math.IsNaN(c.numbers[row]):
		return c.numbers[row]
	}
	return nil
}

// Batch returns the records of a batch as rows, as Records does with a map each. The
// batch is not to be used again.
func (e *Encoding) Batch(b *Batch) (*Rows, error) {
	if b.rows == 0 {
		return nil, noRows(recordName)
	}
	if !e.isTable() {
		return nil, e.refuse(0, map[string]any{})
	}
	known := make(map[string]bool, len(b.column))
	for _, c := range b.column {
		known[c.name] = true
	}
	has := func(name string) bool { j, ok := b.index[name]; return ok && j < b.first }
	to, err := e.namedTable(known, has)
	if err != nil {
		return nil, err
	}
	if err := to.addBatch(e, b); err != nil {
		return nil, err
	}
	return e.tableRows(to.Builder.Table())
}

// addBatch adds the cells of a batch: those of columns that are not all numbers row by
// row, and the others as they are.
func (r *recordRow) addBatch(e *Encoding, b *Batch) error {
	var plain, mixed []*batchColumn
	for j := range b.column {
		c := &b.column[j]
		if len(c.numbers) == 0 {
			continue
		}
		switch at, known := r.at(c.name); {
		case !known:
		case c.odd == nil && !r.IsText(at):
			plain = append(plain, c)
		default:
			mixed = append(mixed, c)
		}
	}
	for i := range b.rows {
		r.begin(i)
		for _, c := range mixed {
			if err := r.put(e, field{c.name, c.cell(i)}); err != nil {
				return err
			}
		}
	}
	for _, c := range plain {
		at, _ := r.at(c.name)
		r.Numbers(at, c.numbers, table.Point{})
	}
	return nil
}

// tableRows returns the rows of a table of records.
func (e *Encoding) tableRows(t *table.Table, err error) (*Rows, error) {
	if err != nil {
		return nil, err
	}
	r := &Rows{Name: recordName, Format: e.Format, Kind: e.Kind, table: t, Labels: t.Labels()}
	return r, r.checkKind()
}

// Dense returns rows of numbers as Records does with a []float64 each: cells in the
// order of the training columns, of which NaN is missing, or coordinates. Of vectors from
// LIBSVM data the first number of a row has the index first. The matrix may be kept.
func (e *Encoding) Dense(x *data.Matrix, first int) (*Rows, error) {
	if x.Rows == 0 {
		return nil, noRows(recordName)
	}
	if e.isTable() {
		return e.tableRows(e.denseTable(x))
	}
	if e.Kind != Vectors {
		return nil, e.refuse(0, x.Row(0))
	}
	if at := slices.IndexFunc(x.Data, func(v float64) bool { return v-v != 0 }); at >= 0 {
		return nil, recordFault(at/x.Cols, "a value is not finite")
	}
	r := &Rows{Name: recordName, Format: e.Format, Kind: e.Kind, vectors: x}
	if e.Format == formatLIBSVM {
		m := &data.CSR{Ptr: make([]int, 1, x.Rows+1), Index: []int32{}}
		index, value := make([]int32, 0, x.Cols), make([]float64, 0, x.Cols)
		for i := range x.Rows {
			index, value = index[:0], value[:0]
			for j, v := range x.Row(i) {
				if v != 0 {
					index, value = append(index, int32(j+first)), append(value, v)
				}
			}
			m.Append(index, value)
		}
		r.vectors = m
	}
	return r, r.checkKind()
}

// denseTable makes a table of numbers in the order of the training columns.
func (e *Encoding) denseTable(x *data.Matrix) (*table.Table, error) {
	b, place, err := e.positionalTable(x.Cols)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(x.Data, func(v float64) bool { return math.IsInf(v, 0) }); at >= 0 {
		return nil, recordFault(at/x.Cols, "a value is not finite")
	}
	lines := make([]int, x.Rows)
	for i := range lines {
		lines[i] = i + 1
	}
	b.Rows(lines)
	column := make([]float64, x.Rows)
	for j := range x.Cols {
		if b.IsText(place[j]) {
			for i := range x.Rows {
				b.PlainText(place[j], spelled(x.Row(i)[j]), table.Place{Line: i + 1, Column: j + 1})
			}
			continue
		}
		for i := range column {
			column[i] = x.Data[i*x.Cols+j] + 0 // -0 becomes 0
		}
		b.Numbers(place[j], column, table.Point{})
	}
	return b.Table()
}

// spelled returns a number as a cell, empty where it is missing.
func spelled(v float64) []byte {
	if math.IsNaN(v) {
		return nil
	}
	return strconv.AppendFloat(nil, v+0, 'g', -1, 64)
}
