package table

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// column holds the cells of one column. It begins as numbers and turns into
// texts when the first text comes; a verbatim column is texts from the start.
type column struct {
	// As numbers: NaN is missing. The few cells that read as no finite number
	// are NaN too, and stand in odd with what was written there.
	value []float64
	odd   []oddCell

	// As texts: code[i] is the index of the cell in entry, -1 if it is missing.
	// code is nil while the column is numbers.
	code  []int32
	entry []entry
	index map[string]int32

	// lately has 1 + the code of a text that came without quotes, by its ends and length: texts come again.
	lately *[64]int32

	firstText placed // the first cell that reads as text
	firstOdd  placed // the first cell that reads as no finite number

	firstPoint placed // the first number that is written with a decimal point
}

// entry is one of the different texts of a column.
type entry struct {
	text    string
	content content
	value   float64
}

// Place is where something stands in a file, counted from 1, in bytes.
type Place struct{ Line, Column int }

// placed is a cell of which it is known where it stands.
type placed struct {
	Place
	text string
}

type oddCell struct {
	row  int
	text string
}

func newColumn(verbatim bool) *column {
	c := &column{}
	if verbatim {
		c.toTexts()
	}
	return c
}

// add appends a cell.
func (c *column) add(cell []byte, quoted bool, at Place) {
	if c.code != nil {
		c.addText(cell, quoted, at)
		return
	}
	kind, v := classify(cell, quoted)
	switch kind {
	case text:
		c.toTexts()
		c.addText(cell, quoted, at)
		return
	case nonfinite:
		c.odd = append(c.odd, oddCell{len(c.value), string(cell)})
		if c.firstOdd.Line == 0 {
			c.firstOdd = placed{at, string(cell)}
		}
		v = math.NaN()
	case number:
		c.notePoint(cell, at)
	}
	c.value = append(c.value, v)
}

func (c *column) notePoint(cell []byte, at Place) {
	if c.firstPoint.Line == 0 && bytes.IndexByte(cell, '.') >= 0 {
		c.firstPoint = placed{at, string(cell)}
	}
}

func (c *column) addText(cell []byte, quoted bool, at Place) {
	if len(cell) == 0 {
		c.code = append(c.code, -1)
		return
	}
	late := &c.lately[(int(cell[0])^int(cell[len(cell)-1])<<1^len(cell)<<2)%len(c.lately)]
	if *late > 0 && c.entry[*late-1].text == string(cell) {
		c.code = append(c.code, *late-1)
		return
	}
	if !quoted && isMissing(cell) {
		c.code = append(c.code, -1)
		return
	}
	code, known := c.index[string(cell)]
	if !known {
		kind, v := classify(cell, true)
		s := string(cell)
		code = c.intern(entry{s, kind, v})
		if kind == number {
			c.notePoint(cell, at)
		}
		if kind == text && c.firstText.Line == 0 {
			c.firstText = placed{at, s}
		}
		if kind == nonfinite && c.firstOdd.Line == 0 {
			c.firstOdd = placed{at, s}
		}
	}
	if !quoted {
		*late = code + 1
	}
	c.code = append(c.code, code)
}

func (c *column) intern(e entry) int32 {
	code, known := c.index[e.text]
	if !known {
		code = int32(len(c.entry))
		c.entry = append(c.entry, e)
		c.index[e.text] = code
	}
	return code
}

// toTexts turns numbers into texts, spelled canonically.
func (c *column) toTexts() {
	c.index, c.lately = map[string]int32{}, new([64]int32)
	c.code = make([]int32, 0, len(c.value)+1)
	odd := c.odd
	var recent [256]struct { // by its bits, since spelling takes long and values come again
		value float64
		next  int32 // code + 1
	}
	for i, v := range c.value {
		bits := math.Float64bits(v)
		r := &recent[(bits*0x9e3779b97f4a7c15)>>56]
		switch {
		case len(odd) > 0 && odd[0].row == i:
			c.code = append(c.code, c.intern(entry{odd[0].text, nonfinite, math.NaN()}))
			odd = odd[1:]
		case math.IsNaN(v):
			c.code = append(c.code, -1)
		case r.next > 0 && r.value == v:
			c.code = append(c.code, r.next-1)
		default:
			code := c.intern(entry{spell(v), number, v})
			c.code = append(c.code, code)
			r.value, r.next = v, code+1
		}
	}
	c.value, c.odd = nil, nil
}

// isNumeric reports whether no cell reads as text.
func (c *column) isNumeric() bool { return c.firstText.Line == 0 }

// number returns the value of a cell of a numeric column, NaN if it is missing.
func (c *column) number(row int) float64 {
	if c.code == nil {
		return c.value[row]
	}
	if c.code[row] < 0 {
		return math.NaN()
	}
	return c.entry[c.code[row]].value
}

// numbers returns the value of cells by their row, NaN where one is missing, in a
// format that is nil for plain numbers.
func (c *column) numbers(f *Format) func(row int) float64 {
	if f == nil || c.code == nil {
		return c.number
	}
	values := f.values(c)
	return func(row int) float64 {
		if c.code[row] < 0 {
			return math.NaN()
		}
		return values[c.code[row]]
	}
}

// text returns a cell as it was written, as far as that is known, and false if
// it is missing.
func (c *column) text(row int) (string, bool) {
	if c.code != nil {
		if c.code[row] < 0 {
			return "", false
		}
		return c.entry[c.code[row]].text, true
	}
	if v := c.value[row]; !math.IsNaN(v) {
		return spell(v), true
	}
	k, found := slices.BinarySearchFunc(c.odd, row, func(o oddCell, row int) int { return cmp.Compare(o.row, row) })
	if found {
		return c.odd[k].text, true
	}
	return "", false
}

// key returns the category that a cell stands for, and false if it is missing.
func (c *column) key(row int) (string, bool) {
	if c.code != nil && c.code[row] >= 0 {
		return c.entry[c.code[row]].key(), true
	}
	return c.text(row)
}

// key is the category that a text stands for.
func (e entry) key() string {
	if e.content == number {
		return spell(e.value)
	}
	return e.text
}
