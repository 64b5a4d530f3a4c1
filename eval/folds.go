package eval

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Folds is the recipe that divides rows into K parts, each of which is tested
// on once while the others are trained on, and that anew in each repeat. The
// same seed gives the same folds on every machine.
type Folds struct {
	K       int // parts, at least 2; default 5
	Repeats int // at least 1; default 1
	Seed    uint64
}

// NewFolds returns the recipe with its defaults.
func NewFolds() Folds { return Folds{K: 5, Repeats: 1} }

// Validate reports every field that is out of range.
func (f Folds) Validate() error {
	var faults []error
	if f.K < 2 {
		faults = append(faults, fmt.Errorf("folds: k is %d and must be at least 2", f.K))
	}
	if f.Repeats < 1 {
		faults = append(faults, fmt.Errorf("folds: repeats is %d and must be at least 1", f.Repeats))
	}
	return errors.Join(faults...)
}

// Fold is one part of the rows. It is immutable.
type Fold struct {
	Repeat   int   // from 0
	Index    int   // from 0 to K-1 within the repeat
	Test     []int // rows of the part, increasing
	Untested []int // classes without a row in Test; of Stratified only
	Unseen   []int // classes all of whose rows are in Test, so that nothing can learn them; of Stratified only
	n        int
}

// Train returns the rows of all other parts, increasing. It makes the list anew,
// in O(n), so that folds of many rows do not hold it K times.
func (f Fold) Train() []int {
	out := make([]int, 0, f.n-len(f.Test))
	next := 0
	for i := range f.n {
		if next < len(f.Test) && f.Test[next] == i {
			next++
			continue
		}
		out = append(out, i)
	}
	return out
}

// Plain divides n rows at random into parts whose sizes differ by at most one.
// It returns the folds of the first repeat, then those of the second, and an
// error where there are fewer rows than parts.
func (f Folds) Plain(n int) ([]Fold, error) {
	folds, err := f.Stratified(make([]int, max(n, 0)))
	for i := range folds {
		folds[i].Untested, folds[i].Unseen = nil, nil
	}
	return folds, err
}

// Stratified divides rows at random so that the numbers of rows of each class
// in two parts differ by at most one, and the sizes of parts too. A class of
// fewer rows than there are parts is missing in some, which say so in Untested;
// one of a single row cannot be learnt when it is tested, which Unseen says.
//
// The rows of each class are shuffled and put one class after another; parts
// then take rows from this line in turn.
func (f Folds) Stratified(y []int) ([]Fold, error) {
	if err := errors.Join(f.Validate(), f.enough("rows", len(y))); err != nil {
		return nil, err
	}
	classes := slices.Compact(slices.Sorted(slices.Values(y)))
	members := make([][]int, len(classes))
	for i, c := range y {
		at, _ := slices.BinarySearch(classes, c)
		members[at] = append(members[at], i)
	}
	var out []Fold
	for r := range f.Repeats {
		rng := seed.Stream(f.Seed, seed.Folds, uint64(r))
		folds := f.empty(r, len(y))
		turn := 0
		for c, rows := range members {
			line := slices.Clone(rows)
			rng.Shuffle(len(line), func(i, j int) { line[i], line[j] = line[j], line[i] })
			for a, i := range line {
				part := &folds[(turn+a)%f.K]
				part.Test = append(part.Test, i)
			}
			for a := range f.K - min(f.K, len(line)) {
				part := &folds[(turn+len(line)+a)%f.K]
				part.Untested = append(part.Untested, classes[c])
			}
			if len(line) == 1 {
				folds[turn%f.K].Unseen = append(folds[turn%f.K].Unseen, classes[c])
			}
			turn = (turn + len(line)) % f.K
		}
		out = append(out, tidy(folds)...)
	}
	return out, nil
}

// Grouped divides rows at random so that all rows of a group are in one part. It
// returns an error where there are fewer groups than parts.
//
// Groups are taken from the largest to the smallest, those within a factor of
// two of each other in random order, and each goes to the part that has the
// fewest rows. The sizes of two parts differ by no more than the largest group.
func (f Folds) Grouped(groups []string) ([]Fold, error) {
	number := map[string]int{}
	var members [][]int
	for i, g := range groups {
		at, known := number[g]
		if !known {
			at = len(members)
			number[g] = at
			members = append(members, nil)
		}
		members[at] = append(members[at], i)
	}
	if err := errors.Join(f.Validate(), f.enough("groups", len(members))); err != nil {
		return nil, err
	}
	var out []Fold
	for r := range f.Repeats {
		rng := seed.Stream(f.Seed, seed.Folds, uint64(r))
		order := rng.Perm(len(members))
		slices.SortStableFunc(order, func(a, b int) int {
			return bits.Len(uint(len(members[b]))) - bits.Len(uint(len(members[a])))
		})
		folds := f.empty(r, len(groups))
		for _, g := range order {
			least := 0
			for k := range folds {
				if len(folds[k].Test) < len(folds[least].Test) {
					least = k
				}
			}
			folds[least].Test = append(folds[least].Test, members[g]...)
		}
		out = append(out, tidy(folds)...)
	}
	return out, nil
}

// enough reports fewer things than parts.
func (f Folds) enough(what string, n int) error {
	if n < f.K {
		return fmt.Errorf("folds: %d %s cannot be divided into %d parts; use fewer folds", n, what, f.K)
	}
	return nil
}

func (f Folds) empty(repeat, n int) []Fold {
	folds := make([]Fold, f.K)
	for k := range folds {
		folds[k] = Fold{Repeat: repeat, Index: k, n: n}
	}
	return folds
}

// tidy puts all lists into increasing order.
func tidy(folds []Fold) []Fold {
	for _, f := range folds {
		slices.Sort(f.Test)
		slices.Sort(f.Untested)
		slices.Sort(f.Unseen)
	}
	return folds
}
