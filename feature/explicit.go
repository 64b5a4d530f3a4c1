package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Explicit is the recipe of the features that a kernel lists itself (kernel.Listing):
// substrings at their places, words, items of sets. Their inner products are the
// kernel; there are no landmarks, and no more of them is kept than is not zero.
//
// The features are put into Buckets by a hash (Weinberger et al. 2009); two that
// meet in one are added up. Of the buckets those that the sample fills are kept,
// and are the coordinates. What an instance has in others meets nothing of the
// sample. It does not count for the length of what is normalised either: the kernel
// is normalised on the span of the sample's features, so that a text of which half
// the words are new scores as the other half would alone.
//
// With IDF each coordinate t is multiplied, before anything is normalised, by
//
//	ln((1 + n)/(1 + n_t)) + 1
//
// where n_t of the n instances of the sample have it: a word that all texts have
// says little (Spärck Jones 1972). The inner products are then those of the kernel
// with such weights.
//
// Features are rounded to float32. Fit and the map take time proportional to the
// features that are listed; memory is 4 bytes a bucket, and 12 for each feature of
// a mapped instance.
type Explicit[T any] struct {
	Kernel  kernel.Kernel[T]
	Buckets int
	IDF     bool
	Run     run.Control
}

// DefaultBuckets and MostBuckets are the number of buckets where nobody chose one,
// and the largest.
const (
	DefaultBuckets = 1 << 20
	MostBuckets    = 1 << 26
)

// ErrNoListing reports a kernel that does not list its features.
var ErrNoListing = errors.New("the kernel does not list its features")

// Validate reports every field that is out of range.
func (r Explicit[T]) Validate() error {
	var faults []error
	if r.Buckets < 1 || r.Buckets > MostBuckets {
		faults = append(faults, fmt.Errorf("buckets is %d and must be from 1 to %d", r.Buckets, MostBuckets))
	}
	if r.Kernel == nil {
		faults = append(faults, errors.New("no kernel is set"))
	} else if err := kernel.Validate(r.Kernel); err != nil {
		faults = append(faults, err)
	} else if _, ok := kernel.ListingOf(r.Kernel); !ok {
		faults = append(faults, fmt.Errorf("%w: %v", ErrNoListing, r.Kernel))
	}
	return errors.Join(faults...)
}

// Fit finds the buckets that the instances of x fill, and in how many each is.
func (r Explicit[T]) Fit(ctx context.Context, x data.Source[T]) (*Listed[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if err := r.Run.Reserve("the buckets of features", 8*float64(r.Buckets), "use fewer buckets"); err != nil {
		return nil, err
	}
	m := &Listed[T]{kernel: r.Kernel, buckets: r.Buckets}
	m.listing, _ = kernel.ListingOf(r.Kernel)
	in := make([]uint32, r.Buckets)
	n := x.Len()
	err := par.For(ctx, r.Run, "find the features", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		var s sheet
		for i := lo; i < hi; i++ {
			s.cells = s.cells[:0]
			m.filled(&s, x.At(i))
			slices.Sort(s.keys)
			last := uint64(math.MaxUint64)
			for _, bucket := range s.keys {
				if bucket != last {
					atomic.AddUint32(&in[bucket], 1)
				}
				last = bucket
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := Tally{Buckets: r.Buckets, Rows: n}
	for bucket, count := range in {
		if count > 0 {
			t.Bucket = append(t.Bucket, int32(bucket))
			if r.IDF {
				t.In = append(t.In, int32(count))
			}
		}
	}
	m.take(t)
	return m, nil
}

// Tally is what Fit finds in a sample, and all that the map is beside its kernel.
type Tally struct {
	Buckets int     // that there are
	Rows    int     // of the sample
	Bucket  []int32 // that are filled, increasing
	In      []int32 // rows that fill each; nil without IDF
}

// Validate reports parts that do not fit together.
func (t Tally) Validate() error {
	if t.Buckets < 1 || t.Buckets > MostBuckets || t.Rows < 0 || t.In != nil && len(t.In) != len(t.Bucket) {
		return fmt.Errorf("a tally of %d of %d buckets and %d counts of %d rows", len(t.Bucket), t.Buckets, len(t.In), t.Rows)
	}
	for i, b := range t.Bucket {
		if b < 0 || int(b) >= t.Buckets || i > 0 && b <= t.Bucket[i-1] {
			return fmt.Errorf("bucket %d stands at place %d", b, i)
		}
	}
	for i, c := range t.In {
		if c < 1 || int(c) > t.Rows {
			return fmt.Errorf("bucket %d is filled by %d of %d rows", t.Bucket[i], c, t.Rows)
		}
	}
	return nil
}

// RecallExplicit returns the map that a kernel and a tally make: for a fitted map m,
// RecallExplicit(m.Kernel(), m.Tally()) maps as m does, bit for bit.
func RecallExplicit[T any](k kernel.Kernel[T], t Tally) (*Listed[T], error) {
	if err := errors.Join(t.Validate(), Explicit[T]{Kernel: k, Buckets: max(t.Buckets, 1)}.Validate()); err != nil {
		return nil, err
	}
	m := &Listed[T]{kernel: k, buckets: t.Buckets}
	m.listing, _ = kernel.ListingOf(k)
	m.take(t)
	return m, nil
}

// Listed is the map of Explicit.
type Listed[T any] struct {
	kernel  kernel.Kernel[T]
	listing kernel.Listing[T]
	buckets int
	tally   Tally
	place   []int32   // the coordinate of a bucket, -1 for none
	idf     []float64 // of a coordinate; nil for 1
}

// take takes over what was found in a sample.
func (m *Listed[T]) take(t Tally) {
	m.tally = t
	m.place = make([]int32, t.Buckets)
	for b := range m.place {
		m.place[b] = -1
	}
	for i, b := range t.Bucket {
		m.place[b] = int32(i)
	}
	if t.In == nil {
		return
	}
	weight := func(in int32) float64 { return math.Log(float64(1+t.Rows)/float64(1+in)) + 1 }
	m.idf = make([]float64, len(t.In))
	for i, in := range t.In {
		m.idf[i] = weight(in)
	}
}

// Dim returns the number of buckets that the sample fills.
func (m *Listed[T]) Dim() int { return len(m.tally.Bucket) }

// Kernel returns the kernel.
func (m *Listed[T]) Kernel() kernel.Kernel[T] { return m.kernel }

// Tally returns what was found in the sample. It must not be changed.
func (m *Listed[T]) Tally() Tally { return m.tally }

// MapTo sets dst to the features of x, zeros and all.
func (m *Listed[T]) MapTo(dst []float64, x T) { m.MapSparse(x).CopyTo(dst[:m.Dim()]) }

// MapSparse returns the features of x that are not zero.
func (m *Listed[T]) MapSparse(x T) data.Vector {
	var s sheet
	return m.vector(&s, x)
}

// MapSparseBlock returns the features of a few instances.
func (m *Listed[T]) MapSparseBlock(dst []data.Vector, x data.Source[T]) {
	var s sheet
	for i := range dst {
		dst[i] = m.vector(&s, x.At(i))
	}
}

// cell is a feature and its coordinate.
type cell struct {
	at    int32
	value float64
}

// sheet is what the features of an instance are gathered on. It is used again from
// instance to instance.
type sheet struct {
	cells []cell
	keys  []uint64 // bucket and place of emission, to sort
	value []float64
}

// vector returns the features of x.
func (m *Listed[T]) vector(s *sheet, x T) data.Vector {
	s.cells = s.cells[:0]
	m.fill(s, m.listing, 0, x)
	out := data.Vector{Index: make([]int32, len(s.cells)), Value: make([]float64, len(s.cells))}
	for i, c := range s.cells {
		out.Index[i], out.Value[i] = c.at, float64(float32(c.value))
	}
	return out
}

// fill appends the features of x in a listing, in the order of their coordinates and
// each once.
func (m *Listed[T]) fill(s *sheet, l kernel.Listing[T], salt uint64, x T) {
	first := len(s.cells)
	if l.List != nil {
		m.leaf(s, l, salt, x)
	} else {
		for i, part := range l.Parts {
			m.fill(s, part, partSalt(salt, i), x)
		}
		s.merge(first)
	}
	factor := math.Sqrt(l.Factor)
	if l.Normalized {
		sum := 0.0
		for _, c := range s.cells[first:] {
			sum += c.value * c.value
		}
		if sum > 0 {
			factor /= math.Sqrt(sum)
		}
	}
	if factor != 1 {
		for i := first; i < len(s.cells); i++ {
			s.cells[i].value *= factor
		}
	}
}

// leaf appends the features that are listed. Those of one bucket are added in the
// order in which they come.
func (m *Listed[T]) leaf(s *sheet, l kernel.Listing[T], salt uint64, x T) {
	s.keys, s.value = s.keys[:0], s.value[:0]
	l.List(x, func(term uint64, weight float64) {
		s.keys = append(s.keys, m.bucket(term, salt)<<32|uint64(len(s.value)))
		s.value = append(s.value, weight)
	})
	slices.Sort(s.keys)
	for i := 0; i < len(s.keys); {
		bucket, c := uint32(s.keys[i]>>32), cell{}
		for ; i < len(s.keys) && uint32(s.keys[i]>>32) == bucket; i++ {
			c.value += s.value[uint32(s.keys[i])]
		}
		at := m.place[bucket]
		if at < 0 {
			continue
		}
		if m.idf != nil {
			c.value *= m.idf[at]
		}
		c.at = at
		s.cells = append(s.cells, c)
	}
}

// merge puts the cells of several parts in the order of their coordinates, and adds
// up those of one in the order of the parts.
func (s *sheet) merge(first int) {
	cells := s.cells[first:]
	slices.SortStableFunc(cells, func(a, b cell) int { return int(a.at - b.at) })
	out := cells[:0]
	for _, c := range cells {
		if n := len(out); n > 0 && out[n-1].at == c.at {
			out[n-1].value += c.value
		} else {
			out = append(out, c)
		}
	}
	s.cells = s.cells[:first+len(out)]
}

// filled notes the buckets that x fills, some perhaps more than once.
func (m *Listed[T]) filled(s *sheet, x T) {
	s.keys = s.keys[:0]
	var walk func(l kernel.Listing[T], salt uint64)
	walk = func(l kernel.Listing[T], salt uint64) {
		if l.List != nil {
			l.List(x, func(term uint64, _ float64) { s.keys = append(s.keys, m.bucket(term, salt)) })
		}
		for i, part := range l.Parts {
			walk(part, partSalt(salt, i))
		}
	}
	walk(m.listing, 0)
}

// bucket returns the bucket of a term: the high bits of the bijection at the end of
// MurmurHash3.
func (m *Listed[T]) bucket(term, salt uint64) uint64 {
	high, _ := bits.Mul64(spreadBits(term^salt), uint64(m.buckets))
	return high
}

func spreadBits(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// partSalt tells the terms of part i of a sum from those of the others.
func partSalt(salt uint64, i int) uint64 { return spreadBits(salt + 0x9e3779b97f4a7c15*uint64(i+1)) }
