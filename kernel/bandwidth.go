package kernel

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// bandwidthSample is how many instances the median distance is taken over.
const bandwidthSample = 500

// MedianDistance returns the median of |x_i - x_j| over the pairs of a random
// sample of x, without the pairs that coincide: the usual first guess for the
// width σ of a Gaussian kernel. Where no two instances differ it returns 1.
// The cost is at most 125,000 distances.
func MedianDistance(x data.Source[data.Vector], s uint64) float64 {
	chosen := seed.Choose(x.Len(), bandwidthSample, s, seed.Bandwidth)
	var d2 []float64
	for a, i := range chosen {
		for _, j := range chosen[:a] {
			if d := x.At(i).Distance2(x.At(j)); d > 0 && !math.IsInf(d, 0) {
				d2 = append(d2, d)
			}
		}
	}
	if len(d2) == 0 {
		return 1
	}
	slices.Sort(d2)
	return math.Sqrt(d2[len(d2)/2])
}

// taxiSample is how many instances the median of Σ|x_j - y_j| is taken over.
const taxiSample = 200

// MedianTaxi returns the median of Σ|x_j - y_j| over the pairs of a random sample
// of x that do not coincide, 1 where there is none.
func MedianTaxi(x data.Source[data.Vector], s uint64) float64 {
	chosen := seed.Choose(x.Len(), taxiSample, s, seed.Bandwidth)
	var all []float64
	for a, i := range chosen {
		for _, j := range chosen[:a] {
			if d := L1.At(x.At(i), x.At(j)); d > 0 && !math.IsInf(d, 0) {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	return all[len(all)/2]
}
