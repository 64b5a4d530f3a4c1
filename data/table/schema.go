package table

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data/scale"
)

// Kind is what a column is used as.
type Kind string

// The kinds of columns.
const (
	Number   Kind = "number"   // one coordinate, and one more if training had missing values
	Category Kind = "category" // one coordinate a category, 1 for the one in the cell, and one more as above
	Date     Kind = "date"     // its time, a sine and a cosine of each part that varies, and one more as above
	Text     Kind = "text"     // one coordinate a word, and one more as above; they stand behind all others
	Ignored  Kind = "ignored"
	Target   Kind = "target"
	Weight   Kind = "weight" // of the rows
)

// Schema says how the rows of a table become vectors. Fit makes one; it is plain
// data that encoding/json writes and reads. It is immutable and safe for
// concurrent use.
type Schema struct {
	Columns []Column `json:"columns"` // all columns of the file, in its order
	Target  int      `json:"target"`  // index of the target in Columns, -1 for none
	Width   int      `json:"width"`   // number of coordinates
	Header  bool     `json:"header"`  // whether the names come from a header
	Comma   string   `json:"comma"`   // what separated the cells
	// Scale is that of numbers. Categories, which are 0 or 1 already, are not
	// scaled.
	Scale scale.Kind `json:"scale"`
}

// Column is one column of a Schema. Its coordinates are Offset to Offset + Size
// - 1.
type Column struct {
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Why    string `json:"why,omitempty"`  // why it is ignored
	Note   string `json:"note,omitempty"` // what else is to be said about it
	Offset int    `json:"offset"`
	Size   int    `json:"size"`

	// A number x becomes (Curve(x) - Center)/Spread, or 0 if Spread is 0; Curve is
	// nil for the identity. Mean stands in for a missing one. Scale is that of the
	// column where that of the schema is mixed.
	Scale  scale.Kind   `json:"scale,omitempty"`
	Mean   float64      `json:"mean"`
	Center float64      `json:"center"`
	Spread float64      `json:"spread"`
	Curve  *scale.Curve `json:"curve,omitempty"`

	// Format is how numbers are written, nil for plainly. Layout is how dates are, in
	// the notation of package time; they are numbers of days since 1970, and sines and
	// cosines of the angles of Parts: year, week and day.
	Format *Format  `json:"format,omitempty"`
	Layout string   `json:"layout,omitempty"`
	Parts  []string `json:"parts,omitempty"`
	Absent []string `json:"absent,omitempty"` // words that stand for a missing number or date

	// Indicator says that the last coordinate is 1 where the cell is missing, or
	// holds an unknown category, and 0 elsewhere.
	Indicator bool `json:"indicator,omitempty"`

	// The categories seen in training, in increasing order of bytes. Category k
	// is a 1 at coordinate Offset + k; of a missing or unknown one these are all
	// zeros.
	Categories []string `json:"categories,omitempty"`

	// Words are those of texts, in increasing order of bytes, and Weights their inverse
	// document frequencies.
	Words   []string  `json:"words,omitempty"`
	Weights []float64 `json:"weights,omitempty"`

	// Statistics are coordinates of categories in the place of these, after those of
	// the most frequent; nil for none.
	Statistics *Statistics `json:"statistics,omitempty"`
}

// Options returns the options to read a file that is to be encoded by the
// schema: same separator, and its names to recognise a header by. Encode finds
// the target by itself.
func (s *Schema) Options(name string) Options {
	o := Options{Name: name, Target: "none"}
	for _, c := range s.Comma {
		o.Comma = c
	}
	if s.Header {
		for _, c := range s.Columns {
			o.Names = append(o.Names, c.Name)
		}
	}
	return o
}

// weight returns the index of the weight in Columns, -1 for none.
func (s *Schema) weight() int {
	return slices.IndexFunc(s.Columns, func(c Column) bool { return c.Kind == Weight })
}

// WeightAt returns the column of a table that has the weights of its rows, -1
// where the schema has none or the table lacks it.
func (s *Schema) WeightAt(t *Table) (int, error) {
	j := s.weight()
	if j < 0 {
		return -1, nil
	}
	place, err := s.places(t)
	if err != nil {
		return -1, err
	}
	return place[j], nil
}

// features returns how many columns give coordinates.
func (s *Schema) features() int {
	n := 0
	for _, c := range s.Columns {
		if c.Size > 0 {
			n++
		}
	}
	return n
}

// IsSparse reports whether Encode returns a *data.CSR: whether there are more
// than twice as many coordinates as columns behind them.
func (s *Schema) IsSparse() bool { return s.Width > 2*s.features() }

// manyWords is how many different words a text is taken to have.
const manyWords = 100

// Bytes returns how much memory Encode needs for so many rows.
func (s *Schema) Bytes(rows int) float64 {
	if s.IsSparse() {
		stored := s.features()
		for _, c := range s.Columns {
			if c.Statistics != nil {
				stored += len(c.Statistics.Names)
			}
			stored += 2 * len(c.Parts)
			if c.Kind == Text {
				stored += min(len(c.Words), manyWords)
			}
		}
		return 2.25 * 12 * float64(rows) * float64(stored) // lists of values grow to it
	}
	return 8 * float64(rows) * float64(s.Width)
}

// Coordinates names the coordinates: the name of the column of a number,
// column=category for a category, and the name with " missing" for an indicator.
func (s *Schema) Coordinates() []string {
	names := make([]string, 0, s.Width)
	for _, j := range s.inOrder() {
		c := &s.Columns[j]
		switch c.Kind {
		case Number:
			names = append(names, c.Name)
		case Date:
			names = append(names, c.dateNames()...)
		case Text:
			for _, word := range c.Words {
				names = append(names, c.Name+" has "+word)
			}
		}
		for _, category := range c.single() {
			names = append(names, c.Name+"="+category)
		}
		if c.Statistics != nil {
			for _, name := range c.Statistics.Names {
				names = append(names, c.Name+" "+name)
			}
		}
		if c.Indicator {
			names = append(names, c.Name+" missing")
		}
	}
	return names
}

// single returns the categories that have a coordinate of their own.
func (c *Column) single() []string {
	if c.Statistics == nil {
		return c.Categories
	}
	out := make([]string, len(c.Statistics.Frequent))
	for at, k := range c.Statistics.Frequent {
		out[at] = c.Categories[k]
	}
	return out
}

// Numbers returns the coordinates of the columns of numbers, and of the time of dates.
func (s *Schema) Numbers() []int {
	var out []int
	for _, c := range s.Columns {
		if c.isScaled() {
			out = append(out, c.Offset)
		}
	}
	return out
}

// Scales says in a line what the scale of the columns is, such as "standard", or
// "mixed: log of income; standard of age, height".
func (s *Schema) Scales() string {
	if s.Scale != scale.Mixed {
		return string(s.Scale)
	}
	var parts []string
	for _, k := range scale.Kinds() {
		var names []string
		for _, c := range s.Columns {
			if c.Scale == k {
				names = append(names, c.Name)
			}
		}
		if names != nil {
			parts = append(parts, fmt.Sprintf("%s of %s", k, list(names)))
		}
	}
	return strings.TrimSuffix(string(s.Scale)+": "+strings.Join(parts, "; "), ": ")
}

// Summary says in a line what became of the columns, such as
// "14 columns: 6 numbers, 8 categories → 105 coordinates; ignored: name (constant)".
// The target and the weight are not counted.
func (s *Schema) Summary() string {
	count, statistics := map[Kind]int{}, 0
	var ignored, notes []string
	for _, c := range s.Columns {
		count[c.Kind]++
		if c.Statistics != nil {
			statistics++
		}
		if note := c.note(); note != "" {
			notes = append(notes, c.Name+" ("+note+")")
		}
		if c.Kind == Ignored {
			ignored = append(ignored, strings.TrimSuffix(fmt.Sprintf("%s (%s)", c.Name, c.Why), " ()"))
		}
	}
	var kinds []string
	if n := count[Number]; n > 0 {
		kinds = append(kinds, plural(n, "number", "numbers"))
	}
	if n := count[Category]; n > 0 {
		text := plural(n, "category", "categories")
		if statistics > 0 {
			text += fmt.Sprintf(" (%d by statistics of the target)", statistics)
		}
		kinds = append(kinds, text)
	}
	if n := count[Date]; n > 0 {
		kinds = append(kinds, plural(n, "date", "dates"))
	}
	if n := count[Text]; n > 0 {
		kinds = append(kinds, plural(n, "text", "texts"))
	}
	text := fmt.Sprintf("%s: %s → %s", plural(len(s.Columns)-count[Target]-count[Weight], "column", "columns"),
		strings.Join(kinds, ", "), plural(s.Width, "coordinate", "coordinates"))
	if len(notes) > 0 {
		text += "; read: " + list(notes)
	}
	if len(ignored) > 0 {
		text += "; ignored: " + list(ignored)
	}
	return text
}

// note is what a summary says of a column that is used.
func (c *Column) note() string {
	switch {
	case len(c.Absent) > 0:
		plain := *c
		plain.Absent = nil
		if words := plain.note(); words != "" && !plain.Format.plain() {
			return words + "; " + c.absentNote()
		}
		return c.absentNote()
	case c.Kind == Number && c.Format != nil:
		return cmp.Or(c.Format.words(), "with signs between thousands")
	case c.Kind == Date:
		return shown(c.Layout)
	}
	return c.Note
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Validate reports every fault of a schema that was read from a file.
func (s *Schema) Validate() error {
	var all error
	fault := func(format string, args ...any) { all = errors.Join(all, fmt.Errorf("schema: "+format, args...)) }
	if s.Target < -1 || s.Target >= len(s.Columns) || s.Target >= 0 && s.Columns[s.Target].Kind != Target {
		fault("target is %d and no column is", s.Target)
	}
	if len(s.Comma) != 1 {
		fault("comma is %q and must be one character", s.Comma)
	}
	if _, err := scale.Parse(string(s.Scale)); err != nil {
		fault("%w", err)
	}
	width, weights := 0, 0
	for _, j := range s.inOrder() {
		c := &s.Columns[j]
		if c.Kind == Weight {
			weights++
		}
		if !c.valid() || c.Kind == Target && j != s.Target || c.Offset != width {
			fault("column %d (%q) is inconsistent", j+1, c.Name)
		}
		width += c.Size
	}
	if weights > 1 {
		fault("%d columns are the weight and at most one may be", weights)
	}
	if width != s.Width {
		fault("width is %d and the columns have %d coordinates", s.Width, width)
	}
	return all
}

// valid reports whether the parts of a column fit together.
func (c *Column) valid() bool {
	size := 0
	switch c.Kind {
	case Number:
		size = 1
	case Date:
		if !c.validDate() {
			return false
		}
		size = 1 + 2*len(c.Parts)
	case Text:
		if !c.validWords() {
			return false
		}
		size = len(c.Words)
	case Category:
		size = len(c.Categories)
		if c.Statistics != nil {
			if !c.Statistics.valid(len(c.Categories)) {
				return false
			}
			size = len(c.Statistics.Frequent) + len(c.Statistics.Names)
		}
	case Ignored, Target, Weight:
	default:
		return false
	}
	if c.Indicator && size == 0 || c.Statistics != nil && c.Kind != Category || !c.validScale() ||
		c.Format != nil && (c.Kind != Number || !c.Format.valid()) || !c.validAbsent() ||
		c.Kind != Date && (c.Layout != "" || c.Parts != nil) || c.Kind != Text && (c.Words != nil || c.Weights != nil) {
		return false
	}
	if c.Indicator {
		size++
	}
	sorted := slices.IsSorted(c.Categories) && len(slices.Compact(slices.Clone(c.Categories))) == len(c.Categories)
	return c.Size == size && (c.Kind == Category || c.Categories == nil) && sorted && c.Spread >= 0
}

// validScale reports whether the scale of a column is one.
func (c *Column) validScale() bool {
	if c.Scale != "" {
		if k, err := scale.Parse(string(c.Scale)); err != nil || k == scale.Mixed || !c.isScaled() {
			return false
		}
	}
	return c.Curve == nil || c.isScaled() && c.Curve.Validate() == nil
}

func (c *Column) isScaled() bool { return c.Kind == Number || c.Kind == Date }
