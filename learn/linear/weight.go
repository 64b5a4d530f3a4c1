package linear

import (
	"fmt"
	"math"
)

// checkWeights reports what is wrong with the weights of n rows: another number
// of them than of rows, or one that is negative or not finite. Nil is fine.
func checkWeights(recipe string, weight []float64, n int) error {
	if weight == nil {
		return nil
	}
	if len(weight) != n {
		return fmt.Errorf("%s: there are %d weights for %d rows; each row needs one", recipe, len(weight), n)
	}
	return nil
}

// checkWeightValues reports the first weight that is negative or not finite.
func checkWeightValues(recipe string, weight []float64) error {
	for i, c := range weight {
		if !(c >= 0) || math.IsInf(c, 0) {
			return fmt.Errorf("%s: weight %d is %v and must be a number of at least 0", recipe, i+1, c)
		}
	}
	return nil
}

// prices returns c times the weight of each of n rows.
func prices(c float64, weight []float64, n int) []float64 {
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
