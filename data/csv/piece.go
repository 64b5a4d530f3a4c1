package csv

import (
	"bytes"
	"slices"

	"github.com/kerf-ml/kerf/data/decimal"
	"github.com/kerf-ml/kerf/data/table"
)

// piece is some lines of a region.
type piece struct {
	text  []byte
	first int // number of the line before
	lines int
	place int // of its first number in the room of a column

	rows   int
	line   []int         // of each row
	ends   []int32       // of the cells, row by row, behind -1: each begins behind the one before
	few    []float64     // numbers of some rows, row by row
	cell   []span        // those of columns that may hold texts, column by column
	point  []table.Point // of each column, the first number that is written with a point
	failed bool
}

// span is where a cell stands: from lo to hi of a piece, in the line that begins at start.
type span struct{ lo, hi, start int32 }

// parse takes the lines of a piece apart, and writes numbers to the room of their column. It fails
// where one is not plain. Where cells end is found for all of them first, so that the processor can
// read several numbers at a time.
func (p *piece) parse(comma byte, width int, texts []bool, room [][]float64) {
	p.failed = true
	if !p.divide(comma, width) {
		return
	}
	count := 0
	for _, is := range texts {
		if is {
			count++
		}
	}
	p.cell = sized(p.cell, count*p.rows)
	if len(p.point) != width {
		p.point = make([]table.Point, width)
	}
	clear(p.point)
	s := splitter{comma: comma}
	words := 0
	for j := 0; j < width; j++ {
		if texts[j] {
			p.texts(p.cell[words:words+p.rows], j, &s)
			words += p.rows
			continue
		}
		if next := nextText(texts, j); next-j >= leastInRow && decimal.ByRows() {
			if !p.block(room, j, next, &s) {
				return
			}
			j = next - 1
			continue
		}
		if !p.numbers(room[j][p.place:][:p.rows], j, &s) {
			return
		}
	}
	p.failed = false
}

// nextText returns the first column of texts from one on, or how many columns there are.
func nextText(texts []bool, from int) int {
	if n := slices.Index(texts[from:], true); n >= 0 {
		return from + n
	}
	return len(texts)
}

// divide finds the rows, lines that are not blank, and where their cells end. It reports false
// for a row that has not as many cells as the table is wide, and for a blank line before one.
func (p *piece) divide(comma byte, width int) bool {
	s := splitter{comma: comma}
	b := p.text
	p.line = sized(p.line, p.lines)[:0]
	p.ends = cellEnds(sized(p.ends, 1+min(p.lines*width, len(b))+moreEnds), b, comma)
	if len(b) > 0 && b[len(b)-1] != '\n' {
		p.ends = append(p.ends, int32(len(b)))
	}
	if p.rows = p.lines; width > 1 && p.isFull(width) {
		for i := range p.rows {
			p.line = append(p.line, p.first+i+1)
		}
		return true
	}
	p.rows = 0
	next, blank := 0, false
	for at := 0; at < len(b); {
		end := len(b)
		if n := bytes.IndexByte(b[at:], '\n'); n >= 0 {
			end = at + n
		}
		for at < end && s.isBlank(b[at]) {
			at++
		}
		if at == end { // a blank line
			at, blank = end+1, true
			continue
		}
		if next += width; blank || next >= len(p.ends) || int(p.ends[next]) != end {
			return false
		}
		p.line = append(p.line, p.first+p.rows+1)
		p.rows++
		at = end + 1
	}
	return true
}

// isFull reports whether each line is a row of so many cells, two or more: there are as many ends of
// lines as lines, so that none is among the others where each row ends with one. A line that has a
// separator is not blank.
func (p *piece) isFull(width int) bool {
	if len(p.ends)-1 != p.rows*width {
		return false
	}
	for next := width; next < len(p.ends); next += width {
		if end := int(p.ends[next]); end < len(p.text) && p.text[end] != '\n' {
			return false
		}
	}
	return true
}

// sized returns a list of so many elements, the given one if it has room.
func sized[E any](list []E, n int) []E {
	if cap(list) < n {
		return make([]E, n)
	}
	return list[:n]
}

// bounds returns where cell j of a row begins, and where it ends.
func (p *piece) bounds(i, j int) (lo, hi int) {
	at := i*len(p.point) + j
	return int(p.ends[at]) + 1, int(p.ends[at+1])
}

// begin returns where a row begins.
func (p *piece) begin(i int) int32 { return p.ends[i*len(p.point)] + 1 }

// numbers reads column j, NaN for a cell that is missing. It reports false where one is a text.
func (p *piece) numbers(to []float64, j int, s *splitter) bool {
	points := false
	for i := 0; i < len(to); i++ {
		n, some := decimal.Column(to[i:], p.text, p.ends, i*len(p.point)+j, len(p.point))
		points = points || some
		if i += n; i == len(to) {
			break
		}
		lo, hi := p.bounds(i, j)
		v, point, ok := table.PlainNumber(trim(p.text[lo:hi], s))
		if !ok {
			return false
		}
		to[i], points = v, points || point
	}
	if points {
		p.notePoint(j, s)
	}
	return true
}

// notePoint notes the first number with a point of column j.
func (p *piece) notePoint(j int, s *splitter) {
	for i := range p.rows {
		lo, hi := p.bounds(i, j)
		if cell := trim(p.text[lo:hi], s); bytes.IndexByte(cell, '.') >= 0 {
			at := lo + bytes.Index(p.text[lo:hi], cell) - int(p.begin(i)) + 1
			p.point[j] = table.Point{Place: table.Place{Line: p.line[i], Column: at}, Text: string(cell)}
			return
		}
	}
}

// texts notes where the cells of column j stand.
func (p *piece) texts(to []span, j int, s *splitter) {
	for i := range to {
		lo, hi := p.bounds(i, j)
		for lo < hi && s.isBlank(p.text[lo]) {
			lo++
		}
		hi = lo + len(trim(p.text[lo:hi], s))
		to[i] = span{int32(lo), int32(hi), p.begin(i)}
	}
}

// trim returns a cell without the blanks around it.
func trim(cell []byte, s *splitter) []byte {
	for len(cell) > 0 && s.isBlank(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && s.isBlank(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}

// addNumbers adds the cells of column j, whose room they are in, to a table.
func (p *piece) addNumbers(b *table.Builder, j int, room []float64) {
	b.Numbers(j, room[p.place:][:p.rows], p.point[j])
}

// addTexts adds the cells of column j to a table. So many columns before it hold texts.
func (p *piece) addTexts(b *table.Builder, j, before int) {
	for i, c := range p.cell[before*p.rows:][:p.rows] {
		b.PlainText(j, p.text[c.lo:c.hi], table.Place{Line: p.line[i], Column: int(c.lo-c.start) + 1})
	}
}
