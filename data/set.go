package data

import (
	"slices"
	"strings"
)

// Set is an instance that is a set of items: a shopping basket, the words of a
// text. Its items are sorted and differ from each other; NewSet sees to that. A
// nil Set is the empty set. A Set is never written to.
type Set []string

// NewSet returns the set of the given items. An item that comes more than once
// counts once. It copies the slice. The cost is n·log n comparisons.
func NewSet(items ...string) Set {
	s := slices.Clone(items)
	slices.Sort(s)
	return Set(slices.Clip(slices.Compact(s)))
}

// Has reports whether the item is in the set, in log n comparisons.
func (s Set) Has(item string) bool {
	_, found := slices.BinarySearch(s, item)
	return found
}

// Shared returns how many items s and t have in common, in one pass over both.
func (s Set) Shared(t Set) int {
	n := 0
	for i, j := 0, 0; i < len(s) && j < len(t); {
		switch c := strings.Compare(s[i], t[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}

// Valid reports whether the items are sorted and differ from each other.
func (s Set) Valid() bool {
	for i := 1; i < len(s); i++ {
		if s[i-1] >= s[i] {
			return false
		}
	}
	return true
}
