package certificate

import (
	"slices"

	"github.com/kerf-ml/kerf/margin"
)

// HeldOut certifies one separator from its margins on labelled instances that
// had no part in choosing it: with the given confidence, at most a part Bound of
// all instances has a margin below at. At 0 an instance on the separator counts
// as wrong, and Bound is a bound on the plain error.
//
// It is the bound of Clopper and Pearson on the number of margins below at. err
// is the error that is asked for, and features the dimension of the separator;
// both are only reported.
func HeldOut(m margin.Margins, at, err, confidence float64, features int) (Certificate, error) {
	c := Claim{Margin: 1, Error: err, Confidence: confidence}
	if fault := c.Validate(); fault != nil {
		return Certificate{}, fault
	}
	if fault := check("margin", at, at >= 0 && at <= 1, "at least 0 and at most 1"); fault != nil {
		return Certificate{}, fault
	}
	below, on := slices.BinarySearch(m, at)
	if at == 0 && on {
		for below < len(m) && m[below] == 0 {
			below++
		}
	}
	delta := 1 - confidence
	bound := binomialUpper(below, len(m), delta)
	return Certificate{
		Kind: Separator, Holds: bound <= err, Margin: at, Kept: at, Error: err, Bound: bound,
		Confidence: confidence, Spent: delta, Look: 1, Fresh: len(m), Features: features, Counted: below,
	}, nil
}
