package sums

import (
	"math"
	"slices"
)

// Quantiles are numbers by which the ranks of many others are known, each to within Error:
// levels of fewer than Size numbers, of which one of level h stands for 2^h of those that
// were added. A level that is full is sorted, and of each two neighbours one goes to the
// next level: the smaller ones, or the larger ones, of all pairs.
//
// The count of the numbers up to x that the levels tell is r or r ± 2^h after a level is
// halved: more where the smaller ones are kept, less where the larger ones are. Over and
// Under are the sums of these 2^h, so that the count is never off by more than +Over and
// -Under, whatever the numbers and their order. That side is taken which has the smaller
// sum so far. A level is halved once for k = Size numbers of it, and n/2^h come to it: each
// of the H = 1 + ⌊log₂(n/k)⌋ levels that were halved adds n/k at most, and since the
// two sides differ by n/k at most,
//
//	Error = max(Over, Under) ≤ (H + 1)·n/2k ,
//
// after merging as well. Fewer than Size numbers are all there, with their very ranks. So it
// was done by Munro and Paterson 1980 and Manku, Rajagopalan and Lindsay 1998. Adding takes
// O(log k) for a number.
type Quantiles struct {
	Size           int // even, at least 2
	Count, Missing int
	Over, Under    int
	Min, Max       float64 // 0 where Count is

	levels [][]float64 // in increasing order, but for the first
}

// NewQuantiles returns the quantiles of no numbers, with levels of so many.
func NewQuantiles(size int) *Quantiles { return &Quantiles{Size: max(size+size%2, 2)} }

// Add adds finite numbers, NaN for one that is missing.
func (q *Quantiles) Add(values []float64) {
	if len(q.levels) == 0 {
		q.levels = [][]float64{nil}
	}
	for _, v := range values {
		if v != v {
			q.Missing++
			continue
		}
		if q.Count == 0 {
			q.Min, q.Max = v, v
		}
		q.Min, q.Max = min(q.Min, v), max(q.Max, v)
		q.Count++
		if q.levels[0] = append(q.levels[0], v); len(q.levels[0]) >= q.Size {
			q.halve()
		}
	}
}

// halve halves all levels that are full, from the first on.
func (q *Quantiles) halve() {
	for h := 0; h < len(q.levels); h++ {
		v := q.levels[h]
		if len(v) < q.Size {
			continue
		}
		if h == 0 {
			slices.Sort(v)
		}
		if h+1 == len(q.levels) {
			q.levels = append(q.levels, nil)
		}
		from := 0
		if q.Over > q.Under {
			from = 1
			q.Under += 1 << h
		} else {
			q.Over += 1 << h
		}
		pairs := len(v) / 2
		half := make([]float64, pairs, max(pairs, q.Size))
		for i := range half {
			half[i] = v[2*i+from]
		}
		rest := v[:0]
		if len(v)%2 > 0 {
			rest = append(rest, v[len(v)-1])
		}
		q.levels[h] = rest
		q.levels[h+1] = merged(q.levels[h+1], half)
	}
}

// merged returns numbers in increasing order of two such lists, the second of which it may keep.
func merged(a, b []float64) []float64 {
	if len(a) == 0 {
		return b
	}
	out := make([]float64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0] < a[0] {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Merge adds the quantiles of other numbers, which must not be used again. The smaller Size is
// that of both.
func (q *Quantiles) Merge(other *Quantiles) {
	q.Size = min(q.Size, other.Size)
	q.Missing += other.Missing
	if other.Count > 0 {
		if q.Count == 0 {
			q.Min, q.Max = other.Min, other.Max
		}
		q.Min, q.Max = min(q.Min, other.Min), max(q.Max, other.Max)
	}
	q.Count, q.Over, q.Under = q.Count+other.Count, q.Over+other.Over, q.Under+other.Under
	for h, v := range other.levels {
		switch {
		case h == len(q.levels):
			q.levels = append(q.levels, v)
		case h == 0:
			q.levels[0] = append(q.levels[0], v...)
		default:
			q.levels[h] = merged(q.levels[h], v)
		}
	}
	q.halve()
}

// Error returns by how many numbers a rank may be off.
func (q *Quantiles) Error() int { return max(q.Over, q.Under) }

// Rank returns about how many numbers are at most x.
func (q *Quantiles) Rank(x float64) int {
	n := 0
	for h, v := range q.levels {
		for _, a := range v {
			if a <= x {
				n += 1 << h
			}
		}
	}
	return n
}

// weighed is a number that stands for some.
type weighed struct {
	value  float64
	weight int
}

// Numbers returns so many numbers in increasing order, all of them where there are no more:
// those at the middle of equal parts of the ranks, but for the first and the last, which are
// the smallest and the largest. Each is one of those added, and has a rank there that is
// within Error of its own here.
func (q *Quantiles) Numbers(most int) []float64 {
	var all []weighed
	for h, v := range q.levels {
		for _, a := range v {
			all = append(all, weighed{a, 1 << h})
		}
	}
	slices.SortFunc(all, func(a, b weighed) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return 0
	})
	m := max(min(q.Count, most), 0)
	out := make([]float64, m)
	at, upTo := -1, 0
	for i := range out {
		rank := min(int((float64(i)+0.5)*float64(q.Count)/float64(m)), q.Count-1)
		for upTo <= rank {
			at++
			upTo += all[at].weight
		}
		out[i] = all[at].value
	}
	if m > 1 {
		out[0], out[m-1] = q.Min, q.Max
	}
	return out
}

// AppendBinary adds the binary form to b: eight bytes for each number that is kept.
func (q *Quantiles) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, tagQuantiles)
	for _, n := range []int{q.Size, q.Count, q.Missing, q.Over, q.Under, len(q.levels)} {
		b = putCount(b, n)
	}
	b = putNumbers(b, q.Min, q.Max)
	for _, v := range q.levels {
		b = putNumbers(putCount(b, len(v)), v...)
	}
	return b, nil
}

// mostLevels is how many levels there may be: the numbers of more are too many to be counted.
const mostLevels = 59

// UnmarshalBinary reads what AppendBinary wrote.
func (q *Quantiles) UnmarshalBinary(b []byte) error {
	r := read(b, tagQuantiles)
	one := Quantiles{Size: r.count(0), Count: r.count(0), Missing: r.count(0), Over: r.count(0), Under: r.count(0)}
	levels := r.count(1)
	one.Min, one.Max = r.number(), r.number()
	if one.Size < 2 || one.Size%2 > 0 || levels > mostLevels || one.Min > one.Max {
		r.bad = true
	}
	left := one.Count
	for h := 0; h < levels && !r.bad; h++ {
		n := r.count(8)
		if n >= one.Size || n > left>>h {
			r.bad = true
			break
		}
		left -= n << h
		v := make([]float64, n)
		r.numbers(v)
		for i, a := range v {
			if a < one.Min || a > one.Max || h > 0 && i > 0 && a < v[i-1] {
				r.bad = true
			}
		}
		one.levels = append(one.levels, v)
	}
	if left != 0 || one.Count == 0 && math.Float64bits(one.Min)|math.Float64bits(one.Max) != 0 {
		r.bad = true
	}
	if err := r.end("quantiles"); err != nil {
		return err
	}
	*q = one
	return nil
}
