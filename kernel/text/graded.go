package text

import (
	"math"
	"sync"

	"github.com/kerf-ml/kerf/internal/order"
)

// graded emits each of the terms once, in increasing order, with the weight
//
//	1 + ln(count)
//
// of one that is there count times: the tenth time that a text has a word says less
// than the first. It changes the slice. The order is the same for all texts, so
// that sums over the terms that two have in common come out the same both ways.
func graded(terms []uint64, emit func(term uint64, weight float64)) {
	sorter := sorters.Get().(*order.Hashed)
	sorter.Sort(terms)
	sorters.Put(sorter)
	for len(terms) > 0 {
		n := 1
		for n < len(terms) && terms[n] == terms[0] {
			n++
		}
		emit(terms[0], gradedWeight(n))
		terms = terms[n:]
	}
}

// sorters keep the memory that terms, which are hashes, are sorted in.
var sorters = sync.Pool{New: func() any { return new(order.Hashed) }}

// gradedWeight returns 1 + ln(n).
func gradedWeight(n int) float64 {
	if n == 1 {
		return 1
	}
	return 1 + math.Log(float64(n))
}

// gradedNorm2 returns |φ(x)|² of a kernel whose terms are graded.
func gradedNorm2(k lister, x string) float64 {
	sum := 0.0
	k.Terms(x, func(_ uint64, weight float64) { sum += weight * weight })
	return sum
}

// The numbers of terms that are made letter by letter: FNV-1a over whole letters
// (Fowler, Noll and Vo), then the bijection at the end of MurmurHash3. Among n
// different terms two meet with probability about n²/2⁶⁵.
const (
	fnvStart = 14695981039346656037
	fnvPrime = 1099511628211
)

func fnvAdd(h uint64, letter rune) uint64 { return (h ^ uint64(letter)) * fnvPrime }

func fnvEnd(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
