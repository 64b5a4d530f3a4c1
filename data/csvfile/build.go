package csvfile

import (
	"math"
	"slices"
	"strconv"
)

// Builder makes tables of cells that come from elsewhere than a text file with
// separators, such as JSON Lines or Parquet, so that all that follows is the same.
// Cells are added row by row; a cell that is not added is missing. It is not safe
// for concurrent use.
type Builder struct {
	o      Options
	names  []string
	index  map[string]int
	lines  []int
	column []*column
}

// NewBuilder returns a builder of tables. Of the options, Name, Names, Target,
// Weight and Drop count. Names are the first columns, in that order, and there even if no
// row has a cell in them; see Schema.Options.
func NewBuilder(o Options) *Builder {
	b := &Builder{o: o, index: map[string]int{}}
	for _, name := range o.Names {
		b.Column(name)
	}
	return b
}

// Column returns the index of the column of a name, which is added as the last
// one if it is new. A column without a name gets its number.
func (b *Builder) Column(name string) int {
	if j, ok := b.index[name]; ok {
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
	if c := b.column[col]; c.code != nil || b.names[col] == b.o.Target {
		b.Text(col, strconv.FormatBool(v))
		return
	}
	n := 0.0
	if v {
		n = 1
	}
	b.Number(col, n)
}

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
func (b *Builder) cell(col int) (*column, place) {
	row := len(b.lines) - 1
	c := b.column[col]
	c.pad(row)
	if row < 0 || c.len() != row {
		panic("csvfile: a cell without a row, or a second one in the same place")
	}
	return c, place{b.lines[row], col + 1}
}

// Table returns the rows that were added since the last call; nil if there are
// none. All columns known so far are in it. It returns a *data.InputError for a
// target or column to drop that is not there.
func (b *Builder) Table() (*Table, error) {
	if len(b.lines) == 0 {
		return nil, nil
	}
	is, err := b.o.columns(b.names, len(b.names))
	if err != nil {
		return nil, err
	}
	for j, c := range b.column {
		c.pad(len(b.lines))
		if j == is.target && c.code == nil {
			c.toTexts()
		}
	}
	t := &Table{
		Name: b.o.Name, Header: slices.Clone(b.names), Lines: b.lines, Target: is.target, Weight: is.weight,
		column: b.column, drop: is.drop, comma: ',',
	}
	b.lines, b.column = nil, make([]*column, len(b.names))
	for j := range b.column {
		b.column[j] = newColumn(false)
	}
	return t, nil
}

// len returns the number of cells.
func (c *column) len() int {
	if c.code != nil {
		return len(c.code)
	}
	return len(c.value)
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
