package certificate

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Thin returns places of instances with weights, in their order, such that those
// left are independent draws of the weighted distribution where all were
// independent draws: each is kept with probability weight/largest, and largest is
// a bound on the weights of all instances there could be. With 0 the largest of
// those given stands for it.
//
// Reference: von Neumann 1951, the method of rejection.
func Thin(weight []float64, largest float64, s uint64) ([]int, error) {
	for i, w := range weight {
		if !(w >= 0 && w <= math.MaxFloat64) || largest > 0 && w > largest {
			return nil, fmt.Errorf("weight %d is %v and must be at least 0 and no more than the largest", i, w)
		}
	}
	if largest == 0 {
		for _, w := range weight {
			largest = max(largest, w)
		}
	}
	rng := seed.Stream(s, seed.Resamples, 0)
	var out []int
	for i, w := range weight {
		if rng.Float64()*largest < w {
			out = append(out, i)
		}
	}
	return out, nil
}
