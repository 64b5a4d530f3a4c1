package learn

import (
	"fmt"
	"math"
)

// Fields reports hyperparameters out of range, each with the recipe that the
// string names, its own name, its value and the range wanted. Nil is within it.
type Fields string

// Positive wants a number above 0.
func (f Fields) Positive(field string, v float64) error {
	if !(v > 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%s: %s is %v and must be a positive number", f, field, v)
	}
	return nil
}

// NotNegative wants a number of at least 0.
func (f Fields) NotNegative(field string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 0) {
		return fmt.Errorf("%s: %s is %v and must be a number of at least 0", f, field, v)
	}
	return nil
}

// Part wants a number in (0, 1].
func (f Fields) Part(field string, v float64) error {
	if !(v > 0 && v <= 1) {
		return fmt.Errorf("%s: %s is %v and must be above 0 and at most 1", f, field, v)
	}
	return nil
}

// AtLeast wants a whole number of at least so much.
func (f Fields) AtLeast(least int, field string, v int) error {
	if v < least {
		return fmt.Errorf("%s: %s is %d and must be at least %d", f, field, v, least)
	}
	return nil
}
