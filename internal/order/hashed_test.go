package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHashed sorts numbers that are spread evenly, and others: all in one bin, all the same, in
// order and against it.
func TestHashed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func(i int) uint64{
		"even":     func(int) uint64 { return rng.Uint64() },
		"one bin":  func(int) uint64 { return rng.Uint64N(1 << 20) },
		"two bins": func(i int) uint64 { return rng.Uint64N(1<<20) | uint64(i&1)<<63 },
		"repeats":  func(int) uint64 { return rng.Uint64N(5) << 61 },
		"same":     func(int) uint64 { return ^uint64(0) },
		"rising":   func(i int) uint64 { return uint64(i) << 40 },
		"falling":  func(i int) uint64 { return ^uint64(i) },
	}
	var h Hashed
	for name, next := range kinds {
		for _, n := range []int{0, 1, 2, 47, 48, 49, 63, 64, 65, 300, 1023, 1024, 1025, 4096, 4097, 70_000} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = next(i)
			}
			want := slices.Clone(keys)
			slices.Sort(want)
			if h.Sort(keys); !slices.Equal(keys, want) {
				t.Errorf("%d numbers, %s: not in order", n, name)
			}
		}
	}
}

// BenchmarkHashed sorts other numbers each time: those of the time before are soon known by heart.
func BenchmarkHashed(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var h Hashed
	for _, n := range []int{32, 64, 300, 2000, 20_000} {
		keys, work := make([]uint64, max(4*n, 1<<18)), make([]uint64, n)
		for i := range keys {
			keys[i] = rng.Uint64()
		}
		for name, sort := range map[string]func([]uint64){"hashed": h.Sort, "slices": slices.Sort[[]uint64]} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				for at := 0; b.Loop(); at = (at + n) % (len(keys) - n) {
					copy(work, keys[at:])
					sort(work)
				}
			})
		}
	}
}
