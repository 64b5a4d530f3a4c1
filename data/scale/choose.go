package scale

import (
	"math"
	"slices"
)

// What Choose goes by.
const (
	fewValues = 10  // different numbers that have no tail
	longTail  = 1   // skewness of what a logarithm may mend
	mended    = 1.5 // and what it may leave of it
	heavyTail = 2   // skewness of what is no longer taken as it stands
	heavyEnds = 10  // excess kurtosis of the same
)

// Choose returns the scale of numbers in increasing order under Mixed:
//
//   - Standard where there are fewer than 10 different ones;
//   - Log where none is negative, or none positive, their skewness is past ±1, and
//     that of their logarithms (see Curve) is within ±1.5 and at most half of it;
//   - Quantile where the skewness is past ±2 or the excess kurtosis past 10;
//   - Standard otherwise.
func Choose(v []float64) Kind {
	different := 0
	for i, x := range v {
		if i == 0 || x != v[i-1] {
			different++
		}
	}
	if different < fewValues {
		return Standard
	}
	skew, kurtosis := shape(v)
	if (v[0] >= 0 || v[len(v)-1] <= 0) && math.Abs(skew) > longTail {
		c, logs := Curve{Unit: unit(v)}, make([]float64, len(v))
		for i, x := range v {
			logs[i] = c.At(x)
		}
		if s, _ := shape(logs); math.Abs(s) <= mended && math.Abs(s) <= math.Abs(skew)/2 {
			return Log
		}
	}
	if math.Abs(skew) > heavyTail || kurtosis > heavyEnds {
		return Quantile
	}
	return Standard
}

// shape returns the skewness Σz³/n and the excess kurtosis Σz⁴/n - 3 of numbers in
// increasing order, z being their standard scale; 0 where they are all the same.
func shape(v []float64) (skew, kurtosis float64) {
	f := Standard.Fit(slices.Values(v))
	if v[0] == v[len(v)-1] {
		return 0, 0
	}
	for _, x := range v {
		z := f.Of(x)
		skew += z * z * z
		kurtosis += z * z * z * z
	}
	n := float64(len(v))
	return skew / n, kurtosis/n - 3
}
