package model

import (
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/order"
)

// setColumns are the columns of sets: their items, or, of rows of a table, all items
// column=value of a column.
type setColumns struct{ e *dataset.Encoding }

func (s setColumns) columns(x data.Source[data.Set]) ([]Column, error) {
	if s.e.RowForm() == dataset.Columns {
		return s.tableColumns(), nil
	}
	count := map[string]int{}
	for i := range x.Len() {
		for _, item := range x.At(i) {
			count[item]++
		}
	}
	out := make([]Column, 0, len(count))
	for item, n := range count {
		out = append(out, Column{Name: item, Rows: n, item: item})
	}
	order.Stable(out, func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// tableColumns are those of a table whose rows are sets. A name may hold a = itself,
// and be the beginning of another.
func (s setColumns) tableColumns() []Column {
	var out []Column
	for _, c := range s.e.RowColumns() {
		out = append(out, Column{Name: c.Name, Rows: -1, item: c.Name + "=", prefix: true})
	}
	for j := range out {
		for k := range out {
			if j != k && strings.HasPrefix(out[k].item, out[j].item) {
				out[j].longer = append(out[j].longer, out[k].item)
			}
		}
	}
	return out
}

// holds reports an item of the column.
func (c *Column) holds(item string) bool {
	if !c.prefix {
		return item == c.item
	}
	return strings.HasPrefix(item, c.item) &&
		!slices.ContainsFunc(c.longer, func(p string) bool { return strings.HasPrefix(item, p) })
}

func (setColumns) swap(a, b data.Set, c Column) (data.Set, bool) {
	var kept, old, other []string
	for _, item := range a {
		if c.holds(item) {
			old = append(old, item)
		} else {
			kept = append(kept, item)
		}
	}
	for _, item := range b {
		if c.holds(item) {
			other = append(other, item)
		}
	}
	if slices.Equal(old, other) {
		return a, false
	}
	return data.NewSet(append(kept, other...)...), true
}

func (setColumns) value(x data.Set, c Column) string {
	for _, item := range x {
		switch {
		case c.holds(item) && c.prefix:
			return strings.TrimPrefix(item, c.item)
		case c.holds(item):
			return "there"
		}
	}
	if c.prefix {
		return ""
	}
	return "not there"
}

func (setColumns) empty() (data.Set, bool) { return data.Set{}, true }

func (setColumns) text(x data.Set) string { return strings.Join(x, ", ") }

func (setColumns) equal(a, b data.Set) bool { return slices.Equal(a, b) }
