package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

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
// features that are listed; memory is a quarter of a byte a bucket, four with IDF
// while the sample is counted, and 12 for each feature of a mapped instance.
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
	m, in, err := r.begin()
	if err == nil {
		err = r.find(ctx, m, in, x)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// find finds the buckets that the instances fill.
func (r Explicit[T]) find(ctx context.Context, m *Listed[T], in *found, x data.Source[T]) error {
	n := x.Len()
	err := par.For(ctx, r.Run, findTask, par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		s := m.sheet()
		defer m.sheets.Put(s)
		for i := lo; i < hi; i++ {
			s.clear()
			m.filled(s, m.listing, 0, x.At(i))
			if r.IDF {
				s.distinct()
			}
			in.add(s.index)
		}
		return nil
	})
	if err == nil {
		m.take(in.tally(n))
	}
	return err
}

// FitApply is Fit, and ApplySparse on the same instances, whose features are then listed once, but
// for those of sums of kernels. apply returns the mapped instances, and is called once at most.
func (r Explicit[T]) FitApply(ctx context.Context, x data.Source[T]) (
	m *Listed[T], apply func(ctx context.Context, ctl run.Control) (data.Source[data.Vector], error), err error,
) {
	m, in, err := r.begin()
	if err != nil {
		return nil, nil, err
	}
	if m.listing.List == nil {
		err = r.find(ctx, m, in, x)
		return m, func(ctx context.Context, ctl run.Control) (data.Source[data.Vector], error) {
			return ApplySparse(ctx, ctl, m, x)
		}, err
	}
	n := x.Len()
	out := make(data.Slice[data.Vector], n)
	err = mapRows(ctx, r.Run, findTask, out, func(lo, hi int) error {
		s := m.sheet()
		defer m.sheets.Put(s)
		for i := lo; i < hi; i++ {
			s.clear()
			m.list(s, m.listing, 0, x.At(i))
			in.add(s.index)
			out[i] = s.vector()
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	m.take(in.tally(n))
	return m, func(ctx context.Context, ctl run.Control) (data.Source[data.Vector], error) {
		return out, par.For(ctx, ctl, mapTask, par.Blocks(n, blockRows), func(b int) error {
			lo, hi := par.Range(b, n, blockRows)
			for i := lo; i < hi; i++ {
				m.place(out[i].Index, out[i].Value)
				scaled(m.listing, out[i].Value)
				rounded(out[i].Value)
			}
			return finiteRows(out, lo, hi)
		})
	}, nil
}

const findTask = "find the features"

// begin returns a map that has found nothing yet, and what is to be found.
func (r Explicit[T]) begin() (*Listed[T], *found, error) {
	if err := r.Validate(); err != nil {
		return nil, nil, err
	}
	if err := r.Run.Reserve("the buckets of features", 8*float64(r.Buckets), "use fewer buckets"); err != nil {
		return nil, nil, err
	}
	m := &Listed[T]{kernel: r.Kernel, buckets: r.Buckets}
	m.listing, _ = kernel.ListingOf(r.Kernel)
	return m, newFound(r.Buckets, r.IDF), nil
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
	places  places
	idf     []float64 // of a coordinate; nil for 1
	sheets  sync.Pool // of *sheet
}

// take takes over what was found in a sample.
func (m *Listed[T]) take(t Tally) {
	m.tally, m.places = t, newPlaces(t.Buckets, t.Bucket)
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
	var out [1]data.Vector
	m.MapSparseBlock(out[:], data.Slice[T]{x})
	return out[0]
}

// sheet returns a sheet, which is given back.
func (m *Listed[T]) sheet() *sheet {
	if s, ok := m.sheets.Get().(*sheet); ok {
		return s
	}
	return new(sheet)
}

// MapSparseBlock returns the features of a few instances.
func (m *Listed[T]) MapSparseBlock(dst []data.Vector, x data.Source[T]) {
	s := m.sheet()
	defer m.sheets.Put(s)
	for i := range dst {
		s.clear()
		m.fill(s, m.listing, 0, x.At(i))
		rounded(s.value)
		dst[i] = s.vector()
	}
}

// fill appends the features of x in a listing, in the order of their coordinates and
// each once.
func (m *Listed[T]) fill(s *sheet, l kernel.Listing[T], salt uint64, x T) {
	first := len(s.index)
	if l.List != nil {
		m.list(s, l, salt, x)
		s.keep(first + m.place(s.index[first:], s.value[first:]))
	} else {
		for i, part := range l.Parts {
			m.fill(s, part, partSalt(salt, i), x)
		}
		s.merge(first)
	}
	scaled(l, s.value[first:])
}

// list appends the features that are listed, with their buckets for coordinates. Those of one
// bucket are added in the order in which they come.
func (m *Listed[T]) list(s *sheet, l kernel.Listing[T], salt uint64, x T) {
	s.keys, s.weight = s.keys[:0], s.weight[:0]
	shift := 64 - bits.Len(uint(m.buckets-1)) // the bucket leads, so that keys are even
	l.List(x, func(term uint64, weight float64) {
		s.keys = append(s.keys, m.bucket(term, salt)<<shift|uint64(len(s.weight)))
		s.weight = append(s.weight, weight)
	})
	s.order.Sort(s.keys)
	place := uint64(1)<<shift - 1
	for i := 0; i < len(s.keys); {
		bucket, sum := s.keys[i]>>shift, 0.0
		for ; i < len(s.keys) && s.keys[i]>>shift == bucket; i++ {
			sum += s.weight[s.keys[i]&place]
		}
		s.index, s.value = append(s.index, int32(bucket)), append(s.value, sum)
	}
}

// place turns buckets into coordinates and weighs their features; it drops what the sample
// does not have, and returns how many are left.
func (m *Listed[T]) place(index []int32, value []float64) int {
	kept := 0
	for i, bucket := range index {
		at := m.places.of(bucket)
		if at < 0 {
			continue
		}
		v := value[i]
		if m.idf != nil {
			v *= m.idf[at]
		}
		index[kept], value[kept] = at, v
		kept++
	}
	return kept
}

// scaled multiplies the features of a listing by its factor, and divides them by their length.
func scaled[T any](l kernel.Listing[T], value []float64) {
	factor := math.Sqrt(l.Factor)
	if l.Normalized {
		sum := 0.0
		for _, v := range value {
			sum += v * v
		}
		if sum > 0 {
			factor /= math.Sqrt(sum)
		}
	}
	if factor != 1 {
		for i := range value {
			value[i] *= factor
		}
	}
}

// rounded rounds features to float32.
func rounded(value []float64) {
	for i, v := range value {
		value[i] = float64(float32(v))
	}
}

// filled notes the buckets that x fills in a listing, some perhaps more than once.
func (m *Listed[T]) filled(s *sheet, l kernel.Listing[T], salt uint64, x T) {
	if l.List != nil {
		l.List(x, func(term uint64, _ float64) { s.index = append(s.index, int32(m.bucket(term, salt))) })
	}
	for i, part := range l.Parts {
		m.filled(s, part, partSalt(salt, i), x)
	}
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
