package margin

import (
	"math"
	"slices"
)

// Margins are the margins of a sample, in ascending order and none of them NaN.
// NewMargins makes them of numbers in any order.
//
// Of an empty sample nothing is known: all methods return 0, and it is for the
// caller to see by len that there is nothing to conclude.
type Margins []float64

// NewMargins returns the values in ascending order, in a slice of its own. A
// NaN becomes -1, the worst margin there is.
func NewMargins(values []float64) Margins {
	m := slices.Clone(values)
	for i, v := range m {
		if math.IsNaN(v) {
			m[i] = -1
		}
	}
	slices.Sort(m)
	return m
}

// Min returns the smallest margin: the γ by which the sample is separated, not
// positive where it is not separated (Blum 2006, definition 1). O(1).
func (m Margins) Min() float64 {
	if len(m) == 0 {
		return 0
	}
	return m[0]
}

// ErrorAt returns the part of the sample with margin below gamma: the error α
// at margin γ (Blum 2006, definition 2). At 0 it counts what is on the wrong
// side but not what lies on the separator. O(log n).
func (m Margins) ErrorAt(gamma float64) float64 {
	if len(m) == 0 {
		return 0
	}
	below, _ := slices.BinarySearch(m, gamma)
	return float64(below) / float64(len(m))
}

// Quantile returns the smallest margin v such that at least a part p of the
// sample has margins of at most v: the median for p = 1/2, Min for p = 0, the
// largest for p = 1. A p outside of [0, 1] is taken for the nearer end. O(1).
func (m Margins) Quantile(p float64) float64 {
	if len(m) == 0 {
		return 0
	}
	// p and the product round by 2⁻⁵³ each: 0.1·30 must be 3.
	rank := math.Ceil(p * float64(len(m)) * (1 - 0x1p-51))
	if !(rank > 1) {
		return m[0]
	}
	return m[int(min(rank, float64(len(m))))-1]
}
