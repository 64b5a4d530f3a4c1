package table

import (
	"slices"
	"strings"
)

// Words that may stand for a missing value in a column of numbers or dates: few different
// ones, without a digit, in few of the cells.
const (
	mostAbsent   = 5
	absentPart   = 0.1
	leastNumbers = 20 // cells that must be left
)

// absentWords returns the words of a column that may stand for what is missing among
// numbers or dates, such as "unknown", sorted; nil where there are none or too many.
func (c *column) absentWords() []string {
	word := make([]bool, len(c.entry))
	var out []string
	for k, e := range c.entry {
		if word[k] = e.content == text && !strings.ContainsAny(e.text, "0123456789"); word[k] {
			if out = append(out, e.text); len(out) > mostAbsent {
				return nil
			}
		}
	}
	words, others := 0, 0
	for _, code := range c.code {
		switch {
		case code < 0:
		case word[code]:
			words++
		default:
			others++
		}
	}
	if others < leastNumbers || float64(words) > absentPart*float64(words+others) {
		return nil
	}
	slices.Sort(out)
	return out
}

// without returns the different cells of a column but for some words.
func (c *column) without(words []string) *column {
	entries := slices.DeleteFunc(slices.Clone(c.entry), func(e entry) bool { return slices.Contains(words, e.text) })
	return &column{entry: entries, firstPoint: c.firstPoint}
}

// absentNote says which words count as missing.
func (c *Column) absentNote() string {
	var quoted []string
	for _, w := range c.Absent {
		quoted = append(quoted, `"`+clip(w)+`"`)
	}
	if len(quoted) == 1 {
		return quoted[0] + " counts as missing"
	}
	return strings.Join(quoted, ", ") + " count as missing"
}

// validAbsent reports whether the words are such as absentWords returns.
func (c *Column) validAbsent() bool {
	return len(c.Absent) == 0 || (c.Kind == Date || c.Kind == Number && c.Format != nil) && len(c.Absent) <= mostAbsent &&
		slices.IsSorted(c.Absent)
}
