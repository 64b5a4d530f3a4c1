package sums

import (
	"maps"
	"slices"
)

// Counts are how often categories come, of the Most that matter. As long as there are
// no more than that they are exact. Beyond, the least frequent give way (Misra and
// Gries 1982, merged as by Agarwal et al. 2012): a count is then too small by at most
// Lost, which is at most the sum of all counts divided by Most + 1, and a category that
// is not among them came at most Lost times.
type Counts struct {
	Most int // at least 1
	Lost int

	of map[string]int
}

// NewCounts returns the counts of no categories.
func NewCounts(most int) *Counts { return &Counts{Most: max(most, 1), of: map[string]int{}} }

// Add counts a category n times more. Categories of a block are to be added in a fixed
// order, since beyond Most it decides which of those that are equally frequent stay.
func (c *Counts) Add(category string, n int) {
	if n <= 0 {
		return
	}
	c.of[category] += n
	if len(c.of) > 2*c.Most { // half of the work is amortised
		c.shrink()
	}
}

// Exact reports whether nothing was lost.
func (c *Counts) Exact() bool {
	c.settle()
	return c.Lost == 0
}

// settle leaves Most categories at most.
func (c *Counts) settle() {
	if len(c.of) > c.Most {
		c.shrink()
	}
}

// shrink takes the count of the first category that has no place off all others.
func (c *Counts) shrink() {
	all := slices.Sorted(maps.Values(c.of))
	less := all[len(all)-1-c.Most]
	for k, n := range c.of {
		if n <= less {
			delete(c.of, k)
		} else {
			c.of[k] = n - less
		}
	}
	c.Lost += less
}

// Merge adds the counts over other rows.
func (c *Counts) Merge(other *Counts) {
	for k, n := range other.of {
		c.of[k] += n
	}
	c.Lost += other.Lost
	c.settle()
}

// Categories returns the categories in increasing order of bytes.
func (c *Counts) Categories() []string {
	c.settle()
	return slices.Sorted(maps.Keys(c.of))
}

// Of returns the count of a category.
func (c *Counts) Of(category string) int {
	c.settle()
	return c.of[category]
}

// AppendBinary adds the binary form to b.
func (c *Counts) AppendBinary(b []byte) ([]byte, error) {
	names := c.Categories()
	b = putCount(putCount(putCount(append(b, tagCounts), c.Most), c.Lost), len(names))
	for _, name := range names {
		b = putCount(append(putCount(b, len(name)), name...), c.of[name])
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (c *Counts) UnmarshalBinary(b []byte) error {
	r := read(b, tagCounts)
	one := &Counts{Most: r.count(0), Lost: r.count(0), of: map[string]int{}}
	before := ""
	for i := range r.count(2) {
		name, n := r.text(), r.count(0)
		if r.bad || n == 0 || i > 0 && name <= before {
			r.bad = true
			break
		}
		one.of[name], before = n, name
	}
	if one.Most < 1 || len(one.of) > one.Most {
		r.bad = true
	}
	if err := r.end("counts"); err != nil {
		return err
	}
	*c = *one
	return nil
}
