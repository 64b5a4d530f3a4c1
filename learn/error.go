package learn

import (
	"errors"
	"fmt"
)

// Faults of a sample as a whole.
var (
	// ErrNoRows reports a sample without instances.
	ErrNoRows = errors.New("there are no rows to learn from")
	// ErrOneClass reports a sample that lacks a class: two are needed to
	// separate one from the other.
	ErrOneClass = errors.New("all rows have the same label and two are needed")
)

// DataError reports a row that cannot be learnt from.
type DataError struct {
	Row     int    // counted from 0
	Problem string // what is wrong and what is wanted
}

func (e *DataError) Error() string { return fmt.Sprintf("row %d: %s", e.Row+1, e.Problem) }

// CheckBinary reports what is wrong with the labels y of n instances: another
// number of labels than of instances, no rows (ErrNoRows), a label other than
// +1 and -1 (*DataError), or a single class (ErrOneClass).
func CheckBinary(n int, y []float64) error {
	if err := checkCount(n, len(y)); err != nil {
		return err
	}
	positive := 0
	for i, label := range y {
		switch label {
		case 1:
			positive++
		case -1:
		default:
			return &DataError{Row: i, Problem: fmt.Sprintf("label is %v and must be +1 or -1", label)}
		}
	}
	if positive == 0 || positive == n {
		return ErrOneClass
	}
	return nil
}

// CheckClasses reports what is wrong with the class indices y of n instances:
// another number of labels than of instances, no rows (ErrNoRows), an index
// outside 0 to classes-1 (*DataError), or a class without a row (an error that
// names it and wraps ErrOneClass, since nothing separates it from the rest).
func CheckClasses(n int, y []int, classes int) error {
	if err := checkCount(n, len(y)); err != nil {
		return err
	}
	members := make([]int, classes)
	for i, class := range y {
		if class < 0 || class >= classes {
			return &DataError{Row: i, Problem: fmt.Sprintf("class is %d and must be from 0 to %d", class, classes-1)}
		}
		members[class]++
	}
	for class, m := range members {
		if m == 0 {
			return fmt.Errorf("class %d of %d has no row: %w", class, classes, ErrOneClass)
		}
	}
	return nil
}

// CheckWeights reports what is wrong with the weights of n rows: another number
// of them, one that is neither 0 nor from 1e-150 to 1e150 (*DataError), or none
// that is positive. No weights, nil, are 1 each.
func CheckWeights(n int, weight []float64) error {
	if weight == nil {
		return nil
	}
	if len(weight) != n {
		return fmt.Errorf("there are %d weights for %d rows; each row needs one", len(weight), n)
	}
	sum := 0.0
	for i, w := range weight {
		if !(w == 0 || w >= 1e-150 && w <= 1e150) {
			return &DataError{Row: i, Problem: fmt.Sprintf("weight is %v and must be 0, or from 1e-150 to 1e150", w)}
		}
		sum += w
	}
	if sum == 0 {
		return errors.New("all weights are 0 and one must be positive")
	}
	return nil
}

func checkCount(instances, labels int) error {
	if instances != labels {
		return fmt.Errorf("there are %d instances and %d labels; each instance needs one", instances, labels)
	}
	if instances == 0 {
		return ErrNoRows
	}
	return nil
}
