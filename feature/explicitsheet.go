package feature

import (
	"math/bits"
	"sync/atomic"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/order"
)

// sheet is what the features of an instance are gathered on. It is used again from
// instance to instance.
type sheet struct {
	index  []int32 // coordinates, or buckets before these have some
	value  []float64
	keys   []uint64  // of a leaf: bucket and place of emission
	weight []float64 // and what was emitted there
	order  order.Hashed
}

// clear takes away the features of an instance.
func (s *sheet) clear() { s.keep(0) }

// keep leaves the first n features.
func (s *sheet) keep(n int) { s.index, s.value = s.index[:n], s.value[:n] }

// vector returns a copy of the features.
func (s *sheet) vector() data.Vector {
	index, value := make([]int32, len(s.index)), make([]float64, len(s.value))
	copy(index, s.index)
	copy(value, s.value)
	return data.Vector{Index: index, Value: value}
}

// merge puts the features of several parts, from the first on, in the order of their
// coordinates, and adds up those of one in the order of the parts.
func (s *sheet) merge(first int) {
	s.keys, s.weight = s.keys[:0], append(s.weight[:0], s.value[first:]...)
	for i, at := range s.index[first:] {
		s.keys = append(s.keys, uint64(at)<<32|uint64(i))
	}
	s.order.Sort(s.keys)
	s.keep(first)
	for _, k := range s.keys {
		at, v := int32(k>>32), s.weight[uint32(k)]
		if n := len(s.index); n > first && s.index[n-1] == at {
			s.value[n-1] += v
		} else {
			s.index, s.value = append(s.index, at), append(s.value, v)
		}
	}
}

// distinct leaves each coordinate once, without its value.
func (s *sheet) distinct() {
	s.keys = s.keys[:0]
	for _, at := range s.index {
		s.keys = append(s.keys, uint64(at)<<32)
	}
	s.order.Sort(s.keys)
	s.index = s.index[:0]
	for i, k := range s.keys {
		if i == 0 || k != s.keys[i-1] {
			s.index = append(s.index, int32(k>>32))
		}
	}
}

// found is what a sample fills: which buckets, and with count how many instances each.
// It is safe for concurrent use.
type found struct {
	buckets int
	filled  []uint64 // bits
	count   []uint32 // nil for not at all
}

func newFound(buckets int, counted bool) *found {
	if counted {
		return &found{buckets: buckets, count: make([]uint32, buckets)}
	}
	return &found{buckets: buckets, filled: make([]uint64, (buckets+63)/64)}
}

// add adds the buckets of an instance. Those that are counted must differ.
func (f *found) add(buckets []int32) {
	if f.count != nil {
		for _, b := range buckets {
			atomic.AddUint32(&f.count[b], 1)
		}
		return
	}
	for _, b := range buckets {
		w, bit := &f.filled[b>>6], uint64(1)<<(b&63)
		if atomic.LoadUint64(w)&bit == 0 {
			atomic.OrUint64(w, bit)
		}
	}
}

// tally returns the buckets that so many instances fill.
func (f *found) tally(rows int) Tally {
	t := Tally{Buckets: f.buckets, Rows: rows}
	for b, c := range f.count {
		if c > 0 {
			t.Bucket, t.In = append(t.Bucket, int32(b)), append(t.In, int32(c))
		}
	}
	for w, set := range f.filled {
		for ; set != 0; set &= set - 1 {
			t.Bucket = append(t.Bucket, int32(w<<6+bits.TrailingZeros64(set)))
		}
	}
	return t
}

// places are the coordinates of buckets, which are in the same order: how many filled
// buckets stand before 64 of them, and which of these are filled.
type places []struct {
	filled uint64
	before int32
}

func newPlaces(buckets int, filled []int32) places {
	p := make(places, (buckets+63)/64)
	for _, b := range filled {
		p[b>>6].filled |= 1 << (b & 63)
	}
	before := 0
	for w := range p {
		p[w].before = int32(before)
		before += bits.OnesCount64(p[w].filled)
	}
	return p
}

// of returns the coordinate of a bucket, -1 for none.
func (p places) of(bucket int32) int32 {
	w, bit := &p[bucket>>6], uint64(1)<<(bucket&63)
	if w.filled&bit == 0 {
		return -1
	}
	return w.before + int32(bits.OnesCount64(w.filled&(bit-1)))
}
