package table

import "math"

// Numbers that are levels: of so many different values, whole ones, each in several rows.
const (
	leastLevels = 3
	mostLevels  = 10
	levelRows   = 5
)

// isLevels reports whether the numbers of a column, among some rows, are so few different
// ones that each may be a category: counts of legs, grades, codes. Of two values a
// coordinate each would say no more than the number does.
func (c *column) isLevels(rows []int) bool {
	if !c.isNumeric() || c.firstOdd.Line != 0 {
		return false
	}
	known, present := map[float64]bool{}, 0
	for _, i := range rows {
		v := c.number(i)
		if math.IsNaN(v) {
			continue
		}
		if present++; !known[v] && (v != math.Trunc(v) || len(known) == mostLevels) {
			return false
		}
		known[v] = true
	}
	return len(known) >= leastLevels && present >= levelRows*len(known)
}

// SameColumns reports whether two schemas of a table make the same coordinates of the
// same columns, whatever the scale of numbers is.
func (s *Schema) SameColumns(other *Schema) bool {
	if len(s.Columns) != len(other.Columns) || s.Width != other.Width {
		return false
	}
	for j, c := range s.Columns {
		if o := &other.Columns[j]; c.Kind != o.Kind || c.Size != o.Size || c.Indicator != o.Indicator {
			return false
		}
	}
	return true
}
