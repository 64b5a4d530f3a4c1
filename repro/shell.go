package repro

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/kerf-ml/kerf/data"
)

// shell returns a unit vector of dim ≥ 2 coordinates, dense, and its label, of
// margin γ exactly under the first axis: (±γ, the rest a uniform direction). Of
// all distributions with margin γ it gives away least of the separator.
func shell(rng *rand.Rand, dim int, margin float64) (x []float64, label float64) {
	x = make([]float64, dim)
	length := 0.0
	for j := 1; j < dim; j++ {
		x[j] = rng.NormFloat64()
		length += x[j] * x[j]
	}
	across := math.Sqrt((1 - margin) * (1 + margin) / length)
	for j := 1; j < dim; j++ {
		x[j] *= across
	}
	label = float64(2*rng.IntN(2) - 1)
	x[0] = label * margin
	return x, label
}

// sparseShell is shell with at most few coordinates beside the first that are not
// 0, for large dimensions.
func sparseShell(rng *rand.Rand, dim, few int, margin float64) (data.Vector, float64) {
	x, label := shell(rng, min(few+1, dim), margin)
	if dim <= few+1 {
		return data.Dense(x...), label
	}
	// Floyd's way to draw a subset, each coordinate of 1 … dim-1 at most once.
	taken := map[int32]bool{}
	for j := dim - few; j < dim; j++ {
		k := int32(1 + rng.IntN(j))
		if taken[k] {
			k = int32(j)
		}
		taken[k] = true
	}
	index := make([]int32, 1, few+1)
	for k := range taken {
		index = append(index, k)
	}
	slices.Sort(index)
	return data.Vector{Index: index, Value: x}, label
}

// axis is the first axis: the separator of shell.
func axis(dim int) []float64 {
	w := make([]float64, dim)
	w[0] = 1
	return w
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// cosine is the margin of x under w for the label, 0 where a vector is 0.
func cosine(w, x []float64, label float64) float64 {
	length := math.Sqrt(dot(w, w) * dot(x, x))
	if length == 0 {
		return 0
	}
	return label * dot(w, x) / length
}

// shellError is the probability that a draw of shell, in len(w) ≥ 3 dimensions, has
// a margin below at under w: with k = len(w) - 1 and T a coordinate of a uniform
// unit vector of k dimensions,
//
//	ℓ·w·x = γ·w_0 + √(1-γ²)·|w_1 …|·T,   Pr[T < -c] = I_{1-c²}((k-1)/2, 1/2)/2
//
// for 0 ≤ c ≤ 1. It is 1 for w = 0, which is on no side of anything.
func shellError(w []float64, margin, at float64) float64 {
	length, rest := math.Sqrt(dot(w, w)), math.Sqrt(dot(w[1:], w[1:]))
	if length == 0 {
		return 1
	}
	gap, spread := at*length-margin*w[0], math.Sqrt((1-margin)*(1+margin))*rest
	switch {
	case gap <= -spread:
		return 0
	case gap >= spread:
		return 1
	}
	c := gap / spread
	tail := mathext.RegIncBeta(float64(len(w)-2)/2, 0.5, (1-c)*(1+c)) / 2
	if c > 0 {
		return 1 - tail
	}
	return tail
}

// shells returns n draws of shell as rows.
func shells(rng *rand.Rand, n, dim int, margin float64) labelled {
	return shellWorld(dim, margin).rows(n, func(int) ([]float64, float64) { return shell(rng, dim, margin) })
}

// sqrt0 is the root of what is not negative but for rounding.
func sqrt0(v float64) float64 { return math.Sqrt(max(v, 0)) }
