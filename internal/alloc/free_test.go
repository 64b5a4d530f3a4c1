package alloc_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/alloc"
)

// What was freed is given out once, with room for what was asked for, and what was not is left alone.
func TestFree(t *testing.T) {
	const large = 1 << 17 // numbers from which slices are of this package
	held := alloc.Slice[float64](large)
	for i := range held {
		held[i] = 7
	}
	for _, n := range []int{0, 1, large - 1, large, large + 1, 3*large + 5, 8 * large, 8*large + 1} {
		alloc.Free(alloc.Slice[float64](n))
		alloc.Free(make([]float64, n))
		var all [][]float64
		for range 4 {
			s := alloc.Slice[float64](n)
			if len(s) != n || cap(s) < n {
				t.Fatalf("%d of %d for %d", len(s), cap(s), n)
			}
			all = append(all, s)
		}
		for k, s := range all {
			for i := range s {
				s[i] = float64(k)
			}
		}
		for k, s := range all {
			if slices.ContainsFunc(s, func(v float64) bool { return v != float64(k) }) {
				t.Fatalf("slices of %d share memory", n)
			}
		}
	}
	for _, v := range held {
		if v != 7 {
			t.Fatal("memory that is in use was given out")
		}
	}
}
