package boost

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Stump is the weak learner that finds the best rule of a single coordinate:
// the Cut of least weighted error, exactly. Thresholds lie half-way between
// neighbouring values of the coordinate that differ. Among cuts of the same
// error the lowest coordinate is taken, then the lowest threshold, then Sign 1;
// errors are sums of whole numbers, so that equal ones are equal.
//
// Constant adds the two rules that say the same of all instances, taken where
// they are better than any cut. Without them a vote of cuts has no bias, and
// cannot tell an interval from what is on both sides of it.
//
// Each coordinate is sorted once a fit, zeros left out. A round then takes one
// pass over the numbers that are not zero, n·d at most, coordinate by
// coordinate in parallel. Memory: 12 bytes a number while sorting, 4 after.
type Stump struct {
	Constant bool // try the constant rules too; default true
}

// NewStump returns the recipe with its defaults.
func NewStump() Stump { return Stump{Constant: true} }

// Validate returns nil: there is nothing to set.
func (Stump) Validate() error { return nil }

// Prepare sorts the coordinates. The error wraps ErrConstant where no
// coordinate has two values.
func (s Stump) Prepare(ctx context.Context, ctl run.Control, x *Sample) (Finder, error) {
	if len(x.X) > math.MaxInt32 {
		return nil, fmt.Errorf("stump: there are %d rows and at most %d can be sorted", len(x.X), math.MaxInt32)
	}
	f := &stumps{ctl: ctl, s: x, constant: s.Constant, says: make([]bool, len(x.X))}
	if err := f.sort(ctx); err != nil {
		return nil, err
	}
	for _, row := range f.row {
		if row&cutFlag != 0 {
			return f, nil
		}
	}
	return nil, fmt.Errorf("stump: every coordinate has one value on all rows: %w", ErrConstant)
}

const (
	cutFlag = 1 << 31     // of a number in stumps.row: there is a cut here
	rowMask = cutFlag - 1 // the row's index
)

// stumps is a Stump at work on one sample. The rows where coordinate j is not
// zero are row[first[j]:first[j+1]] in order of their values, the first
// negative[j] of them being negative. Zeros stand between these and the rest.
//
// A negative number carries the flag where the next higher value differs, a
// positive one where the next lower value does; a cut that is both, for want of
// zeros, is flagged at the negative one. So each cut is flagged once.
type stumps struct {
	ctl      run.Control
	s        *Sample
	first    []int
	row      []uint32
	negative []int
	constant bool
	says     []bool // of the last cut
	chunk    []int  // chunk[c] to chunk[c+1] are the coordinates of task c
}

// candidate is a cut of a coordinate at place in its list: after a negative
// number, before a positive one.
type candidate struct {
	wrong   int64
	feature int
	place   int
	sign    float64
}

// Find returns the best cut: first the least error of each coordinate, then
// where the best of them has it.
func (f *stumps) Find(ctx context.Context, w Weights) (Found, error) {
	type best struct {
		wrong   int64
		feature int
	}
	bests := make([]best, len(f.chunk)-1)
	err := par.For(ctx, f.ctl, "", len(bests), func(c int) error {
		b := best{wrong: math.MaxInt64}
		for j := f.chunk[c]; j < f.chunk[c+1]; j++ {
			if wrong := f.least(w, j); wrong < b.wrong {
				b = best{wrong, j}
			}
		}
		bests[c] = b
		return nil
	})
	if err != nil {
		return Found{}, err
	}
	top := bests[0]
	for _, b := range bests {
		if b.wrong < top.wrong {
			top = b
		}
	}
	if f.constant && min(w.Plus, w.Minus) < top.wrong {
		c := Cut{Threshold: 1}
		if w.Plus > w.Minus {
			c.Threshold = -1
		}
		for i := range f.says {
			f.says[i] = c.Threshold < 0
		}
		return Found{Rule: Rule{Cut: c}, OK: true, says: f.says}, nil
	}
	cut := f.cut(w, top.feature)
	f.say(cut)
	return Found{Rule: Rule{Cut: f.rule(cut)}, OK: true, says: f.says}, nil
}

// State returns nothing: rounds do not depend on those before.
func (f *stumps) State() []uint64 { return nil }

// Resume takes nothing over.
func (f *stumps) Resume(_ context.Context, state []uint64) error {
	if len(state) > 0 {
		return learn.ErrState
	}
	return nil
}

// say notes what a cut says of each row: rows up to its place are below.
func (f *stumps) say(k candidate) {
	list, negative := f.row[f.first[k.feature]:f.first[k.feature+1]], f.negative[k.feature]
	above := k.sign > 0
	place := k.place
	if place < negative {
		place++
	}
	if len(list) < len(f.says) {
		// Zeros are above the negative numbers.
		zero := above == (k.place < negative)
		for i := range f.says {
			f.says[i] = zero
		}
	}
	for _, row := range list[:place] {
		f.says[row&rowMask] = !above
	}
	for _, row := range list[place:] {
		f.says[row&rowMask] = above
	}
}

// least returns the least error of the cuts of coordinate j, the largest number
// where it has none. With s the signed weight of the rows below a cut, Sign 1
// has Minus + s wrong and Sign -1 has Plus - s: so the least and the greatest s
// are looked for. Below zero s is summed upwards; above it r = (Plus - Minus) - s
// downwards, and zeros are in neither sum.
func (f *stumps) least(w Weights, j int) int64 {
	list := f.row[f.first[j]:f.first[j+1]]
	negative, positive := list[:f.negative[j]], list[f.negative[j]:]
	low, high, sum := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
	for _, row := range negative {
		sum += w.Signed[row&rowMask]
		if row&cutFlag != 0 {
			low, high = min(low, sum), max(high, sum)
		}
	}
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	sum = 0
	for i := len(positive) - 1; i >= 0; i-- {
		row := positive[i]
		sum += w.Signed[row&rowMask]
		if row&cutFlag != 0 {
			least, most = min(least, sum), max(most, sum)
		}
	}
	if all := w.Plus - w.Minus; least <= most {
		low, high = min(low, all-most), max(high, all-least)
	}
	if low > high {
		return math.MaxInt64
	}
	return min(w.Minus+low, w.Plus-high)
}

// cut returns the first cut of coordinate j, which has one, that has the least
// error.
func (f *stumps) cut(w Weights, j int) candidate {
	best := candidate{wrong: math.MaxInt64, feature: j}
	try := func(place int, s int64) {
		// Positive numbers come downwards: of equal ones the last is the lowest.
		up, down := w.Minus+s, w.Plus-s
		if wrong := min(up, down); wrong < best.wrong || wrong == best.wrong && place < best.place {
			best.wrong, best.place, best.sign = wrong, place, 1
			if down < up {
				best.sign = -1
			}
		}
	}
	list, negative := f.row[f.first[j]:f.first[j+1]], f.negative[j]
	sum := int64(0)
	for i, row := range list[:negative] {
		sum += w.Signed[row&rowMask]
		if row&cutFlag != 0 {
			try(i, sum)
		}
	}
	sum = w.Plus - w.Minus
	for i := len(list) - 1; i >= negative; i-- {
		sum -= w.Signed[list[i]&rowMask]
		if list[i]&cutFlag != 0 {
			try(i, sum)
		}
	}
	return best
}

// rule returns the cut with its threshold: half-way between its neighbours, or
// at one of them where there is no number between.
func (f *stumps) rule(k candidate) Cut {
	list, negative := f.row[f.first[k.feature]:f.first[k.feature+1]], f.negative[k.feature]
	value := func(i int) float64 { return coordinate(f.s.X[list[i]&rowMask], k.feature) }
	var below, above float64
	switch {
	case k.place >= negative:
		above = value(k.place)
		if k.place > negative {
			below = value(k.place - 1)
		}
	default:
		below = value(k.place)
		if k.place+1 < negative || len(list) == len(f.s.X) {
			above = value(k.place + 1)
		}
	}
	t := below + (above-below)/2
	if !(below < t && t < above) {
		t = below
		if k.sign > 0 {
			t = above
		}
	}
	return Cut{Feature: k.feature, Threshold: t, Sign: k.sign}
}
