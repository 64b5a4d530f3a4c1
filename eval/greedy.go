package eval

import "math"

// Greedy returns coefficients of n candidates, at least 0 and with sum 1, that a loss
// is small for, by forward selection with replacement: beginning with no candidate,
// each of most rounds takes the one with which the mean of all taken has the least
// loss, whether it was taken before or not. The result is the best mean of any
// round, so that it is no worse than the best candidate alone.
//
// The loss may be any function of the coefficients, such as one minus the AUC of the
// blend of held-out scores; it must not keep or change its argument. What is NaN counts
// as larger than all numbers. Ties go to the simpler: to fewer rounds, then to a
// candidate that was taken before, then to the first. With n or most below 1 the
// result is nil. The loss is evaluated n·most times at most.
//
// Reference: Caruana, Niculescu-Mizil, Crew and Ksikes 2004.
func Greedy(n, most int, loss func(weights []float64) float64) []float64 {
	if n < 1 || most < 1 {
		return nil
	}
	taken, weights := make([]int, n), make([]float64, n)
	var best []float64
	least := math.NaN()
	for round := 1; round <= most; round++ {
		next, low := -1, math.NaN()
		for i := range n {
			for j, c := range taken {
				if j == i {
					c++
				}
				weights[j] = float64(c) / float64(round)
			}
			v := loss(weights)
			if next < 0 || below(v, low) || !below(low, v) && taken[i] > 0 && taken[next] == 0 {
				next, low = i, v
			}
		}
		taken[next]++
		if best != nil && !below(low, least) {
			continue
		}
		least, best = low, make([]float64, n)
		for j, c := range taken {
			best[j] = float64(c) / float64(round)
		}
	}
	return best
}

// below reports whether a loss is less than another; NaN is less than none.
func below(a, b float64) bool { return a < b || a == a && b != b }
