package certificate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BinomialUpper returns the upper confidence bound of Clopper and Pearson on a
// probability p of which count of n independent trials were hits:
//
//	the p with Pr[Binomial(n, p) ≤ count] = δ
//
// and 1 where all trials were hits or there were none. Whatever the true
// probability is, the bound is below it with probability at most δ. It is found
// by bisection and rounded upwards.
//
// Reference: Clopper and Pearson 1934.
func BinomialUpper(count, n int, delta float64) (float64, error) {
	if n < 0 || count < 0 || count > n {
		return 0, fmt.Errorf("%d hits of %d trials: there must be at least 0 hits, and no more than trials", count, n)
	}
	if err := checkDelta(delta); err != nil {
		return 0, err
	}
	return binomialUpper(count, n, delta), nil
}

func checkDelta(delta float64) error {
	return check("delta", delta, delta > 0 && delta < 1, "above 0 and below 1")
}

func binomialUpper(count, n int, delta float64) float64 {
	if count >= n {
		return 1
	}
	return bisect(0, 1, func(p float64) bool { return binomialTail(count, n, p) <= delta })
}

// binomialTail is Pr[Binomial(n, p) ≤ count] for count < n.
func binomialTail(count, n int, p float64) float64 {
	return mathext.RegIncBeta(float64(n-count), float64(count+1), 1-p)
}

// mostHits returns the largest count for which BinomialUpper is at most err,
// and -1 where n trials are too few to show that even if none is a hit. The
// tail grows with count, so it is found by bisection.
func mostHits(n int, err, delta float64) int {
	lo, hi := -1, n // tail(lo) ≤ δ, tail(hi) = 1
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if binomialTail(mid, n, err) <= delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// bisect returns the upper end of the interval of neighbouring numbers in
// [lo, hi] between which ok becomes true; ok(hi) must be true. The invariant is
// that hi is ok, so the result errs on the large side by at most one rounding.
func bisect(lo, hi float64, ok func(float64) bool) float64 {
	for range 200 {
		mid := lo + (hi-lo)/2
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// leastTrials returns the least n for which no hit at all shows a probability
// of at most err: (1-err)ⁿ ≤ δ.
func leastTrials(err, delta float64) int {
	n := math.Ceil(math.Log(delta) / math.Log1p(-err))
	return int(max(1, min(n, math.MaxInt32)))
}
