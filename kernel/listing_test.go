package kernel_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
	"github.com/kerf-ml/kerf/kernel/text"
)

// listed is the inner product that a listing stands for, from its definition.
func listed[T any](l kernel.Listing[T], x, y T) float64 {
	at := func(x, y T) float64 {
		sum := 0.0
		for _, p := range l.Parts {
			sum += listed(p, x, y)
		}
		if l.List == nil {
			return sum
		}
		phi := map[uint64]float64{}
		l.List(y, func(term uint64, weight float64) { phi[term] += weight })
		l.List(x, func(term uint64, weight float64) { sum += weight * phi[term] })
		return sum
	}
	if l.Normalized {
		return l.Factor * kernel.Cosine(at(x, y), at(x, x), at(y, y))
	}
	return l.Factor * at(x, y)
}

// TestListing compares listings with the kernels themselves.
func TestListing(t *testing.T) {
	one := kernel.Kernel[string](kernel.Constant[string]{Value: 2})
	degree, shifted := kernel.Kernel[string](text.Degree{D: 3}), kernel.Kernel[string](text.Degree{D: 4, Shift: 2})
	spectrum, words := kernel.Kernel[string](text.Spectrum{K: 2}), kernel.Kernel[string](text.NewWords())
	x := []string{"", "a", "abcab", "abdab", "bab cab bab", "the cat and the dog", "abcabcab"}
	for _, k := range []kernel.Kernel[string]{
		degree, shifted, spectrum, words, one, kernel.Normalize(degree), kernel.Normalize[string](kernel.Normalize(words)),
		kernel.Sum(degree, one, kernel.Scale(0.5, spectrum)), kernel.Normalize(kernel.Sum(degree, words)),
		kernel.Scale(3, kernel.Kernel[string](kernel.Normalize(kernel.Scale(7, spectrum)))),
		kernel.Sum(kernel.Kernel[string](kernel.Normalize(words)), kernel.Kernel[string](kernel.Normalize(shifted))),
		kernel.Name("mine", spectrum),
	} {
		l, ok := kernel.ListingOf(k)
		if !ok {
			t.Errorf("%v has no listing", k)
			continue
		}
		for _, a := range x {
			for _, b := range x {
				// sums of fewer than 100 numbers of the size of the result
				if got, want := listed(l, a, b), k.Eval(a, b); math.Abs(got-want) > 1e-13*(1+math.Abs(want)) {
					t.Errorf("%v at %q and %q: %v, want %v", k, a, b, got, want)
				}
			}
		}
	}
	for _, k := range []kernel.Kernel[string]{
		kernel.Product(degree, spectrum), kernel.PowerOf(spectrum, 2), kernel.ExpOf(spectrum), text.NewSubsequence(2),
		kernel.Sum(degree, kernel.Kernel[string](text.NewSubsequence(2))), text.Substring{},
	} {
		if _, ok := kernel.ListingOf(k); ok {
			t.Errorf("%v has a listing", k)
		}
	}
	for k, want := range map[kernel.Kernel[data.Set]]bool{
		set.Intersection{}: true, set.Jaccard{}: false, set.NewConjunction(): false,
	} {
		if _, ok := kernel.ListingOf(k); ok != want {
			t.Errorf("%v has a listing: %v", k, ok)
		}
	}
}
