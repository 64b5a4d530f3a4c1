package model

import (
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
)

// vectorColumns are the columns of vectors: ranges of coordinates.
type vectorColumns struct{ e *dataset.Encoding }

func (v vectorColumns) columns(x data.Source[data.Vector]) ([]Column, error) {
	if t := v.e.Table; t != nil {
		var out []Column
		for _, c := range t.Columns {
			if c.Size > 0 {
				out = append(out, Column{Name: c.Name, Rows: -1, lo: c.Offset, hi: c.Offset + c.Size})
			}
		}
		return out, nil
	}
	count := make([]int, data.Dim(x))
	for i := range x.Len() {
		one := x.At(i)
		for k, value := range one.Value {
			if value == 0 {
				continue
			}
			if one.IsSparse() {
				k = int(one.Index[k])
			}
			count[k]++
		}
	}
	names := v.names(len(count))
	var out []Column
	for j, n := range count {
		if n > 0 {
			out = append(out, Column{Name: names[j], Rows: n, lo: j, hi: j + 1})
		}
	}
	return out, nil
}

// names are those of so many coordinates: of a table those of its schema, else numbers.
func (v vectorColumns) names(width int) []string {
	if t := v.e.Table; t != nil {
		if names := t.Coordinates(); len(names) == width {
			return names
		}
	}
	first := 1 // numbers in their order are counted from 1
	if v.e.RowForm() == dataset.Indexed {
		first = 0
	}
	out := make([]string, width)
	for j := range out {
		out[j] = strconv.Itoa(j + first)
	}
	return out
}

func (vectorColumns) swap(a, b data.Vector, c Column) (data.Vector, bool) {
	if a.IsSparse() {
		return swapSparse(a, b, c.lo, c.hi)
	}
	value, changed := slices.Clone(a.Value), false
	for j := c.lo; j < c.hi; j++ {
		v := coordinateOf(b, j)
		if j >= len(value) {
			if v == 0 {
				continue
			}
			value = append(value, make([]float64, j+1-len(value))...)
		}
		changed = changed || value[j] != v
		value[j] = v
	}
	return data.Vector{Value: value}, changed
}

// swapSparse returns a sparse a with the coordinates lo to hi-1 of b.
func swapSparse(a, b data.Vector, lo, hi int) (data.Vector, bool) {
	out, changed := data.Vector{Index: make([]int32, 0, len(a.Index)+1)}, false
	before, _ := slices.BinarySearch(a.Index, int32(lo))
	after, _ := slices.BinarySearch(a.Index, int32(hi))
	out.Index, out.Value = append(out.Index, a.Index[:before]...), append(out.Value, a.Value[:before]...)
	for j := lo; j < hi; j++ {
		v := coordinateOf(b, j)
		changed = changed || v != coordinateOf(a, j)
		if v != 0 {
			out.Index, out.Value = append(out.Index, int32(j)), append(out.Value, v)
		}
	}
	out.Index, out.Value = append(out.Index, a.Index[after:]...), append(out.Value, a.Value[after:]...)
	return out, changed
}

func (vectorColumns) value(x data.Vector, c Column) string {
	if c.hi-c.lo > 1 {
		return ""
	}
	return strconv.FormatFloat(coordinateOf(x, c.lo), 'g', 6, 64)
}

func (vectorColumns) empty() (data.Vector, bool) { return data.Vector{Index: []int32{}}, true }

func (vectorColumns) text(data.Vector) string { return "" }

func (vectorColumns) equal(a, b data.Vector) bool {
	if !a.IsSparse() && !b.IsSparse() && len(a.Value) == len(b.Value) {
		return slices.Equal(a.Value, b.Value)
	}
	same := true
	data.Walk(a, b, func(_ int, v, w float64) { same = same && v == w })
	return same
}

// coordinateOf returns coordinate j of a vector.
func coordinateOf(v data.Vector, j int) float64 {
	if v.IsSparse() {
		k, found := slices.BinarySearch(v.Index, int32(j))
		if !found {
			return 0
		}
		return v.Value[k]
	}
	if j >= len(v.Value) {
		return 0
	}
	return v.Value[j]
}
