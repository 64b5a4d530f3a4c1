package linear

import (
	"fmt"
	"math"
)

// penalties returns c times the weight of each of n rows.
func penalties(c float64, weight []float64, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = c
		if weight != nil {
			p[i] *= weight[i]
		}
	}
	return p
}

// checkTolerance reports a tolerance that is negative or not finite.
func checkTolerance(recipe string, tolerance float64) error {
	if !(tolerance >= 0) || math.IsInf(tolerance, 0) {
		return fmt.Errorf("%s: tolerance is %v and must be a number of at least 0", recipe, tolerance)
	}
	return nil
}
