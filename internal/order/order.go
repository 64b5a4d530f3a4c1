// Package order sorts what is short and of many types, and numbers that are hashes.
package order

import "sort"

// Stable sorts as slices.SortStableFunc does, by one piece of code for all types: each
// type that package slices sorts adds five to ten kilobytes to the program. It is for
// lists that people read; what is long is sorted by package slices.
func Stable[S ~[]E, E any](x S, compare func(a, b E) int) {
	sort.SliceStable(x, func(i, j int) bool { return compare(x[i], x[j]) < 0 })
}
