package bound

import (
	"fmt"
	"math"
)

// smallestError is the least error that is promised: below it a float64 loses
// digits, and 0 would be a promise that no bound makes.
const smallestError = 0x1p-1022

// boughtError takes an error that a formula gives to what is promised.
func boughtError(err float64) float64 { return max(smallestError, min(1, err)) }

// boughtConfidence returns 1 - δ for the δ that a formula gives, rounded down
// so that 1 - confidence is not below δ, and 0 where δ is no probability below
// 1. It is below 1, however small δ is.
func boughtConfidence(delta float64) float64 {
	if !(delta < 1) {
		return 0
	}
	c := min(1-delta, 1-0x1p-53)
	if c > 0 && 1-c < delta {
		c = math.Nextafter(c, 0)
	}
	return c
}

// boughtMargin returns the margin that a formula gives, or an error if that is
// above 1, but for rounding: there is no such margin. what names the budget.
func boughtMargin(what string, margin float64) (float64, error) {
	if !(margin <= 1+slack) {
		return 0, fmt.Errorf("margin: %w: %s serve no margin, not even 1; raise the error allowed or lower the confidence",
			ErrTooFew, what)
	}
	return min(margin, 1), nil
}

// least returns the least float64 in [lo, hi], both positive, for which ok
// holds, given that it holds from there on and at hi. It asks at most 64 times:
// positive numbers are ordered as their bits are.
func least(lo, hi float64, ok func(float64) bool) float64 {
	a, b := math.Float64bits(lo), math.Float64bits(hi)
	for a < b {
		mid := a + (b-a)/2
		if ok(math.Float64frombits(mid)) {
			b = mid
		} else {
			a = mid + 1
		}
	}
	return math.Float64frombits(a)
}

// leastCount returns the least count from lo on for which ok holds, given that it
// holds from there on; +Inf where it does not hold at all.
func leastCount(lo Count, ok func(float64) bool) Count {
	const whole, most = 1 << 53, 0x1p1000 // whose multiples in ok are still numbers
	if !(lo <= whole) || !ok(whole) {
		if !(lo <= most) || !ok(most) {
			return Count(math.Inf(1))
		}
		return Count(least(max(float64(lo), whole), most, ok))
	}
	a, b := int64(lo), int64(whole)
	for a < b {
		mid := a + (b-a)/2
		if ok(float64(mid)) {
			b = mid
		} else {
			a = mid + 1
		}
	}
	return Count(a)
}
