package certificate

import (
	"errors"
	"fmt"
	"math"
)

// MeanUpper returns an upper confidence bound on the mean of a variable with
// values in [0, top], of which n independent values have the given mean:
//
//	top·q, q ≥ p the solution of KL(p‖q) = ln(1/δ)/n at p = mean/top
//	KL(p‖q) = p·ln(p/q) + (1-p)·ln((1-p)/(1-q))
//
// The bound is below the true mean with probability at most δ. It grows with
// the mean given, so that a mean that is itself an upper bound may stand for it.
// It is top for n = 0.
//
// Reference: Chernoff 1952; Hoeffding 1963, theorem 1.
func MeanUpper(mean, top float64, n int, delta float64) (float64, error) {
	var faults []error
	if !(top > 0) || math.IsInf(top, 0) {
		faults = append(faults, fmt.Errorf("top is %v and must be positive", top))
	}
	if !(mean >= 0 && mean <= top) {
		faults = append(faults, fmt.Errorf("mean is %v and must be at least 0 and at most %v", mean, top))
	}
	if n < 0 {
		faults = append(faults, fmt.Errorf("n is %d and must be at least 0", n))
	}
	if err := errors.Join(append(faults, checkDelta(delta))...); err != nil {
		return 0, err
	}
	return meanUpper(mean, top, n, delta), nil
}

func meanUpper(mean, top float64, n int, delta float64) float64 {
	p := min(1, mean/top)
	if n == 0 || p >= 1 {
		return top
	}
	room := -math.Log(delta) / float64(n)
	return top * bisect(p, 1, func(q float64) bool { return divergence(p, q) >= room })
}

// divergence is KL(p‖q) for 0 ≤ p ≤ q ≤ 1, p < 1.
func divergence(p, q float64) float64 {
	if q >= 1 {
		return math.Inf(1)
	}
	d := (1 - p) * (math.Log1p(-p) - math.Log1p(-q))
	if p > 0 {
		d += p * math.Log(p/q)
	}
	return d
}
