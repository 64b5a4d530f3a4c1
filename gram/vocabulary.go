package gram

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// vocabulary turns instances into sparse vectors over the terms that occur in
// the columns, so that a kernel on strings or sets runs on the tiles of vectors.
// The terms of a row that no column has meet nothing; together they are one
// coordinate that no column has either, with the length they had, so that norms
// and distances come out right.
type vocabulary[T any] struct {
	explicit kernel.Explicit[T]
	place    map[uint64]int32
}

// newExplicit returns the tiler of a kernel that lists its features, and false
// for any other.
func newExplicit[T any](k kernel.Kernel[T], y data.Source[T], p run.Precision) (tiler[T], bool) {
	e, form, ok := kernel.ExplicitOf(k)
	// the length of unknown terms is Euclidean
	if !ok || form.Pair == kernel.L1 || form.Pair == kernel.Min || form.Pair == kernel.ChiSquared {
		return nil, false
	}
	v := &vocabulary[T]{explicit: e, place: map[uint64]int32{}}
	vectors := v.vectors(y, true)
	backend := compute.For(p)
	if len(v.place) >= math.MaxInt32 || !backend.Supports(form, vectors) {
		return nil, false
	}
	return &worded[T]{v, formed{backend.Columns(vectors, form)}}, true
}

// worded computes tiles of the vectors that a vocabulary makes.
type worded[T any] struct {
	*vocabulary[T]
	formed formed
}

func (w *worded[T]) strip(x data.Source[T]) compute.Rows { return w.formed.strip(w.vectors(x, false)) }
func (w *worded[T]) tileSize() (rows, cols int)          { return w.formed.tileSize() }

// vectors returns the vectors of all instances. With grow their terms are numbered first, in the order
// in which they come.
func (v *vocabulary[T]) vectors(x data.Source[T], grow bool) data.Source[data.Vector] {
	out := make(data.Slice[data.Vector], x.Len())
	var l termList
	for i := range out {
		l.clear()
		v.explicit.Terms(x.At(i), func(term uint64, weight float64) {
			at, known := v.place[term]
			switch {
			case known:
			case grow:
				at = int32(len(v.place))
				v.place[term] = at
			default:
				l.others, l.rest = append(l.others, term), append(l.rest, weight)
				return
			}
			l.known, l.weight = append(l.known, uint64(at)<<32|uint64(len(l.weight))), append(l.weight, weight)
		})
		out[i] = l.vector(len(v.place))
	}
	return out
}

// termList gathers the terms of an instance. It is used again from instance to instance.
type termList struct {
	known  []uint64  // the coordinate of a term, and its place among the weights
	weight []float64 // of the known terms, as they came
	others []uint64  // terms that have no coordinate
	rest   []float64 // and their weights
	order  order.Hashed
}

func (l *termList) clear() {
	l.known, l.weight, l.others, l.rest = l.known[:0], l.weight[:0], l.others[:0], l.rest[:0]
}

// vector returns the vector over so many coordinates, and one for the others. The weights of a
// coordinate are added in the order in which they came.
func (l *termList) vector(dim int) data.Vector {
	spread := bits.LeadingZeros32(uint32(dim)) // so that the numbers lie from 0 to 2⁶⁴
	for i, k := range l.known {
		l.known[i] = k << spread
	}
	l.order.Sort(l.known)
	distinct := 0
	for i, k := range l.known {
		if i == 0 || k>>spread>>32 != l.known[i-1]>>spread>>32 {
			distinct++
		}
	}
	index, value := make([]int32, 0, distinct+1), make([]float64, 0, distinct+1)
	for _, k := range l.known {
		at, w := int32(k>>spread>>32), l.weight[uint32(k>>spread)]
		if n := len(index); n > 0 && index[n-1] == at {
			value[n-1] += w
		} else {
			index, value = append(index, at), append(value, w)
		}
	}
	if rest := l.length(); rest > 0 {
		index, value = append(index, int32(dim)), append(value, rest)
	}
	return data.Vector{Index: index, Value: value}
}

// length returns the root of the sum of squares of the other terms, added in the order of
// the terms so that it does not depend on how a map is walked. Some kernels list each term once
// and in order.
func (l *termList) length() float64 {
	sum := 0.0
	for i, w := range l.rest {
		if i > 0 && l.others[i] <= l.others[i-1] {
			return l.summed()
		}
		sum += w * w
	}
	return math.Sqrt(sum)
}

// summed is length for terms that come in any order, and more than once.
func (l *termList) summed() float64 {
	weights := make(map[uint64]float64, len(l.others))
	for i, term := range l.others {
		weights[term] += l.rest[i]
	}
	terms := slices.Sorted(maps.Keys(weights))
	sum := 0.0
	for _, term := range terms {
		sum += weights[term] * weights[term]
	}
	return math.Sqrt(sum)
}
