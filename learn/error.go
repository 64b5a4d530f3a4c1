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

// CheckBinary reports what is wrong with the labels y and the weights of n
// instances: another number of labels than of instances, no rows (ErrNoRows), a
// label other than +1 and -1 (*DataError), what CheckWeights reports, or a single
// class among the rows of positive weight (ErrOneClass).
func CheckBinary(n int, y, weight []float64) error {
	if err := checkCount(n, len(y)); err != nil {
		return err
	}
	for i, label := range y {
		if label != 1 && label != -1 {
			return &DataError{Row: i, Problem: fmt.Sprintf("label is %v and must be +1 or -1", label)}
		}
	}
	if err := CheckWeights(n, weight); err != nil {
		return err
	}
	positive, negative := false, false
	for i, label := range y {
		if weight == nil || weight[i] > 0 {
			positive, negative = positive || label > 0, negative || label < 0
		}
	}
	switch {
	case positive && negative:
		return nil
	case weight != nil:
		return fmt.Errorf("among rows of positive weight: %w", ErrOneClass)
	}
	return ErrOneClass
}

// CheckClasses reports what is wrong with the class indices y and the weights of
// n instances: another number of labels than of instances, no rows (ErrNoRows),
// an index outside 0 to classes-1 (*DataError), what CheckWeights reports, or a
// class without a row of positive weight (an error that names it and wraps
// ErrOneClass, since nothing separates it from the rest).
func CheckClasses(n int, y []int, weight []float64, classes int) error {
	if err := checkCount(n, len(y)); err != nil {
		return err
	}
	for i, class := range y {
		if class < 0 || class >= classes {
			return &DataError{Row: i, Problem: fmt.Sprintf("class is %d and must be from 0 to %d", class, classes-1)}
		}
	}
	if err := CheckWeights(n, weight); err != nil {
		return err
	}
	found := make([]bool, classes)
	for i, class := range y {
		found[class] = found[class] || weight == nil || weight[i] > 0
	}
	for class, ok := range found {
		switch {
		case !ok && weight != nil:
			return fmt.Errorf("class %d of %d has no row of positive weight: %w", class, classes, ErrOneClass)
		case !ok:
			return fmt.Errorf("class %d of %d has no row: %w", class, classes, ErrOneClass)
		}
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
