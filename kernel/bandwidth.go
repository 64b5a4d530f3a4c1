package kernel

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/order"
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
	rows := rowsOf(x, chosen)
	d2 := make([]float64, 0, len(rows)*len(rows)/2)
	for a, row := range rows {
		for _, other := range rows[:a] {
			if d := row.Distance2(other); d > 0 && !math.IsInf(d, 0) {
				d2 = append(d2, d)
			}
		}
	}
	if len(d2) == 0 {
		return 1
	}
	return math.Sqrt(order.Nth(d2, len(d2)/2))
}

// rowsOf returns some instances.
func rowsOf(x data.Source[data.Vector], index []int) []data.Vector {
	out := make([]data.Vector, len(index))
	for k, i := range index {
		out[k] = x.At(i)
	}
	return out
}

// taxiSample is how many instances the median of Σ|x_j - y_j| is taken over.
const taxiSample = 200

// MedianTaxi returns the median of Σ|x_j - y_j| over the pairs of a random sample
// of x that do not coincide, 1 where there is none.
func MedianTaxi(x data.Source[data.Vector], s uint64) float64 {
	chosen := seed.Choose(x.Len(), taxiSample, s, seed.Bandwidth)
	rows := rowsOf(x, chosen)
	all := make([]float64, 0, len(rows)*len(rows)/2)
	for a, row := range rows {
		for _, other := range rows[:a] {
			if d := L1.At(row, other); d > 0 && !math.IsInf(d, 0) {
				all = append(all, d)
			}
		}
	}
	if len(all) == 0 {
		return 1
	}
	return order.Nth(all, len(all)/2)
}
