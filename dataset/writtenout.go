package dataset

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/run"
)

// writtenRows is how many rows weights may be written out as, whatever the number of rows that
// have them: a few seconds of work, whatever the learner.
const writtenRows = 4096

// WrittenOut returns rows of whole weights as what they stand for: a row of weight 3 as three
// rows, one of weight 0 as none, without weights. Where there are copies then, be they of
// weights or not, rows stand in an order that depends on nothing but their content, so that a
// row of weight 3 gives the same rows as three copies do, wherever these stood. Rows without
// copies stay as they are. So do rows of which a weight is a fraction, and those whose weights
// come to more than 4,096 and more than there are rows.
//
// The cost is one pass over the rows, and a copy of them where they change.
func (r *Rows) WrittenOut(ctx context.Context, ctl run.Control) (*Rows, error) {
	return r.writtenOut(ctx, ctl, r.digest())
}

// writtenOut is WrittenOut with another digest of a row: one of equal rows must be equal.
func (r *Rows) writtenOut(ctx context.Context, ctl run.Control, digest func(i int) uint64) (*Rows, error) {
	n, most, whole := r.times()
	if !whole {
		return r, nil
	}
	digests := make([]uint64, r.Len())
	if err := par.For(ctx, ctl, "", par.Blocks(len(digests), PartRows), func(b int) error {
		lo, hi := par.Range(b, len(digests), PartRows)
		for i := lo; i < hi; i++ {
			digests[i] = digest(i)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	live := r.Live()
	if most > 1 || twice(chosen(digests, live)) {
		compare := r.compare()
		slices.SortFunc(live, func(i, j int) int {
			if d := cmp.Compare(digests[i], digests[j]); d != 0 {
				return d
			}
			return cmp.Or(compare(i, j), cmp.Compare(i, j))
		})
		same := func(i, j int) bool { return compare(i, j) == 0 }
		if most == 1 && len(slices.CompactFunc(slices.Clone(live), same)) == len(live) { // digests alone were the same
			slices.Sort(live)
		}
	}
	return r.repeat(live, n, ctl)
}

// times returns the sum of the weights and the largest; false unless all are whole numbers and
// there is room for what they stand for.
func (r *Rows) times() (sum, most int, whole bool) {
	if r.Weights == nil {
		return r.Len(), 1, true
	}
	room := max(writtenRows, r.Len())
	for _, w := range r.Weights {
		if w != math.Trunc(w) || w > float64(room-sum) {
			return 0, 0, false
		}
		sum, most = sum+int(w), max(most, int(w))
	}
	return sum, most, true
}

// twice reports whether a number is in a list more than once. It sorts the list.
func twice(list []uint64) bool {
	slices.Sort(list)
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			return true
		}
	}
	return false
}

// repeat returns rows in the given order, each as often as its weight says, n in all.
func (r *Rows) repeat(order []int, n int, ctl run.Control) (*Rows, error) {
	out := *r
	out.Weights = nil
	if len(order) == r.Len() && n == len(order) && slices.IsSorted(order) {
		return &out, nil
	}
	index := make([]int, 0, n)
	for _, i := range order {
		times := 1
		if r.Weights != nil {
			times = int(r.Weights[i])
		}
		for range times {
			index = append(index, i)
		}
	}
	bytes := 8 * float64(n)
	switch x := r.vectors.(type) {
	case *data.Matrix:
		bytes *= float64(x.Cols)
	case *data.CSR:
		bytes *= 1.5 * float64(len(x.Value)) / float64(r.Len())
	default:
		if r.table != nil {
			bytes *= float64(r.table.Cols())
		}
	}
	if err := ctl.Reserve("rows by their weights", bytes, "use fewer rows"); err != nil {
		return nil, err
	}
	return out.pick(index), nil
}

// digest returns a function of the content of a row: the instance and its label.
func (r *Rows) digest() func(i int) uint64 {
	var of func(i int) uint64
	switch {
	case r.table != nil:
		of = r.table.Digest
	case r.vectors != nil:
		of = func(i int) uint64 {
			v := r.vectors.At(i)
			h := uint64(len(v.Value))
			for _, j := range v.Index {
				h = seed.Digest(h, uint64(j))
			}
			return seed.DigestNumbers(h, v.Value)
		}
	case r.texts != nil:
		of = func(i int) uint64 { return seed.DigestText(0, r.texts[i]) }
	default:
		of = func(i int) uint64 {
			h := uint64(len(r.sets[i]))
			for _, item := range r.sets[i] {
				h = seed.DigestText(h, item)
			}
			return h
		}
	}
	if r.Labels == nil {
		return of
	}
	return func(i int) uint64 { return seed.DigestText(of(i), r.Labels[i]) }
}

// compare returns an order of rows by their content, in which copies alone are equal.
func (r *Rows) compare() func(i, j int) int {
	var of func(i, j int) int
	switch {
	case r.table != nil:
		of = r.table.Compare
	case r.vectors != nil:
		of = func(i, j int) int {
			a, b := r.vectors.At(i), r.vectors.At(j)
			return cmp.Or(slices.Compare(a.Index, b.Index), slices.CompareFunc(a.Value, b.Value, func(x, y float64) int {
				return cmp.Compare(math.Float64bits(x), math.Float64bits(y))
			}))
		}
	case r.texts != nil:
		of = func(i, j int) int { return strings.Compare(r.texts[i], r.texts[j]) }
	default:
		of = func(i, j int) int { return slices.Compare(r.sets[i], r.sets[j]) }
	}
	if r.Labels == nil {
		return of
	}
	return func(i, j int) int { return cmp.Or(of(i, j), strings.Compare(r.Labels[i], r.Labels[j])) }
}
