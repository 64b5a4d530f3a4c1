package table

import (
	"cmp"
	"math"
	"slices"
)

// Select returns some rows of the table as a table of its own.
func (t *Table) Select(rows []int) *Table {
	return gather(t, []*Table{t}, [][]int{rows})
}

// Concat returns the rows of tables one after the other. Columns of later tables may
// follow those of earlier ones; cells that a table has no column for are missing. What
// columns are for is as in the last.
func Concat(parts []*Table) *Table {
	last := parts[len(parts)-1]
	rows := make([][]int, len(parts))
	for k, p := range parts {
		for i := range p.Len() {
			rows[k] = append(rows[k], i)
		}
	}
	return gather(last, parts, rows)
}

// gather copies rows of parts into a table like another.
func gather(like *Table, parts []*Table, rows [][]int) *Table {
	out := *like
	out.Lines, out.Places, out.memory, out.column = nil, nil, nil, make([]*column, len(like.column))
	for j := range out.column {
		out.column[j] = newColumn(false)
	}
	for k, p := range parts {
		out.Lines = slices.Grow(out.Lines, len(rows[k]))
		for _, i := range rows[k] {
			out.Lines = append(out.Lines, p.Lines[i])
		}
		for j, c := range out.column {
			if j >= len(p.column) {
				c.pad(len(out.Lines))
				continue
			}
			c.copyRows(p.column[j], p.Lines, rows[k])
		}
	}
	return &out
}

// copyRows appends cells of another column.
func (c *column) copyRows(from *column, lines, rows []int) {
	if from.code != nil && c.code == nil {
		c.toTexts()
	}
	if c.firstPoint.Line == 0 {
		c.firstPoint = from.firstPoint
	}
	if from.code == nil && c.code == nil && len(from.odd) == 0 { // numbers need no spelling
		c.value = slices.Grow(c.value, len(rows))
		for _, i := range rows {
			c.value = append(c.value, from.value[i])
		}
		return
	}
	for _, i := range rows {
		e, there := from.entryAt(i)
		switch {
		case !there && c.code != nil:
			c.code = append(c.code, -1)
			continue
		case !there:
			c.value = append(c.value, math.NaN())
			continue
		case e.content == nonfinite && c.firstOdd.Line == 0:
			c.firstOdd = placed{Place{Line: lines[i]}, e.text}
		case e.content == text && c.firstText.Line == 0:
			c.firstText = placed{Place{Line: lines[i]}, e.text}
		}
		switch {
		case c.code != nil:
			c.code = append(c.code, c.intern(e))
		case e.content == nonfinite:
			c.odd = append(c.odd, oddCell{len(c.value), e.text})
			c.value = append(c.value, math.NaN())
		default:
			c.value = append(c.value, e.value)
		}
	}
}

// entryAt returns a cell as an entry, and false if it is missing.
func (c *column) entryAt(row int) (entry, bool) {
	if c.code != nil {
		if c.code[row] < 0 {
			return entry{}, false
		}
		return c.entry[c.code[row]], true
	}
	if v := c.value[row]; !math.IsNaN(v) {
		return entry{spell(v), number, v}, true
	}
	k, odd := slices.BinarySearchFunc(c.odd, row, func(o oddCell, row int) int { return cmp.Compare(o.row, row) })
	if odd {
		return entry{c.odd[k].text, nonfinite, math.NaN()}, true
	}
	return entry{}, false
}
