package sums

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Reservoir is a uniform sample without replacement of Most rows of any number: those
// whose numbers have the smallest hashes. Which rows these are depends on the seed and
// on how many rows there are, and neither on the order in which they come nor on how
// they are divided before they are merged.
//
// It knows rows by number. Whoever offers a row that is Kept keeps its content, and may
// forget that of rows which are no longer among Rows.
type Reservoir struct {
	Seed uint64
	Most int // at least 1

	// Below bounds the hashes of rows that are taken, 0 for none: who has a part of the
	// rows need not keep those which Bound has no place for.
	Below uint64

	kept []ranked // a heap, the largest rank first
}

// ranked is a row with its hash.
type ranked struct {
	rank uint64
	row  int
}

func (a ranked) less(b ranked) bool { return a.rank < b.rank || a.rank == b.rank && a.row < b.row }

// NewReservoir returns the sample of no rows.
func NewReservoir(seed uint64, most int) *Reservoir {
	return &Reservoir{Seed: seed, Most: max(most, 1)}
}

// Bound returns what the hashes of a sample of most rows are below, where there are about so
// many rows, each of them with that chance. It is not, and whoever counts rows sees it, once
// in 10^8 times: by Chernoff's bound fewer than k of m = k+6√k+36 expected ones have a chance
// of exp(-(m-k)²/2m). It is 0 where all rows are in the sample.
func Bound(most int, rows float64) uint64 {
	k := float64(most)
	part := (k + 6*math.Sqrt(k) + 36) / rows
	if !(part < 1) {
		return 0
	}
	return uint64(math.Ldexp(part, 64))
}

// Short reports whether there are fewer rows than a sample of so many has, because of Below.
func (r *Reservoir) Short(rows int) bool { return len(r.kept) < min(r.Most, rows) }

// rank returns the hash of a row's number.
func (r *Reservoir) rank(row int) ranked {
	return ranked{seed.Hash(r.Seed, seed.Reservoir, uint64(row)), row}
}

// Offer takes a row if it is one of the sample so far, and reports whether it is. Each
// number may be offered once.
func (r *Reservoir) Offer(row int) bool { return r.offer(r.rank(row)) }

func (r *Reservoir) offer(one ranked) bool {
	if r.Below > 0 && one.rank >= r.Below {
		return false
	}
	if len(r.kept) < r.Most {
		r.kept = append(r.kept, one)
		r.up(len(r.kept) - 1)
		return true
	}
	if !one.less(r.kept[0]) {
		return false
	}
	r.kept[0] = one
	r.down(0)
	return true
}

// up restores the heap above place i.
func (r *Reservoir) up(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if !r.kept[above].less(r.kept[i]) {
			return
		}
		r.kept[above], r.kept[i] = r.kept[i], r.kept[above]
		i = above
	}
}

// down restores the heap below place i.
func (r *Reservoir) down(i int) {
	for {
		largest := i
		for _, below := range []int{2*i + 1, 2*i + 2} {
			if below < len(r.kept) && r.kept[largest].less(r.kept[below]) {
				largest = below
			}
		}
		if largest == i {
			return
		}
		r.kept[largest], r.kept[i] = r.kept[i], r.kept[largest]
		i = largest
	}
}

// Kept reports whether a row, which was offered, is in the sample.
func (r *Reservoir) Kept(row int) bool {
	return len(r.kept) > 0 && !r.kept[0].less(r.rank(row))
}

// Rows returns the numbers of the rows in increasing order.
func (r *Reservoir) Rows() []int {
	out := make([]int, len(r.kept))
	for i, k := range r.kept {
		out[i] = k.row
	}
	sort.Ints(out)
	return out
}

// Merge adds the sample of other rows of the same seed and size.
func (r *Reservoir) Merge(other *Reservoir) {
	all := slices.Clone(other.kept)
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, one := range all {
		r.offer(one)
	}
}

// Shrink makes the sample one of fewer rows, as if it had been of that size from the
// beginning.
func (r *Reservoir) Shrink(most int) {
	if most = max(most, 1); most >= r.Most {
		return
	}
	slices.SortFunc(r.kept, func(a, b ranked) int {
		if a.less(b) {
			return -1
		}
		return 1
	})
	r.Most = most
	r.kept = r.kept[:min(len(r.kept), most)]
	slices.Reverse(r.kept) // a falling list is a heap
}

// AppendBinary adds the binary form to b.
func (r *Reservoir) AppendBinary(b []byte) ([]byte, error) {
	rows := r.Rows()
	b = putCount(append(b, tagReservoir), int(r.Seed>>32))
	b = putCount(putCount(putCount(b, int(r.Seed&0xffffffff)), r.Most), len(rows))
	for _, row := range rows {
		b = putCount(b, row)
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (r *Reservoir) UnmarshalBinary(b []byte) error {
	in := read(b, tagReservoir)
	high, low := in.count(0), in.count(0)
	one := NewReservoir(uint64(high)<<32|uint64(low), in.count(0))
	before := -1
	for range in.count(1) {
		row := in.count(0)
		if in.bad || row <= before || len(one.kept) == one.Most {
			in.bad = true
			break
		}
		one.Offer(row)
		before = row
	}
	if high > 0xffffffff || low > 0xffffffff {
		in.bad = true
	}
	if err := in.end("reservoir"); err != nil {
		return err
	}
	*r = *one
	return nil
}
