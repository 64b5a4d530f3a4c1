package table

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/par"
)

// Encode returns the rows of a table as vectors of Width coordinates, a
// *data.CSR if IsSparse and a *data.Matrix otherwise, and their labels: nil if
// the table has no target, "" for a label that is missing.
//
// Where table and schema both have headers with distinct names, columns are
// found by name, in any order and among others. Otherwise they are found by
// position, and the table must have as many columns as the schema, or one less
// if it lacks the target, or two if it lacks the weight as well.
//
// It returns a *data.InputError for columns that are not there, and for a text,
// NaN or an infinity in a column of numbers.
func (s *Schema) Encode(t *Table) (x data.Source[data.Vector], labels []string, err error) {
	return s.encode(t, nil)
}

// encode encodes a table, of which some rows have statistics of their own.
func (s *Schema) encode(t *Table, own *crossed) (x data.Source[data.Vector], labels []string, err error) {
	parts, target, err := s.bind(t)
	if err != nil {
		return nil, nil, err
	}
	if own != nil {
		for _, p := range parts {
			p.place, p.own = own.place, own.values[p.column]
		}
	}
	if s.IsSparse() {
		x, err = s.encodeSparse(t, parts)
	} else {
		x, err = s.encodeDense(t, parts)
	}
	if err != nil {
		return nil, nil, err
	}
	if target >= 0 {
		labels = t.texts(target)
	}
	return x, labels, nil
}

// Labels returns the labels of the rows of a table as Encode does.
func (s *Schema) Labels(t *Table) ([]string, error) {
	place, err := s.places(t)
	if err != nil || s.Target < 0 || place[s.Target] < 0 {
		return nil, err
	}
	return t.texts(place[s.Target]), nil
}

// Unseen returns how many cells of a table hold a category that training did not
// have. Encode takes them as missing.
func (s *Schema) Unseen(t *Table) (int, error) {
	parts, _, err := s.bind(t)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range parts {
		if p.to.Kind != Category {
			continue
		}
		for i := range t.Len() {
			if p.category(i) == unseen {
				n++
			}
		}
	}
	return n, nil
}

// encodeRows is how many rows are encoded column by column before the next ones are, so
// that they stay near.
const encodeRows = 256

func (s *Schema) encodeDense(t *Table, parts []*part) (*data.Matrix, error) {
	m := &data.Matrix{Rows: t.Len(), Cols: s.Width, Data: alloc.Slice[float64](t.Len() * s.Width)}
	full := len(parts) == s.Width // each coordinate is a number that is put there
	for _, p := range parts {
		full = full && p.to.Kind == Number && p.to.Size == 1
	}
	err := t.each(par.Blocks(t.Len(), encodeRows), func(block int) error {
		lo, hi := par.Range(block, t.Len(), encodeRows)
		if !full {
			clear(m.Data[lo*m.Cols : hi*m.Cols])
		}
		for k := 0; k < len(parts); k++ {
			if putTogether(m, parts[k:], lo, hi) {
				k += together - 1
				continue
			}
			if most := len(parts) - together; most >= 0 && k > most && putTogether(m, parts[most:], lo, hi) {
				break // the last ones with some before them
			}
			p := parts[k]
			if p.to.Kind == Number && p.putNumbers(m, lo, hi) {
				continue
			}
			for i := lo; i < hi; i++ {
				row := m.Row(i)
				if p.put(t, i, func(j int, v float64) { row[j] = v }) != nil {
					return firstFault(t, parts, lo, hi)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// firstFault returns the error of the first row that has one, among rows that do.
func firstFault(t *Table, parts []*part, lo, hi int) error {
	for i := lo; i < hi; i++ {
		for _, p := range parts {
			if err := p.put(t, i, func(int, float64) {}); err != nil {
				return err
			}
		}
	}
	return nil
}

// putNumbers is put for rows of a column of numbers. It reports false where one cannot be
// scaled.
func (p *part) putNumbers(m *data.Matrix, lo, hi int) bool {
	c, scaled := p.to, p.to.fit()
	if p.from.code == nil && !c.Indicator && scaled.IsIdentity() {
		to := m.Data[c.Offset:]
		for i, v := range p.from.value[lo:hi] {
			if v-v != 0 {
				if v = c.Mean; v-v != 0 {
					return false
				}
			}
			to[(lo+i)*m.Cols] = v
		}
		return true
	}
	for i := lo; i < hi; i++ {
		v := p.number(i)
		gone := math.IsNaN(v)
		if gone {
			v = c.Mean
		}
		at := scaled.Of(v)
		if at-at != 0 {
			return false
		}
		m.Data[i*m.Cols+c.Offset] = at
		if gone && c.Indicator {
			m.Data[i*m.Cols+c.Offset+1] = 1
		}
	}
	return true
}

func (s *Schema) encodeSparse(t *Table, parts []*part) (*data.CSR, error) {
	m := &data.CSR{Ptr: make([]int, 1, t.Len()+1), Index: []int32{}}
	var index []int32
	var value []float64
	for i := range t.Len() {
		index, value = index[:0], value[:0]
		for _, p := range parts {
			err := p.put(t, i, func(j int, v float64) {
				if v != 0 {
					index, value = append(index, int32(j)), append(value, v)
				}
			})
			if err != nil {
				return nil, err
			}
		}
		m.Append(index, value)
	}
	m.Cols = s.Width
	return m, nil
}

// part is a column of a schema with the cells of a table that belong to it.
type part struct {
	to     *Column
	from   *column
	byCode []int           // category of each entry of from, if that is texts
	byKey  map[string]int  // index of each category
	cache  map[float64]int // category of each number of from, if that is numbers

	moments []moment              // of each entry of from, if it is a date
	terms   [][]term              // of each entry of from, if it is a text; byKey then has the words
	number  func(row int) float64 // if it is a number

	column int         // in the schema
	one    []int       // place among the frequent ones of each category that has statistics, -1 for none
	place  map[int]int // of rows that have statistics of their own
	own    []float64   // the statistics, by place
}

// What category returns for cells that are none of the categories.
const (
	unseen = -1
	absent = -2
)

func newPart(to *Column, from *column) *part {
	p := &part{to: to, from: from}
	switch to.Kind {
	case Number:
		p.number = from.numbers(to.Format)
	case Date:
		p.moments = moments(from, to.Layout)
	}
	if to.Kind == Text {
		p.terms, p.byKey = to.terms(from), make(map[string]int, len(to.Words))
		for k, word := range to.Words {
			p.byKey[word] = k
		}
	}
	if to.Kind != Category {
		return p
	}
	p.byKey = make(map[string]int, len(to.Categories))
	for k, key := range to.Categories {
		p.byKey[key] = k
	}
	p.cache = map[float64]int{}
	for _, v := range from.value {
		if _, known := p.cache[v]; !known && !math.IsNaN(v) {
			p.cache[v] = p.find(spell(v))
		}
	}
	p.byCode = make([]int, len(from.entry))
	for code, e := range from.entry {
		p.byCode[code] = p.find(e.key())
	}
	if to.Statistics != nil {
		p.one = make([]int, len(to.Categories))
		for k := range p.one {
			p.one[k] = -1
		}
		for at, k := range to.Statistics.Frequent {
			p.one[k] = at
		}
	}
	return p
}

func (p *part) find(key string) int {
	if k, ok := p.byKey[key]; ok {
		return k
	}
	return unseen
}

// category returns the index of the category in a row, unseen or absent.
func (p *part) category(row int) int {
	if p.from.code != nil {
		if code := p.from.code[row]; code >= 0 {
			return p.byCode[code]
		}
		return absent
	}
	if k, ok := p.cache[p.from.value[row]]; ok {
		return k
	}
	if key, ok := p.from.text(row); ok { // a number that is not finite
		return p.find(key)
	}
	return absent
}

// put calls set for the coordinates of a row that may be other than zero, in
// increasing order.
func (p *part) put(t *Table, row int, set func(j int, v float64)) error {
	c := p.to
	switch c.Kind {
	case Category:
		p.putCategory(row, set)
		return nil
	case Date:
		return p.putDate(t, row, set)
	case Text:
		p.putWords(row, set)
		return nil
	}
	v := p.number(row)
	gone := math.IsNaN(v)
	if gone {
		v = c.Mean
	}
	scaled := c.scaled(v)
	if scaled-scaled != 0 {
		return c.tooFar(t, row, v)
	}
	set(c.Offset, scaled)
	if gone && c.Indicator {
		set(c.Offset+1, 1)
	}
	return nil
}

// tooFar reports a number that cannot be scaled.
func (c *Column) tooFar(t *Table, row int, v float64) error {
	return badCell(t, row, fmt.Sprintf("%v in %s is too far from the values in training", v, quoteName(c.Name)),
		"check the value, or train without scaling")
}

func (p *part) putCategory(row int, set func(j int, v float64)) {
	c, k := p.to, p.category(row)
	switch {
	case k >= 0 && c.Statistics == nil:
		set(c.Offset+k, 1)
	case k >= 0 && p.one[k] >= 0:
		set(c.Offset+p.one[k], 1)
	}
	if c.Statistics != nil {
		values := c.Statistics.of(k)
		if at, ok := p.place[row]; ok && p.own != nil {
			values = p.own[at*len(values):][:len(values)]
		}
		for q, v := range values {
			set(c.Offset+len(c.Statistics.Frequent)+q, v)
		}
	}
	if k < 0 && c.Indicator {
		set(c.Offset+c.Size-1, 1)
	}
}

// setScale notes the scale of a column of numbers, kind being that of all.
func (c *Column) setScale(f scale.Fit, kind scale.Kind) {
	c.Mean, c.Center, c.Spread = f.Mean, f.Center, f.Spread
	if f.Unit > 0 || f.Knots != nil {
		c.Curve = &f.Curve
	}
	if kind == scale.Mixed {
		c.Scale = f.Kind
	}
}

// fit returns the scale of a column of numbers.
func (c *Column) fit() scale.Fit {
	f := scale.Fit{Center: c.Center, Spread: c.Spread}
	if c.Curve != nil {
		f.Curve = *c.Curve
	}
	return f
}

// scaled returns the scaled number.
func (c *Column) scaled(v float64) float64 { return c.fit().Of(v) }
