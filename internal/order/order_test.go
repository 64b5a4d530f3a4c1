package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		x := make([][2]int, n)
		for i := range x {
			x[i] = [2]int{rng.IntN(9), i}
		}
		want := slices.Clone(x)
		first := func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) }
		slices.SortStableFunc(want, first)
		if Stable(x, first); !slices.Equal(x, want) {
			t.Fatalf("%d: %v, want %v", n, x, want)
		}
	}
}
