package table

import (
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/sums"
)

// mostCategories is how many categories of a column are known of a table that is read
// part by part: the most frequent, where there are more.
const mostCategories = 10_000

// Survey is what is known of the columns of a table that is read part by part, from all
// of its rows: moments of numbers, counts of categories. Refine makes a Schema that was
// fitted to a sample of the rows one of all.
type Survey struct {
	rows    int
	columns []surveyed
}

// surveyed is what is known of a column.
type surveyed struct {
	numbers   sums.Moments // of cells in parts without texts, but for those of block
	block     []float64    // fewer than sums.BlockRows, so that moments do not depend on the parts
	counts    *sums.Counts // of categories in parts with texts
	missing   int
	firstText placed
	firstOdd  placed
	textIn    string // the file of firstText
	oddIn     string
}

// Add adds rows of a table, all if rows is nil.
func (s *Survey) Add(t *Table, rows []int) {
	if rows == nil {
		rows = make([]int, t.Len())
		for i := range rows {
			rows[i] = i
		}
	}
	for j := len(s.columns); j < len(t.column); j++ {
		s.columns = append(s.columns, surveyed{counts: sums.NewCounts(mostCategories), missing: s.rows})
	}
	s.rows += len(rows)
	for j, c := range t.column {
		s.columns[j].add(c, rows, t.Name)
	}
	for j := len(t.column); j < len(s.columns); j++ {
		s.columns[j].missing += len(rows)
	}
}

// add adds cells of a column.
func (s *surveyed) add(c *column, rows []int, file string) {
	if s.firstText.Line == 0 {
		s.firstText, s.textIn = c.firstText, file
	}
	if s.firstOdd.Line == 0 {
		s.firstOdd, s.oddIn = c.firstOdd, file
	}
	if c.code == nil {
		for _, i := range rows {
			if s.block = append(s.block, c.value[i]); len(s.block) == sums.BlockRows {
				s.settle()
			}
		}
		return
	}
	count := make([]int, len(c.entry))
	for _, i := range rows {
		if c.code[i] < 0 {
			s.missing++
		} else {
			count[c.code[i]]++
		}
	}
	for k, n := range count {
		s.counts.Add(c.entry[k].key(), n)
	}
}

// settle adds the block to the moments.
func (s *surveyed) settle() {
	before := s.numbers.Missing
	s.numbers.Add(s.block)
	s.missing += s.numbers.Missing - before
	s.block = s.block[:0]
}

// Refine makes a schema that was fitted to a sample of the rows one of all rows: means
// and scales of numbers, unless the scale goes by ranks, are those of all rows, and so
// are the categories and whether a column has missing cells. It returns a
// *data.InputError for a text, or what is no finite number, in a column that holds
// numbers alone in the sample.
func (s *Survey) Refine(schema *Schema) error {
	schema.Columns = slices.Clone(schema.Columns)
	for j := range schema.Columns {
		c, v := &schema.Columns[j], &s.columns[j]
		v.settle()
		v.revive(c, schema.Scale)
		var err error
		switch {
		case c.Statistics != nil:
		case c.Kind == Number && c.Format == nil:
			err = v.refineNumber(c, schema.Scale)
		case c.Kind == Category:
			for _, known := range v.counts.Categories() {
				at, found := slices.BinarySearch(c.Categories, known)
				if !found {
					c.Categories = slices.Insert(c.Categories, at, known)
				}
			}
			c.Indicator = c.Indicator || v.missing > 0
			if c.Size = len(c.Categories); c.Indicator {
				c.Size++
			}
		}
		if err != nil {
			return err
		}
	}
	schema.Width = 0
	for _, j := range schema.inOrder() {
		schema.Columns[j].Offset = schema.Width
		schema.Width += schema.Columns[j].Size
	}
	return nil
}

// revive takes up a column that is empty or the same in all rows of the sample, and is
// not in all rows of the file. Scales that go by ranks have no numbers to go by.
func (s *surveyed) revive(c *Column, kind scale.Kind) {
	if c.Kind != Ignored || c.Why != constantColumn && c.Why != emptyColumn {
		return
	}
	numbers := s.firstText.Line == 0
	switch {
	case numbers && (s.numbers.Count == 0 || s.numbers.Min == s.numbers.Max && s.missing == 0):
	case numbers && (kind == scale.None || kind == scale.Standard || kind == scale.Range):
		*c = Column{Name: c.Name, Kind: Number, Size: 1, Spread: 1}
	case !numbers && s.counts.Exact() && len(s.counts.Categories()) > 1 && s.numbers.Count == 0:
		*c = Column{Name: c.Name, Kind: Category}
	}
}

// refineNumber refines a column of numbers.
func (s *surveyed) refineNumber(c *Column, kind scale.Kind) error {
	if s.firstText.Line > 0 {
		return &data.InputError{
			File: s.textIn, Line: s.firstText.Line, Column: s.firstText.Column,
			Problem: fmt.Sprintf("%q is not a number, and a sample of %s holds numbers alone", clip(s.firstText.text),
				quoteName(c.Name)),
			Advice: "correct the cell, leave it empty if the value is missing, or leave the column out with --drop",
		}
	}
	if err := (&column{firstOdd: s.firstOdd}).checkFinite(s.oddIn); err != nil {
		return err
	}
	c.Indicator = c.Indicator || s.missing > 0
	if c.Size = 1; c.Indicator {
		c.Size = 2
	}
	if s.numbers.Count == 0 || math.IsInf(s.numbers.Square, 0) {
		return nil // a deviation that is too large for its square is that of the sample
	}
	switch m := &s.numbers; kind {
	case scale.None:
		c.Mean = m.Mean
	case scale.Standard:
		if c.Mean, c.Center, c.Spread = m.Mean, m.Mean, 1; m.Deviation() > 0 {
			c.Spread = m.Deviation()
		}
	case scale.Range:
		c.Mean, c.Center, c.Spread = m.Mean, m.Min/2+m.Max/2, m.Max/2-m.Min/2
	}
	return nil
}
