package dataset

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data/table"
)

// The signs by which columns are told apart.
const (
	mostClasses = 30   // different values of a column that may be classes
	fewClasses  = 10   // the same of whole numbers
	classRows   = 3    // rows of a class, on average
	lookRows    = 2000 // rows that are looked at, evenly spread

	longestNumber = 64 // letters

	freeRows   = 20 // from which on texts that are different in nine rows of ten are no categories
	longText   = 20 // letters of a text that is no name of a category
	fewestLong = 4  // rows from which on such texts are looked at
)

// look is what a column looks like.
type look struct {
	name     string // empty where there is none
	present  int    // cells that are not missing
	distinct int
	numbers  int
	whole    bool // numbers are whole
	counts   bool // numbers are those of the rows, from 0 or 1
	length   float64
	values   map[string]bool // different ones, some of them where there are many
}

// lookAt looks at n cells, of which row says where they stand and cell what they are,
// false for one that is missing.
func lookAt(name string, n int, row func(i int) int, cell func(i int) (string, bool)) look {
	l := look{name: name, whole: true, counts: true, values: map[string]bool{}}
	first := math.NaN()
	for i := range n {
		text, ok := cell(i)
		if !ok {
			continue
		}
		l.present++
		l.length += float64(utf8.RuneCountInString(text))
		v, err := 0.0, error(strconv.ErrSyntax)
		if len(text) <= longestNumber {
			v, err = strconv.ParseFloat(text, 64)
		}
		if err == nil && v-v == 0 {
			l.numbers++
			text = strconv.FormatFloat(v, 'g', -1, 64)
			l.whole = l.whole && v == math.Trunc(v)
			if l.numbers == 1 {
				first = v - float64(row(i))
			}
			l.counts = l.counts && v-float64(row(i)) == first
		}
		l.values[text] = true
	}
	l.distinct = len(l.values)
	l.length /= float64(max(l.present, 1))
	l.counts = l.counts && l.numbers == n && n >= freeRows && (first == 0 || first == 1)
	return l
}

// lookTable looks at the columns of a table.
func lookTable(t *table.Table) []look {
	n := min(t.Len(), lookRows)
	row := func(i int) int { return i * t.Len() / n }
	place := row
	if t.Places != nil {
		place = func(i int) int { return t.Places[row(i)] }
	}
	out := make([]look, t.Cols())
	for j := range out {
		name := ""
		if t.Header != nil {
			name = t.Header[j]
		}
		out[j] = lookAt(name, n, place, func(i int) (string, bool) { return t.Cell(row(i), j) })
	}
	return out
}

// lookSample looks at the columns of rows that all have as many cells; nil for others.
func lookSample(names []string, rows [][]table.Cell) []look {
	if len(rows) == 0 {
		return nil
	}
	for _, r := range rows {
		if len(r) != len(rows[0]) || names != nil && len(names) != len(r) {
			return nil
		}
	}
	out := make([]look, len(rows[0]))
	for j := range out {
		name := ""
		if names != nil {
			name = names[j]
		}
		out[j] = lookAt(name, len(rows), func(i int) int { return i }, func(i int) (string, bool) {
			c := rows[i][j]
			return c.Text, c.Text != "" && (c.Quoted || !table.IsMissing(c.Text))
		})
	}
	return out
}

// isBlank reports a column without any cell.
func (l *look) isBlank() bool { return l.present == 0 }

// isNumber reports a column of numbers.
func (l *look) isNumber() bool { return l.numbers == l.present && l.present > 0 }

// isClasses reports a column with few different values, several rows each.
func (l *look) isClasses() bool {
	several := l.distinct <= 2 || classRows*l.distinct <= l.present
	switch {
	case l.isBlank() || !several:
		return false
	case l.isNumber():
		return l.whole && l.distinct <= fewClasses
	}
	return l.distinct <= mostClasses && !l.isFree()
}

// isFree reports texts that are no categories: different in nearly every row, or long
// and different in every other.
func (l *look) isFree() bool {
	switch {
	case l.isBlank() || l.isNumber():
		return false
	case l.present >= freeRows && 10*l.distinct >= 9*l.present:
		return true
	}
	return l.present >= fewestLong && 2*l.distinct >= l.present && l.distinct > 2 && l.length >= longText
}

// isKey reports a column that numbers or names the rows: whole numbers that count, or
// a name that says so over values that are all different.
func (l *look) isKey() bool {
	if l.isBlank() || l.distinct < l.present || l.present < fewestLong {
		return false
	}
	if l.isNumber() && l.counts {
		return true
	}
	name := strings.ToLower(strings.TrimSpace(l.name))
	switch name {
	case "id", "index", "row", "key", "uuid", "guid", "unnamed: 0", "rownames", "row_names":
		return !l.isNumber() || l.whole
	}
	return strings.HasSuffix(name, "_id") && (!l.isNumber() || l.whole)
}
