package model

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// Explicit is the recipe of the features that the kernel lists itself, in so many
// buckets. It is for kernels on strings and sets that are inner products of what
// they list.
type Explicit[T any] struct {
	Buckets int  `json:"buckets"`
	IDF     bool `json:"idf"` // weigh features by how few rows of the sample have them
}

// NewExplicit returns the recipe with its defaults.
func NewExplicit[T any]() Explicit[T] { return Explicit[T]{Buckets: feature.DefaultBuckets} }

// Name returns "explicit".
func (Explicit[T]) Name() string { return MapExplicit }

// Validate reports fields out of range.
func (r Explicit[T]) Validate() error {
	if r.Buckets < 1 || r.Buckets > feature.MostBuckets {
		return outOfRange("Buckets", r.Buckets, fmt.Sprintf("from 1 to %d", feature.MostBuckets))
	}
	return nil
}

// Fit finds the features that the sample has.
func (r Explicit[T]) Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error) {
	m, err := r.of(p).Fit(ctx, p.X)
	return listed(m, err)
}

// fitApply is Fit, and returns what maps the sample.
func (r Explicit[T]) fitApply(ctx context.Context, p Problem[T]) (feature.Map[T], applier, error) {
	m, apply, err := r.of(p).FitApply(ctx, p.X)
	out, err := listed(m, err)
	return out, apply, err
}

func (r Explicit[T]) of(p Problem[T]) feature.Explicit[T] {
	return feature.Explicit[T]{Kernel: p.Kernel, Buckets: r.Buckets, IDF: r.IDF, Run: p.Run}
}

// listed refuses what is no map of the sample.
func listed[T any](m *feature.Listed[T], err error) (feature.Map[T], error) {
	if errors.Is(err, feature.ErrNoListing) {
		return nil, &SampleError{fmt.Sprintf("map explicit: %v; choose f1, f2 or f3", err)}
	}
	if err == nil && m.Dim() == 0 {
		return nil, &SampleError{fmt.Sprintf("no instance has any feature of the kernel %v", m.Kernel())}
	}
	return fitted[T](m, err)
}

func (Explicit[T]) describe(m feature.Map[T], h *MapHeader) bool {
	e, ok := m.(*feature.Listed[T])
	if ok {
		h.Width = e.Tally().Buckets
	}
	return ok
}

// blobs stores the tally: the rows, 1 with counts or 0, and for each bucket how far it
// is from the one before and, with counts, its count.
func (Explicit[T]) blobs(m feature.Map[T], _ Kind[T]) ([]blob, error) {
	t := m.(*feature.Listed[T]).Tally()
	b, counted, last := binary.AppendUvarint(nil, uint64(t.Rows)), uint64(0), int32(-1)
	if t.In != nil {
		counted = 1
	}
	b = binary.AppendUvarint(b, counted)
	for i, bucket := range t.Bucket {
		b = binary.AppendUvarint(b, uint64(bucket-last))
		if last = bucket; t.In != nil {
			b = binary.AppendUvarint(b, uint64(t.In[i]))
		}
	}
	return []blob{{"tally", b}}, nil
}

func (Explicit[T]) open(f *File, k kernel.Kernel[T], _ Kind[T]) (feature.Map[T], error) {
	h, rest := f.Header.Map, f.blobs["tally"]
	t := feature.Tally{Buckets: h.Width, Bucket: []int32{}}
	failed := h.Dim > len(rest) || h.Width > feature.MostBuckets
	next := func(most int) int {
		v, n := binary.Uvarint(rest)
		if n <= 0 || v > uint64(most) {
			failed = true
			return 0
		}
		rest = rest[n:]
		return int(v)
	}
	t.Rows = next(math.MaxInt32)
	if next(1) == 1 {
		t.In = []int32{}
	}
	for last := -1; len(rest) > 0 && !failed; {
		last += next(feature.MostBuckets)
		if last >= h.Width {
			failed = true
		}
		t.Bucket = append(t.Bucket, int32(last))
		if t.In != nil {
			t.In = append(t.In, int32(next(math.MaxInt32)))
		}
	}
	if failed || len(t.Bucket) != h.Dim {
		return nil, fmt.Errorf("its map has %d features in %d buckets and claims %d", len(t.Bucket), h.Width, h.Dim)
	}
	return fitted[T](feature.RecallExplicit(k, t))
}
