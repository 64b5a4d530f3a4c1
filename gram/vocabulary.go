package gram

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
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
	for i := range y.Len() {
		e.Terms(y.At(i), func(term uint64, _ float64) {
			if _, known := v.place[term]; !known {
				v.place[term] = int32(len(v.place))
			}
		})
	}
	vectors := v.vectors(y)
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

func (w *worded[T]) strip(x data.Source[T]) compute.Rows { return w.formed.strip(w.vectors(x)) }
func (w *worded[T]) tileSize() (rows, cols int)          { return w.formed.tileSize() }

// vectors returns the vectors of all instances.
func (v *vocabulary[T]) vectors(x data.Source[T]) data.Source[data.Vector] {
	out := make(data.Slice[data.Vector], x.Len())
	for i := range out {
		out[i] = v.vector(x.At(i))
	}
	return out
}

// vector returns φ(x) over the vocabulary.
func (v *vocabulary[T]) vector(x T) data.Vector {
	known := map[int32]float64{}
	var others map[uint64]float64
	v.explicit.Terms(x, func(term uint64, weight float64) {
		if at, ok := v.place[term]; ok {
			known[at] += weight
			return
		}
		if others == nil {
			others = map[uint64]float64{}
		}
		others[term] += weight
	})
	index := make([]int32, 0, len(known)+1)
	for at := range known {
		index = append(index, at)
	}
	slices.Sort(index)
	value := make([]float64, len(index), len(index)+1)
	for k, at := range index {
		value[k] = known[at]
	}
	if rest := length(others); rest > 0 {
		index, value = append(index, int32(len(v.place))), append(value, rest)
	}
	return data.Vector{Index: index, Value: value}
}

// length returns the root of the sum of squares, added in the order of the
// terms so that it does not depend on how a map is walked.
func length(weights map[uint64]float64) float64 {
	terms := make([]uint64, 0, len(weights))
	for term := range weights {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	sum := 0.0
	for _, term := range terms {
		sum += weights[term] * weights[term]
	}
	return math.Sqrt(sum)
}
