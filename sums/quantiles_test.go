package sums_test

import (
	"bytes"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/sums"
)

// orders are numbers in orders that are hard for quantiles.
func orders(n int) map[string][]float64 {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	all := map[string][]float64{}
	for i := range n {
		x := float64(i)
		all["sorted"] = append(all["sorted"], x)
		all["reversed"] = append(all["reversed"], -x)
		all["constant"] = append(all["constant"], 3)
		all["heavy"] = append(all["heavy"], math.Pow(rng.NormFloat64(), 9))
		all["few"] = append(all["few"], float64(rng.IntN(5)))
		all["uniform"] = append(all["uniform"], rng.Float64())
		// From both ends to the middle, from the middle to both ends, the same period as a level,
		// and every other number a new largest one.
		all["inwards"] = append(all["inwards"], math.Copysign(float64(n-i), float64(i%2)-0.5))
		all["outwards"] = append(all["outwards"], math.Copysign(x, float64(i%2)-0.5))
		all["teeth"] = append(all["teeth"], float64(i%16)+x/float64(n))
		all["jumps"] = append(all["jumps"], x*float64(i%2))
	}
	return all
}

// bound is the error that is promised.
func bound(n, size int) float64 {
	if n < size {
		return 0
	}
	levels := bits.Len(uint(n / size)) // 1 + ⌊log₂(n/k)⌋
	return float64(levels+1) * float64(n) / float64(2*size)
}

// checkRanks compares ranks with those of all numbers, and returns the largest error.
func checkRanks(t *testing.T, name string, q *sums.Quantiles, v []float64) int {
	t.Helper()
	v = slices.Sorted(slices.Values(v))
	if q.Count != len(v) || float64(q.Error()) > bound(len(v), q.Size) || q.Min != v[0] || q.Max != v[len(v)-1] {
		t.Fatalf("%s: %d numbers from %v to %v with an error of %d; %d and %v are promised", name, q.Count, q.Min, q.Max,
			q.Error(), len(v), bound(len(v), q.Size))
	}
	worst := 0
	for i := 0; i < len(v); i += 1 + len(v)/500 {
		want, _ := slices.BinarySearchFunc(v, v[i], func(a, x float64) int {
			if a <= x {
				return -1
			}
			return 1
		})
		off := q.Rank(v[i]) - want
		if off > q.Over || -off > q.Under {
			t.Fatalf("%s: the rank of %v is %d off, by +%d and -%d at most", name, v[i], off, q.Over, q.Under)
		}
		worst = max(worst, off, -off)
	}
	for _, most := range []int{1, 2, 100} {
		numbers := q.Numbers(most)
		if len(numbers) != min(most, len(v)) || !slices.IsSorted(numbers) {
			t.Fatalf("%s: %v is not %d numbers", name, numbers, most)
		}
		for i, x := range numbers {
			if len(numbers) > 1 && (i == 0 || i == len(numbers)-1) {
				continue // the ends
			}
			low, there := slices.BinarySearch(v, x)
			high := low
			for high < len(v) && v[high] == x {
				high++
			}
			rank := int((float64(i) + 0.5) * float64(len(v)) / float64(len(numbers)))
			if !there || rank < low-q.Error() || rank > high-1+q.Error() {
				t.Fatalf("%s: number %d of %d is %v, at %d to %d, and must be at %d", name, i, most, x, low, high, rank)
			}
		}
	}
	return worst
}

func TestQuantiles(t *testing.T) {
	for _, size := range []int{2, 8, 16, 128} {
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000, 30_000} {
			for name, v := range orders(n) {
				q := sums.NewQuantiles(size)
				q.Add(v[:n/3])
				q.Add(v[n/3:])
				checkRanks(t, name, q, v)
				if n < size && !slices.Equal(q.Numbers(n), slices.Sorted(slices.Values(v))) {
					t.Fatalf("%s: %d of %d numbers are not all there", name, n, size)
				}
			}
		}
	}
}

// What quantiles of a table's column promise, and what is seen.
func TestQuantilesOfMany(t *testing.T) {
	const n, size = 300_000, 1024
	for name, v := range orders(n) {
		q := sums.NewQuantiles(size)
		q.Add(v)
		worst := checkRanks(t, name, q, v)
		b, _ := q.AppendBinary(nil)
		t.Logf("%-9s ranks off by %.3f%% at most, by %.3f%% as counted, %.3f%% as promised; %d bytes", name,
			100*float64(worst)/n, 100*float64(q.Error())/n, 100*bound(n, size)/n, len(b))
	}
}

// Merged in any tree, ranks keep their bound; in the same order it is the same bits.
func TestQuantilesMerge(t *testing.T) {
	const n, size = 20_000, 16
	rng := rand.New(rand.NewPCG(3, 4))
	for name, v := range orders(n) {
		for round := range 20 {
			var parts, twins []*sums.Quantiles
			for rest := v; len(rest) > 0; {
				cut := min(len(rest), 1+rng.IntN(1+n>>(round%12)))
				q, p := sums.NewQuantiles(size), sums.NewQuantiles(size)
				q.Add(rest[:cut])
				p.Add(rest[:cut])
				parts, twins, rest = append(parts, q), append(twins, p), rest[cut:]
			}
			for len(parts) > 1 {
				i := rng.IntN(len(parts) - 1)
				parts[i].Merge(parts[i+1])
				twins[i].Merge(twins[i+1])
				parts, twins = slices.Delete(parts, i+1, i+2), slices.Delete(twins, i+1, i+2)
			}
			checkRanks(t, name, parts[0], v)
			a, _ := parts[0].AppendBinary(nil)
			if b, _ := twins[0].AppendBinary(nil); !bytes.Equal(a, b) {
				t.Fatalf("%s: the same merges give other bits", name)
			}
		}
	}
	small, large, none := sums.NewQuantiles(4), sums.NewQuantiles(64), sums.NewQuantiles(8)
	small.Add([]float64{1, math.NaN(), 2})
	large.Add([]float64{5, 4, 3, 0, 9, 8, 7, 6})
	none.Merge(large)
	none.Merge(small)
	if none.Size != 4 || none.Count != 10 || none.Missing != 1 || none.Min != 0 || none.Max != 9 {
		t.Errorf("%+v", none)
	}
}
