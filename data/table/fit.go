package table

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
)

// A text column in which nine tenths of at least manyRows cells are different is
// a name or an identifier, from which nothing can be learnt.
const manyRows = 20

// Recipe says how columns become coordinates.
type Recipe struct {
	Scale scale.Kind // of numbers

	// Categories says what coordinates categories have; empty is OneHot. Statistics
	// of the target are those of Values, a number for each row of the table, or else
	// of Labels, or of the labels that the table has. Seed divides the rows into folds.
	Categories Categories
	Labels     []string
	Values     []float64
	Seed       uint64
}

// Fit is Recipe.Fit with a scale of numbers and all else as it is by default.
func Fit(t *Table, rows []int, kind scale.Kind) (*Schema, error) {
	return Recipe{Scale: kind}.Fit(t, rows)
}

// Fit decides what each column of a table is and returns the schema. Statistics
// and categories come from the given rows alone, all if rows is nil, so that rows
// held out for testing have no part in them:
//
//   - A column is a number if no cell of the table reads as text. A missing
//     number becomes the mean of the column, or its median where the scale is robust,
//     quantile or log.
//   - So it is if all cells are numbers with the same unit, or with commas; see Format.
//   - It is a date if all cells are written in one of the common ways, day and month of
//     which the column tells apart.
//   - In both cases up to five different words without a digit, in a tenth of the cells at most, may
//     stand for what is missing.
//   - It is a text where cells have several words and many are different; see fitWords.
//   - Otherwise it is a category, unless nine tenths of 20 or more cells are
//     different: then it is ignored, as names and identifiers are.
//   - If a cell was missing among the rows, the column has a last coordinate that
//     says so.
//   - Columns that the reader was told to drop and columns without any cell are
//     ignored, and of 20 rows or more so are those that are the same in all rows, the
//     same as another column, or the number of the row; see leaveOut.
//
// It returns a *data.InputError for a missing label, for NaN or an infinity among
// numbers, for a column of numbers with commas that may be of thousands or decimals, and if no column is left to
// learn from. Its cost is one pass over the cells, and sorting those of numbers where
// the scale asks for it.
func (r Recipe) Fit(t *Table, rows []int) (*Schema, error) {
	s, _, err := r.fit(t, rows)
	return s, err
}

// FitEncode is Fit and Schema.Encode of the same table, but that statistics of the
// target which the given rows have are those of other rows: see Statistics.
func (r Recipe) FitEncode(t *Table, rows []int) (*Schema, data.Source[data.Vector], []string, error) {
	s, own, err := r.fit(t, rows)
	if err != nil {
		return nil, nil, nil, err
	}
	x, labels, err := s.encode(t, own)
	return s, x, labels, err
}

func (r Recipe) fit(t *Table, rows []int) (*Schema, *crossed, error) {
	if _, err := scale.Parse(string(r.Scale)); err != nil {
		return nil, nil, err
	}
	if rows == nil {
		rows = make([]int, t.Len())
		for i := range rows {
			rows[i] = i
		}
	}
	if len(rows) == 0 {
		return nil, nil, &data.InputError{File: t.Name, Problem: "there are no rows to learn from"}
	}
	if err := t.checkLabels(rows); err != nil {
		return nil, nil, err
	}
	s := &Schema{Target: t.Target, Header: t.Header != nil, Comma: string(t.comma), Scale: r.Scale}
	s.Columns = make([]Column, len(t.column))
	fits, err := r.fitPlain(t, rows)
	if err != nil {
		return nil, nil, err
	}
	if err := t.each(len(t.column), func(j int) (err error) {
		s.Columns[j], err = r.fitColumn(t, j, rows, fits[j])
		return err
	}); err != nil {
		return nil, nil, err
	}
	s.leaveOut(t, rows)
	own, err := r.fitStatistics(s, t, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, j := range s.inOrder() {
		s.Columns[j].Offset = s.Width
		s.Width += s.Columns[j].Size
	}
	if s.Width == 0 {
		return nil, nil, &data.InputError{
			File: t.Name,
			Problem: "no column is left to learn from: all are the target, dropped, empty, " +
				"or texts that are different in nearly every row",
			Advice: "check the target and what separates the cells",
		}
	}
	return s, own, nil
}

// fitPlain fits columns that hold numbers, where fitting does not sort them. The fit of other
// columns is nil.
func (r Recipe) fitPlain(t *Table, rows []int) ([]*scale.Fit, error) {
	fits := make([]*scale.Fit, len(t.column))
	if r.Scale.Sorts() {
		return fits, nil
	}
	return fits, t.each(len(t.column), func(j int) error {
		if c := t.column[j]; c.code == nil && j != t.Target && j != t.Weight && !t.drop[j] {
			f := r.Scale.FitColumn(c.value, rows)
			fits[j] = &f
		}
		return nil
	})
}

// fitColumn decides what a column is. The fit of its numbers may be known.
func (r Recipe) fitColumn(t *Table, j int, rows []int, known *scale.Fit) (c Column, err error) {
	cells := t.column[j]
	c.Name = t.columnName(j)
	switch {
	case j == t.Target:
		c.Kind = Target
	case j == t.Weight:
		c.Kind = Weight
	case t.drop[j]:
		c.Kind, c.Why = Ignored, "dropped"
	case r.Categories == Levels && cells.isLevels(rows):
		c.fitCategory(cells, rows)
	case cells.isNumeric():
		err = c.fitNumber(t, cells, rows, r.Scale, known)
	default:
		err = c.fitText(t, cells, rows, r)
	}
	if r.Categories == Levels && c.Kind == Category && len(c.Categories) == 2 && c.Indicator {
		c.Indicator, c.Size = false, 2
	}
	return c, err
}

func (t *Table) checkLabels(rows []int) error {
	if t.Target < 0 {
		return nil
	}
	for _, i := range rows {
		if _, ok := t.column[t.Target].text(i); !ok {
			return &data.InputError{
				File: t.Name, Line: t.Lines[i],
				Problem: "the label is missing in " + quoteName(t.columnName(t.Target)),
				Advice:  "fill it in, leave the row out, or name another target",
			}
		}
	}
	return nil
}

// checkFinite reports the first cell of a numeric column that reads as NaN, an
// infinity or a number too large.
func (c *column) checkFinite(file string) error {
	odd := c.firstOdd
	if odd.Line == 0 {
		return nil
	}
	return &data.InputError{
		File: file, Line: odd.Line, Column: odd.Column,
		Problem: clip(odd.text) + " is not a number that kerf can use",
		Advice:  "leave the cell empty or write ? for a missing value",
	}
}

func (c *Column) fitNumber(t *Table, cells *column, rows []int, kind scale.Kind, known *scale.Fit) error {
	if err := cells.checkFinite(t.Name); err != nil {
		return err
	}
	if known == nil {
		number := cells.numbers(c.Format)
		f := kind.FitKnots(func(yield func(float64) bool) {
			for _, i := range rows {
				if v := number(i); !math.IsNaN(v) && !yield(v) {
					return
				}
			}
		}, scale.KnotsOf(t.Cols()))
		known = &f
	}
	f := *known
	if f.N == 0 {
		c.Kind, c.Why = Ignored, emptyColumn
		return nil
	}
	c.Kind, c.Size = Number, 1
	if c.Indicator = f.N < len(rows); c.Indicator {
		c.Size = 2
	}
	c.setScale(f, kind)
	return nil
}

// fitText fits a column with texts: numbers with a unit, dates or categories.
func (c *Column) fitText(t *Table, cells *column, rows []int, r Recipe) error {
	if !slices.ContainsFunc(rows, func(i int) bool { return cells.code[i] >= 0 }) {
		c.Kind, c.Why = Ignored, emptyColumn
		return nil
	}
	known := cells
	format, ambiguous := formatOf(known, t.comma)
	layout, either := layoutOf(known)
	if words := cells.absentWords(); format == nil && layout == "" && !ambiguous && !either && words != nil {
		known = cells.without(words)
		format, ambiguous = formatOf(known, t.comma)
		if layout, either = layoutOf(known); format != nil || layout != "" {
			c.Absent = words
		}
	}
	switch {
	case ambiguous:
		return &data.InputError{
			File: t.Name, Line: cells.firstText.Line, Column: cells.firstText.Column,
			Problem: fmt.Sprintf("%q is a number with a comma in it", clip(cells.firstText.text)),
			Advice:  "the column does not say whether of thousands or of decimals; write a decimal point and no commas",
		}
	case format != nil:
		c.Format = format
		return c.fitNumber(t, cells, rows, r.Scale, nil)
	}
	if layout != "" {
		c.fitDate(cells, rows, r, layout, scale.KnotsOf(t.Cols()))
		return nil
	}
	if c.fitWords(cells, rows) {
		return nil
	}
	c.fitCategory(cells, rows)
	if !either {
		return nil
	}
	if c.Note = "dates whose day and month cannot be told apart"; c.Kind == Ignored {
		c.Why, c.Note = c.Note+", "+c.Why, ""
	}
	return nil
}

func (c *Column) fitCategory(cells *column, rows []int) {
	known := map[string]bool{}
	present := 0
	for _, i := range rows {
		if key, ok := cells.key(i); ok {
			known[key] = true
			present++
		}
	}
	switch {
	case present >= manyRows && 10*len(known) >= 9*present:
		c.Kind, c.Why = Ignored, "different in nearly every row"
	default:
		c.Kind, c.Categories = Category, slices.Sorted(maps.Keys(known))
		c.Size = len(c.Categories)
		if c.Indicator = present < len(rows); c.Indicator {
			c.Size++
		}
	}
}

// clip shortens a cell to what fits a message.
func clip(s string) string { return data.Clip(s, 40) }
