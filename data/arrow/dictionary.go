package arrow

import "sort"

// dictionary holds the values that indices stand for: those of one batch, and of
// others that came later and add to them.
type dictionary struct {
	values layout
	parts  []*cells
	ends   []int // values in the parts up to each
	taken  int64 // bytes of store that it holds
}

// add puts values behind those that are there, or in their place.
func (d *dictionary) add(values *cells, more bool) {
	if !more {
		d.parts, d.ends = nil, nil
	}
	if values.rows == 0 {
		return
	}
	d.parts = append(d.parts, values)
	d.ends = append(d.ends, d.size()+values.rows)
}

func (d *dictionary) size() int {
	if len(d.ends) == 0 {
		return 0
	}
	return d.ends[len(d.ends)-1]
}

// find returns where value k stands, nil if there is none.
func (d *dictionary) find(k int64) (*cells, int) {
	if k < 0 || k >= int64(d.size()) {
		return nil, 0
	}
	i := sort.SearchInts(d.ends, int(k)+1)
	return d.parts[i], int(k) - (d.ends[i] - d.parts[i].rows)
}
