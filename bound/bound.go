// Package bound says how many: the sample sizes and dimensions that the
// theorems of kerf ask for, with every constant explicit. docs/math has the
// statements and the proofs.
//
// The parameters are the same everywhere:
//
//	margin      γ, the margin that is assumed, in (0, 1]
//	err         ε, the error that is allowed at the margin that is left, in (0, 1)
//	confidence  1 - δ, the probability that it holds, in (0, 1)
//	noise       α, the part of the data that lacks margin γ to begin with, in [0, 1)
//
// Each function reports every parameter that is out of range, and returns an
// error that wraps ErrTooLarge where the count does not fit. Every function
// takes constant time. A bound is enough, not necessary: what is measured is
// often far smaller.
//
// Most counts can be read backwards: LandmarksError is the error that a budget
// of landmarks buys, LandmarksMargin the margin, LandmarksConfidence the
// confidence, and so for the others. An error of 1 and a confidence of 0 say
// that the budget buys nothing; where there is no such value, for a margin, a
// distortion or a dimension, the error wraps ErrTooFew. What is bought is never
// overstated: asked forwards again it costs no more than the budget.
package bound

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrTooLarge is wrapped by the error for a count that does not fit an int, or
// that is past 2⁵³, where a float64 no longer counts one by one.
var ErrTooLarge = errors.New("the count does not fit")

// ErrTooFew is wrapped by the error for a budget that buys nothing at all: no
// margin, even 1, or no distortion, even the largest, is promised for it.
var ErrTooFew = errors.New("the budget is too small")

// largest is the largest count that is returned as an int.
const largest = min(math.MaxInt, 1<<53)

// Count says how many: a whole number up to 2⁵³, and above that the nearest
// float64 to what the formula gives, +Inf where there is none.
type Count float64

// String writes a whole number with all its digits, and one past 2⁵³ as 1.23e+17.
func (c Count) String() string {
	if math.IsInf(float64(c), 1) {
		return "more than 1.8e+308"
	}
	if c > 1<<53 {
		return fmt.Sprintf("%.3g", float64(c))
	}
	return strconv.FormatInt(int64(c), 10)
}

// MarshalJSON writes a number, and null for one past all that there are.
func (c Count) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(c), 1) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(c))
}

// fit returns the count as an int where that is one.
func (c Count) fit(what string) (int, error) {
	if !(c <= largest) {
		return 0, fmt.Errorf("%s: %w: it would be %.3g; raise the margin, the error allowed or the distortion, or lower "+
			"the confidence",
			what, ErrTooLarge, float64(c))
	}
	return int(c), nil
}

// slack is the relative error that a formula of this package may have by
// rounding, its parameters included: at most 16 operations of 2⁻⁵³ each. A
// value this close to a whole number is taken for it, so that
// 1/(0.1·0.1) = 99.99999999999999 is 100.
const slack = 16 * 0x1p-53

// fit2 returns two counts as ints, or what does not fit.
func fit2(a Count, aWhat string, b Count, bWhat string) (int, int, error) {
	m, fault1 := a.fit(aWhat)
	n, fault2 := b.fit(bWhat)
	if fault := errors.Join(fault1, fault2); fault != nil {
		return 0, 0, fault
	}
	return m, n, nil
}

// ceil returns the smallest count that is at least v.
func ceil(v float64) Count { return count(v, math.Ceil) }

// floor returns the largest count that is at most v.
func floor(v float64) Count { return count(v, math.Floor) }

func count(v float64, round func(float64) float64) Count {
	if near := math.Round(v); math.Abs(v-near) <= slack*v {
		return Count(near)
	}
	return Count(round(v))
}

// checkMargin, and the others like it, return nil or what is wrong.
func checkMargin(margin float64) error {
	return checkRange("margin", margin, margin > 0 && margin <= 1, "above 0 and at most 1")
}

func checkError(err float64) error {
	return checkRange("error", err, err > 0 && err < 1, "above 0 and below 1")
}

func checkConfidence(confidence float64) error {
	return checkRange("confidence", confidence, confidence > 0 && confidence < 1, "above 0 and below 1")
}

func checkNoise(noise float64) error {
	return checkRange("noise", noise, noise >= 0 && noise < 1, "at least 0 and below 1")
}

func checkDistortion(distortion float64) error {
	return checkRange("distortion", distortion, distortion > 0 && distortion < 1, "above 0 and below 1")
}

// checkCount is for budgets: dimensions, landmarks, examples, rounds.
func checkCount(name string, n int) error {
	if n < 1 {
		return fmt.Errorf("%s is %d and must be at least 1", name, n)
	}
	return nil
}

func checkRange(name string, value float64, ok bool, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s is %v and must be %s", name, value, want)
}
