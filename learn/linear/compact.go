package linear

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/run"
)

// compact holds sparse rows close together for descent, which reads them in
// random order again and again: 8 bytes a number where every value is a
// float32, and 12 elsewhere. Nothing is rounded.
type compact struct {
	start  []int
	index  []int32
	value  []float32 // nil where one of the values is no float32
	double []float64
}

// packStored is the least number of stored numbers for which a copy pays: fewer
// are in cache as they are.
const packStored = 1 << 17

// pack returns the sample with its rows in a random order and in compact form,
// and that order; or the sample as it is and nil, where not all rows are sparse,
// they hold little, or there is no memory for a copy. It is built in blocks of
// rows on several cores.
//
// In a random order, rows that lie side by side are as good to visit one after
// the other as any, and much faster to read.
func (s *sample) pack(ctx context.Context, ctl run.Control, seedOf uint64) (*sample, []int) {
	n := len(s.rows)
	stored := 0
	for _, x := range s.rows {
		if !x.IsSparse() {
			return s, nil
		}
		stored += len(x.Index)
	}
	if stored < packStored {
		return s, nil
	}
	if !ctl.Affords(12*float64(stored) + 64*float64(n)) {
		return s, nil
	}
	order := seed.Stream(seedOf, seed.Sketch, 0).Perm(n)
	s = s.permuted(order)
	start := make([]int, n+1)
	for i, x := range s.rows {
		start[i+1] = start[i] + len(x.Index)
	}
	c := &compact{start: start, index: make([]int32, stored), value: make([]float32, stored)}
	exact := make([]bool, par.Blocks(n, blockRows))
	err := par.For(ctx, ctl, "", len(exact), func(b int) error {
		exact[b] = true
		lo, hi := par.Range(b, n, blockRows)
		for i := lo; i < hi; i++ {
			copy(c.index[start[i]:start[i+1]], s.rows[i].Index)
			to := c.value[start[i]:start[i+1]]
			for k, v := range s.rows[i].Value {
				to[k] = float32(v)
				exact[b] = exact[b] && float64(to[k]) == v
			}
		}
		return nil
	})
	if err != nil {
		return s, order // cancelled: nothing will be read
	}
	for _, ok := range exact {
		if !ok {
			c.value, c.double = nil, make([]float64, stored)
			for i, x := range s.rows {
				copy(c.double[start[i]:start[i+1]], x.Value)
			}
			break
		}
	}
	s.compact = c
	return s, order
}

// permuted returns the sample with its rows in another order.
func (s *sample) permuted(order []int) *sample {
	t := &sample{unit: s.unit, dim: s.dim, rows: make([]data.Vector, len(order))}
	t.y, t.norm, t.weight = inOrder(s.y, order), inOrder(s.norm, order), inOrder(s.weight, order)
	for k, i := range order {
		t.rows[k] = s.rows[i]
	}
	return t
}

// inOrder returns v[order[0]], v[order[1]], …; v where there is no order, and
// nil for nil.
func inOrder(v []float64, order []int) []float64 {
	if v == nil || order == nil {
		return v
	}
	w := make([]float64, len(order))
	for k, i := range order {
		w[k] = v[i]
	}
	return w
}

// fromOrder undoes inOrder.
func fromOrder(w []float64, order []int) []float64 {
	if order == nil {
		return w
	}
	v := make([]float64, len(order))
	for k, i := range order {
		v[i] = w[k]
	}
	return v
}

// dot returns w·x of row i, in four sums over every fourth stored number.
func (c *compact) dot(w []float64, i int) float64 {
	lo, hi := c.start[i], c.start[i+1]
	if c.value != nil {
		return dotAt(w, c.index[lo:hi], c.value[lo:hi])
	}
	return dotAt(w, c.index[lo:hi], c.double[lo:hi])
}

// add adds a·x of row i to w.
func (c *compact) add(w []float64, i int, a float64) {
	lo, hi := c.start[i], c.start[i+1]
	if c.value != nil {
		addAt(w, a, c.index[lo:hi], c.value[lo:hi])
		return
	}
	addAt(w, a, c.index[lo:hi], c.double[lo:hi])
}

func dotAt[F float32 | float64](w []float64, index []int32, value []F) float64 {
	var s0, s1, s2, s3 float64
	value = value[:len(index)]
	for len(index) >= 4 && len(value) >= 4 {
		s0 += float64(value[0]) * w[uint32(index[0])]
		s1 += float64(value[1]) * w[uint32(index[1])]
		s2 += float64(value[2]) * w[uint32(index[2])]
		s3 += float64(value[3]) * w[uint32(index[3])]
		index, value = index[4:], value[4:]
	}
	for k, j := range index {
		s0 += float64(value[k]) * w[uint32(j)]
	}
	return (s0 + s2) + (s1 + s3)
}

func addAt[F float32 | float64](w []float64, a float64, index []int32, value []F) {
	value = value[:len(index)]
	for len(index) >= 4 && len(value) >= 4 {
		w[uint32(index[0])] += a * float64(value[0])
		w[uint32(index[1])] += a * float64(value[1])
		w[uint32(index[2])] += a * float64(value[2])
		w[uint32(index[3])] += a * float64(value[3])
		index, value = index[4:], value[4:]
	}
	for k, j := range index {
		w[uint32(j)] += a * float64(value[k])
	}
}
