package dataset

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// Pick returns some of the rows, by their places among these.
func (r *Rows) Pick(index []int) *Rows { return r.pick(index) }

// pick returns some of the rows.
func (r *Rows) pick(index []int) *Rows {
	out := *r
	out.Labels, out.Weights, out.Notes = chosen(r.Labels, index), chosen(r.Weights, index), nil
	switch {
	case r.table != nil:
		out.table = r.table.Select(index)
	case r.vectors != nil:
		out.vectors = copied(data.Subset[data.Vector]{Of: r.vectors, Index: index}, r.vectors)
	case r.texts != nil:
		out.texts = chosen(r.texts, index)
	default:
		out.sets = chosen(r.sets, index)
	}
	return &out
}

// chosen returns the elements of a list that another list names, nil of none.
func chosen[L ~[]E, E any](list L, index []int) L {
	if list == nil {
		return nil
	}
	out := make(L, len(index))
	for i, j := range index {
		out[i] = list[j]
	}
	return out
}

// copied returns a copy of vectors, dense if they are stored so in like.
func copied(x data.Source[data.Vector], like data.Source[data.Vector]) data.Source[data.Vector] {
	if dense, ok := like.(*data.Matrix); ok {
		m := data.NewMatrix(x.Len(), dense.Cols)
		for i := range m.Rows {
			x.At(i).CopyTo(m.Row(i))
		}
		return m
	}
	m := &data.CSR{Cols: data.Dim(like), Ptr: []int{0}}
	for i := range x.Len() {
		v := x.At(i)
		index := v.Index
		if !v.IsSparse() {
			index = make([]int32, len(v.Value))
			for j := range index {
				index[j] = int32(j)
			}
		}
		m.Append(index, v.Value)
	}
	return m
}

// Join returns the rows of parts that Stream handed over, one after the other: parts
// of one file.
func Join(parts []*Rows) *Rows { return joined(parts) }

// joined returns the rows of parts of a file one after the other.
func joined(parts []*Rows) *Rows {
	last := parts[len(parts)-1]
	out := *last
	out.Labels, out.Weights, out.Notes, out.first = nil, nil, nil, parts[0].first
	var tables []*table.Table
	var vectors rowsOf
	for _, p := range parts {
		out.Labels, out.Weights = append(out.Labels, p.Labels...), append(out.Weights, p.Weights...)
		out.Notes = append(out.Notes, p.Notes...)
		tables, vectors = append(tables, p.table), append(vectors, p.vectors)
	}
	switch {
	case last.table != nil:
		out.table = table.Concat(tables)
	case last.vectors != nil:
		out.vectors = copied(vectors, vectors.widest())
	case last.texts != nil:
		out.texts = nil
		for _, p := range parts {
			out.texts = append(out.texts, p.texts...)
		}
	default:
		out.sets = nil
		for _, p := range parts {
			out.sets = append(out.sets, p.sets...)
		}
	}
	return &out
}

// rowsOf is vectors of several sources, one after the other.
type rowsOf []data.Source[data.Vector]

// Len returns the number of vectors.
func (r rowsOf) Len() int {
	n := 0
	for _, x := range r {
		n += x.Len()
	}
	return n
}

// At returns vector i.
func (r rowsOf) At(i int) data.Vector {
	k := 0
	for i >= r[k].Len() {
		i -= r[k].Len()
		k++
	}
	return r[k].At(i)
}

// widest returns the source of the most coordinates.
func (r rowsOf) widest() data.Source[data.Vector] {
	best := r[0]
	for _, x := range r {
		if data.Dim(x) > data.Dim(best) {
			best = x
		}
	}
	return best
}
