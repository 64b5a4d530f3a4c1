package table

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/internal/alloc"
)

// Sink takes the cells of a table, row by row. A Builder is one.
type Sink interface {
	// Column returns the index of the column of a name, which is added if it is
	// new.
	Column(name string) int

	// Row begins a row, which stands in the given line.
	Row(line int)

	// Number, Bool and Text add a cell to the row. A cell that is not added is
	// missing.
	Number(col int, v float64)
	Bool(col int, v bool)
	Text(col int, s string)
}

// Bulk is a Sink that takes many numbers of a column at once as well. Columns are told
// before the rows that they are of.
type Bulk interface {
	Sink

	// Room returns memory for the next n cells of a column, behind those of all rows that
	// were begun, or nil where the column takes them one by one. All is how many rows
	// there may be in the end, 0 where that is not known; truths says that cells are truth values, 1 and 0. Calls for
	// different columns may run at the same time.
	Room(col, n, all int, truths bool) []float64

	// Prepare says that Room will be asked for so many cells of some columns, of all those.
	Prepare(cols []int, next, all int)

	// Put takes what stands in the room of a column, whose first row stands in the given
	// line: finite numbers, none of them -0, and NaN for cells that are missing or odd.
	// The rows must then be begun, by Row.
	Put(col, n, line int, odd []Odd)
}

// Odd is a number that is not finite, in a place of a room.
type Odd struct {
	At    int
	Value float64
}

// Settle makes numbers what Put takes: -0 becomes 0, and those that are not finite become NaN
// and are returned, but for NaN in the place of missing cells, of which missing may be nil for none.
func Settle(values []float64, missing []bool) (odd []Odd) {
	for i := 0; i < len(values); i++ {
		for ; i+4 <= len(values); i += 4 {
			v := (*[4]float64)(values[i:])
			a, b, c, d := v[0], v[1], v[2], v[3]
			if (a-a)+(b-b)+((c-c)+(d-d)) != 0 {
				break
			}
			v[0], v[1], v[2], v[3] = a+0, b+0, c+0, d+0
		}
		if i == len(values) {
			break
		}
		v := values[i]
		if v-v == 0 {
			values[i] = v + 0
			continue
		}
		if values[i] = math.NaN(); missing == nil || !missing[i] {
			odd = append(odd, Odd{i, v})
		}
	}
	return odd
}

// Builder makes tables of cells, whatever format they come from, so that all that
// follows is the same. Cells are added row by row; a cell that is not added is
// missing. It is not safe for concurrent use.
type Builder struct {
	o      Options
	names  []string
	index  map[string]int // nil where the columns are settled
	is     Roles          // of columns that are settled
	lines  []int
	column []*column
	memory []float64       // in which columns of numbers are, as far as it had room
	texts  []bool          // columns that have had a text in a table before
	expect map[string]bool // columns that were named and had no cell so far
}

// NewBuilder returns a builder of tables whose columns come with their names. Of
// the options, Name, Names, Target, Weight and Drop count. Names are the first
// columns, in that order, and there even if no row has a cell in them; see
// Schema.Options.
func NewBuilder(o Options) *Builder {
	b := &Builder{o: o, index: map[string]int{}}
	for _, name := range o.Names {
		b.Column(name)
	}
	return b
}

// Settled returns a builder of tables of width columns, which are all there are.
// Their names are nil where there is no header. It returns a *data.InputError for
// a target, weight or column to drop that is not there.
func Settled(o Options, names []string, width int) (*Builder, error) {
	is, err := o.Roles(names, width)
	if err != nil {
		return nil, err
	}
	b := &Builder{o: o, names: names, is: is, column: make([]*column, width)}
	b.empty()
	return b, nil
}

// empty puts columns without cells in the place of those there are.
func (b *Builder) empty() {
	for j := range b.column {
		b.column[j] = newColumn(b.index == nil && (b.o.Verbatim || j == b.is.Target) || j < len(b.texts) && b.texts[j])
	}
}

// Column returns the index of the column of a name, which is added as the last
// one if it is new. A column without a name gets its number. Columns must not be
// settled.
func (b *Builder) Column(name string) int {
	if j, ok := b.index[name]; ok {
		delete(b.expect, name)
		return j
	}
	j := len(b.names)
	b.index[name] = j
	if name == "" {
		name = "column " + strconv.Itoa(j+1)
	}
	b.names = append(b.names, name)
	b.column = append(b.column, newColumn(false))
	return j
}

// Cell adds a cell to the row as it stands in a text file: one without quotes may
// be a number or missing by what is written there.
func (b *Builder) Cell(col int, cell []byte, quoted bool, at Place) {
	c := b.column[col]
	if c.len() != len(b.lines)-1 {
		b.cell(col)
	}
	c.add(cell, quoted, at)
}

// Point is a number that is written with a decimal point, as it stands in a file.
type Point struct {
	Place
	Text string
}

// IsText reports whether a column holds texts: it is to have every cell as it is written.
func (b *Builder) IsText(col int) bool { return b.column[col].code != nil }

// PlainNumber reads a cell without quotes of a column that holds numbers: NaN if it is
// missing. It reports whether it is written with a point; ok is false for what is neither a
// finite number nor missing.
func PlainNumber(cell []byte) (v float64, point, ok bool) {
	kind, v := classify(cell, false)
	return v, kind == number && bytes.IndexByte(cell, '.') >= 0, kind == number || kind == missing
}

const line = 8 // numbers in a line of the cache

// Prepare makes room in columns of numbers, of those given or of all if cols is nil: where one has
// none for the next rows, for all of so many that there may be in the end. What is taken at once is
// one piece of memory, of which the system maps large pages.
func (b *Builder) Prepare(cols []int, next, all int) {
	next += len(b.lines)
	var moved []*column
	for j, c := range b.column {
		if c.code == nil && cap(c.value) < next && (cols == nil || slices.Contains(cols, j)) {
			moved = append(moved, c)
		}
	}
	size := max(next, all)
	// An odd number of lines of the cache apart, the same row of all columns is in lines that can be held together.
	apart := ((size+line-1)/line | 1) * line
	b.memory = alloc.Slice[float64](apart * len(moved))
	for k, c := range moved {
		room := b.memory[k*apart:][:size:size]
		c.value = room[:copy(room, c.value)]
	}
}

// Rows begins rows that stand in the given lines, of which Numbers and PlainText then add
// all cells, column by column. Calls of these for different columns may run at the same time.
func (b *Builder) Rows(lines []int) { b.lines = append(b.lines, lines...) }

// Numbers adds the cells of rows to a column that holds numbers, NaN where one is missing,
// and the first of them that is written with a point, at line 0 for none. The cells may stand in
// the Room of the column, no sooner than they are to be: there they stay where they can.
func (b *Builder) Numbers(col int, values []float64, point Point) {
	c := b.column[col]
	if at := len(c.value); cap(c.value)-at >= len(values) {
		c.value = c.value[:at+len(values)]
		if len(values) > 0 && &c.value[at] != &values[0] {
			copy(c.value[at:], values)
		}
	} else {
		c.value = append(c.value, values...)
	}
	if c.firstPoint.Line == 0 && point.Line > 0 {
		c.firstPoint = placed{point.Place, point.Text}
	}
}

// PlainText adds a cell without quotes to a column that may hold texts.
func (b *Builder) PlainText(col int, cell []byte, at Place) { b.column[col].add(cell, false, at) }

// Room implements Bulk.
func (b *Builder) Room(col, n, all int, truths bool) []float64 {
	c := b.column[col]
	if c.code != nil || truths && b.truthsAreTexts(col) {
		return nil
	}
	c.pad(len(b.lines))
	at := len(c.value)
	if at != len(b.lines) {
		panic("table: a second cell in the same place")
	}
	if cap(c.value)-at < n {
		size := 2 * (at + n)
		if all > 0 {
			size = max(at+n, min(all, size))
		}
		grown := alloc.Slice[float64](size)
		copy(grown, c.value)
		c.value = grown[:at]
	}
	return c.value[at : at+n : at+n]
}

// Put implements Bulk.
func (b *Builder) Put(col, n, line int, odd []Odd) {
	c := b.column[col]
	at := len(c.value)
	c.value = c.value[:at+n]
	for _, o := range odd {
		text := spell(o.Value)
		c.odd = append(c.odd, oddCell{at + o.At, text})
		if c.firstOdd.Line == 0 {
			c.firstOdd = placed{Place{line + o.At, col + 1}, text}
		}
	}
}

// Row begins the next row, which errors place in the given line of the file,
// counted from 1.
func (b *Builder) Row(line int) { b.lines = append(b.lines, max(line, 1)) }

// Number adds a number to the row. One that is not finite stands for a cell that
// reads as such.
func (b *Builder) Number(col int, v float64) {
	c, at := b.cell(col)
	switch {
	case v-v != 0:
		c.add([]byte(spell(v)), true, at)
	case c.code == nil:
		c.value = append(c.value, v+0) // -0 becomes 0
	default:
		c.addText([]byte(spell(v+0)), true, at)
	}
}

// Bool adds a truth value to the row: the number 1 or 0, except in a column that
// is named as the target or has texts in it, where it is the text true or false.
func (b *Builder) Bool(col int, v bool) {
	if b.column[col].code != nil || b.truthsAreTexts(col) {
		b.Text(col, strconv.FormatBool(v))
		return
	}
	n := 0.0
	if v {
		n = 1
	}
	b.Number(col, n)
}

// truthsAreTexts reports whether truth values are texts in a column as long as it holds numbers.
func (b *Builder) truthsAreTexts(col int) bool { return b.index != nil && b.names[col] == b.o.Target }

// Text adds a text to the row. It is kept as it is; one that reads as a number
// counts as one, and an empty one is missing.
func (b *Builder) Text(col int, s string) {
	c, at := b.cell(col)
	if c.code == nil {
		c.toTexts()
	}
	c.addText([]byte(s), true, at)
}

// cell prepares column col for a cell of the current row: all rows before it that
// have none are missing. It panics if the row has one there already.
func (b *Builder) cell(col int) (*column, Place) {
	row := len(b.lines) - 1
	c := b.column[col]
	c.pad(row)
	if row < 0 || c.len() != row {
		panic("table: a cell without a row, or a second one in the same place")
	}
	return c, Place{b.lines[row], col + 1}
}

// Expect adds columns that the options name and no row has had so far: there are more rows to
// come. See Lacking.
func (b *Builder) Expect() {
	named := append([]string{b.o.Weight}, b.o.Drop...)
	if b.o.Target != "first" && b.o.Target != "last" {
		named = append(named, b.o.Target)
	}
	for _, name := range named {
		_, err := strconv.Atoi(name)
		if _, known := b.index[name]; known || name == "" || name == "none" || err == nil {
			continue
		}
		b.Column(name)
		if b.expect == nil {
			b.expect = map[string]bool{}
		}
		b.expect[name] = true
	}
}

// Lacking returns a *data.InputError for a column that the options name and Expect added, if
// no row has had it.
func (b *Builder) Lacking() error {
	var names []string
	for j, name := range b.names {
		if !b.expect[name] || b.index[name] != j {
			names = append(names, name)
		}
	}
	if len(b.expect) == 0 || b.o.WeightSpare && len(b.expect) == 1 && b.expect[b.o.Weight] {
		return nil
	}
	_, err := b.o.Roles(names, len(names))
	return err
}

// Table returns the rows that were added since the last call; nil if there are
// none. All columns known so far are in it, and those that have had a text hold texts from
// their first row on, so that cells are as they would be in one table. It returns a *data.InputError for a
// target or column to drop that is not there, and a *run.MemoryError for cells that
// are missing in so many rows and columns that they fit no memory.
func (b *Builder) Table() (*Table, error) {
	if len(b.lines) == 0 {
		return nil, nil
	}
	if err := b.reserve(); err != nil {
		return nil, err
	}
	is, comma := b.is, ','
	if b.index == nil && b.o.Comma != 0 {
		comma = b.o.Comma
	}
	if b.index != nil {
		var err error
		if is, err = b.o.Roles(b.names, len(b.names)); err != nil {
			return nil, err
		}
	}
	b.texts = make([]bool, len(b.column))
	for j, c := range b.column {
		c.cut(len(b.lines))
		c.pad(len(b.lines))
		if b.texts[j] = b.index != nil && c.code != nil; j == is.Target && c.code == nil {
			c.toTexts()
		}
	}
	t := &Table{
		Name: b.o.Name, Header: slices.Clone(b.names), Lines: b.lines, Target: is.Target, Weight: is.Weight,
		column: b.column, drop: is.Drop, comma: comma, run: b.o.Run, memory: b.memory,
	}
	b.lines, b.column, b.memory = nil, make([]*column, len(b.column)), nil
	b.empty()
	return t, nil
}

// fewMissing is how many missing cells need no look at the memory that is left.
const fewMissing = 1 << 17

// reserve says whether there is memory for the cells that are missing.
func (b *Builder) reserve() error {
	missing := 0
	for _, c := range b.column {
		missing += len(b.lines) - c.len()
	}
	if missing < fewMissing {
		return nil
	}
	return b.o.Run.Reserve(fmt.Sprintf("%s: a table of %d rows and %d columns", b.o.Name, len(b.lines), len(b.column)),
		8*float64(missing), "use a larger --max-memory, or fewer rows or names of columns")
}

// len returns the number of cells.
func (c *column) len() int {
	if c.code != nil {
		return len(c.code)
	}
	return len(c.value)
}

// cut leaves the cells behind n away, which Put took for rows that were never begun.
func (c *column) cut(n int) {
	if c.code == nil && len(c.value) > n {
		c.value = c.value[:n]
		c.odd = slices.DeleteFunc(c.odd, func(o oddCell) bool { return o.row >= n })
	}
}

// pad adds missing cells up to n.
func (c *column) pad(n int) {
	for c.len() < n {
		if c.code != nil {
			c.code = append(c.code, -1)
		} else {
			c.value = append(c.value, math.NaN())
		}
	}
}
