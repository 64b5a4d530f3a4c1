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
// of its rows: moments of numbers, counts of categories, and quantiles where they are asked
// for. Refine makes a Schema that was fitted to a sample of the rows one of all.
type Survey struct {
	Quantiles bool // of numbers, which scales that sort them need

	rows    int
	size    int // of quantiles, by the columns that the first rows have
	columns []surveyed
}

// surveyed is what is known of a column.
type surveyed struct {
	numbers   sums.Moments    // of cells in parts without texts, but for those of block
	block     []float64       // fewer than sums.BlockRows, so that moments do not depend on the parts
	counts    *sums.Counts    // of categories in parts with texts
	quantiles *sums.Quantiles // nil where they are not asked for
	missing   int
	firstText placed
	firstOdd  placed
	textIn    string // the file of firstText
	oddIn     string
}

// The numbers that a level of quantiles has: fewer where there are more than 256 columns.
const (
	allQuantiles    = 1 << 18
	mostQuantiles   = 1 << 10
	fewestQuantiles = 1 << 7
)

// sizeOf returns the size of the quantiles of each of so many columns.
func sizeOf(columns int) int {
	size := mostQuantiles
	for size > fewestQuantiles && size*columns > allQuantiles {
		size /= 2
	}
	return size
}

// QuantileBytes returns about what the quantiles of so many columns take in a survey of a
// million rows: half of the numbers of each level. A thousand times the rows take twice that.
func QuantileBytes(columns int) float64 {
	size := float64(sizeOf(columns))
	return 8 * float64(columns) * size / 2 * math.Log2(2*(1<<20)/size)
}

// column returns what is known of a column whose cells were all missing so far.
func (s *Survey) column() surveyed {
	one := surveyed{counts: sums.NewCounts(mostCategories), missing: s.rows}
	if s.Quantiles {
		one.quantiles = sums.NewQuantiles(s.size)
	}
	return one
}

// Add adds rows of a table, all if rows is nil.
func (s *Survey) Add(t *Table, rows []int) {
	if rows == nil {
		rows = make([]int, t.Len())
		for i := range rows {
			rows[i] = i
		}
	}
	if s.size == 0 {
		s.size = sizeOf(len(t.column))
	}
	for j := len(s.columns); j < len(t.column); j++ {
		s.columns = append(s.columns, s.column())
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
		if v := c.number(i); c.isNumeric() && v == v { // numbers that are written as texts
			if s.block = append(s.block, v); len(s.block) == sums.BlockRows {
				s.settle()
			}
		}
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

// settle adds the block to the moments and quantiles.
func (s *surveyed) settle() {
	before := s.numbers.Missing
	s.numbers.Add(s.block)
	s.missing += s.numbers.Missing - before
	if s.quantiles != nil {
		s.quantiles.Add(s.block)
	}
	s.block = s.block[:0]
}

// Refine makes a schema that was fitted to a sample of the rows one of all rows: means
// and scales of plain numbers are those of all rows, and so are the categories and whether a
// column has missing cells. Scales that sort numbers go by the sample where it has all rows,
// and else by Quantiles; which of them a mixed one is, the sample says. It returns a
// *data.InputError for a text, or what is no finite number, in a column that holds
// numbers alone in the sample.
func (s *Survey) Refine(schema *Schema, sample *Table) error {
	schema.Columns = slices.Clone(schema.Columns)
	for j := range schema.Columns {
		c, v := &schema.Columns[j], &s.columns[j]
		v.settle()
		v.revive(c, schema.Scale)
		var err error
		switch {
		case c.Statistics != nil:
		case c.Kind == Number && c.Format == nil:
			if err = v.refineNumber(c, schema.Scale); err == nil && schema.Scale.Sorts() {
				v.refineRanks(c, schema.Scale, sample, j, s.rows)
			}
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
// not in all rows of the file. Scales that sort numbers need quantiles to go by.
func (s *surveyed) revive(c *Column, kind scale.Kind) {
	if c.Kind != Ignored || c.Why != constantColumn && c.Why != emptyColumn {
		return
	}
	numbers := s.firstText.Line == 0
	switch {
	case numbers && (s.numbers.Count == 0 || s.numbers.Min == s.numbers.Max && s.missing == 0):
	case numbers && (!kind.Sorts() || s.quantiles != nil):
		if *c = (Column{Name: c.Name, Kind: Number, Size: 1, Spread: 1}); kind == scale.Mixed {
			c.Scale = scale.Standard // few of its numbers are different
		}
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
	if kind == scale.Mixed && c.Scale == scale.Standard {
		kind = scale.Standard
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

// someRanks is how many numbers stand for all of a column. It adds a half of its inverse to
// the error of a rank.
const someRanks = 1 << 14

// refineRanks makes a scale that sorts numbers one of all rows.
func (s *surveyed) refineRanks(c *Column, kind scale.Kind, sample *Table, j, rows int) {
	q, of, knots := s.quantiles, kind, scale.KnotsOf(sample.Cols())
	var values []float64
	switch {
	case sample.Len() == rows:
		for i := range rows {
			if v := sample.column[j].number(i); v == v {
				values = append(values, v)
			}
		}
	case q == nil || q.Count == 0 || c.Scale == scale.Standard:
		return // refineNumber has done what there is to do
	default:
		if values = q.Numbers(someRanks); kind == scale.Mixed {
			of = c.Scale
		}
	}
	f := of.FitKnots(slices.Values(values), knots)
	same := of == scale.Robust && scale.At(values, 0.25) == scale.At(values, 0.75)
	if same && sample.Len() < rows && q.Error() > 0 {
		if spread := math.Hypot(s.numbers.Deviation(), s.numbers.Mean-f.Center); spread > 0 && !math.IsInf(spread, 0) {
			f.Spread = spread // about the median: numbers that are rare may be none of those
		}
	}
	c.Curve = nil
	c.setScale(f, kind)
}
