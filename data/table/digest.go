package table

import (
	"cmp"
	"math"
	"strings"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Digest returns a number of the cells of a row. Rows whose cells stand for the same numbers,
// categories and texts have the same; see Compare.
func (t *Table) Digest(row int) uint64 {
	h := uint64(len(t.column))
	for _, c := range t.column {
		switch content, v, text := c.meant(row); content {
		case number:
			h = seed.Digest(h, math.Float64bits(v))
		case missing:
			h = seed.Digest(h, 1)
		default:
			h = seed.DigestText(seed.Digest(h, 2), text)
		}
	}
	return h
}

// Compare orders two rows by their cells, one column after the other: missing cells come first,
// then numbers, then texts. It is 0 for rows that are copies of each other.
func (t *Table) Compare(row, other int) int {
	for _, c := range t.column {
		a, v, s := c.meant(row)
		b, w, u := c.meant(other)
		values := cmp.Compare(math.Float64bits(v), math.Float64bits(w))
		if d := cmp.Or(cmp.Compare(a, b), values, strings.Compare(s, u)); d != 0 {
			return d
		}
	}
	return 0
}

// meant returns what a cell stands for: nothing, a number, or a text, as which what reads as
// no finite number counts.
func (c *column) meant(row int) (content, float64, string) {
	if c.code == nil {
		if v := c.value[row]; v == v {
			return number, v, ""
		}
		if len(c.odd) == 0 {
			return missing, 0, ""
		}
	}
	switch e, there := c.entryAt(row); {
	case !there:
		return missing, 0, ""
	case e.content == number:
		return number, e.value, ""
	default:
		return text, 0, e.text
	}
}
