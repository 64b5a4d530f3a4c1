package data

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Split divides the indices 0..n-1 at random into two parts, the second of
// which holds the given fraction of them, rounded to the nearest count. Both
// are in increasing order. The split depends on n, fraction and s alone.
func Split(n int, fraction float64, s uint64) (rest, part []int) {
	return SplitBy(make([]int, n), fraction, s)
}

// SplitBy is Split class by class: each class gives the same fraction of its
// members, rounded to the nearest count, but a class of two or more is never
// left without a member in rest. class[i] is the class of row i.
func SplitBy(class []int, fraction float64, s uint64) (rest, part []int) {
	members := map[int][]int{}
	for i, c := range class {
		members[c] = append(members[c], i)
	}
	order := make([]int, 0, len(members))
	for c := range members {
		order = append(order, c)
	}
	slices.Sort(order)
	for _, c := range order {
		m := members[c]
		rng := seed.Stream(s, seed.Split, uint64(c))
		rng.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		k := int(math.Round(fraction * float64(len(m))))
		if k == len(m) && len(m) > 1 && fraction < 1 {
			k--
		}
		k = min(max(k, 0), len(m))
		part = append(part, m[:k]...)
		rest = append(rest, m[k:]...)
	}
	slices.Sort(rest)
	slices.Sort(part)
	return rest, part
}
