package learn

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// CheckWeight reports a weight of a row that is neither 0 nor from 1e-150 to
// 1e150 as a *DataError: so far apart, squares, sums and quotients of weights
// are finite.
func CheckWeight(row int, w float64) error {
	if !(w == 0 || w >= 1e-150 && w <= 1e150) {
		return &DataError{Row: row, Problem: fmt.Sprintf("weight is %v and must be 0, or from 1e-150 to 1e150", w)}
	}
	return nil
}

// CheckWeights reports what is wrong with the weights of n rows: another number
// of them, one that CheckWeight reports, or none that is positive. No weights,
// nil, are 1 each.
func CheckWeights(n int, weight []float64) error {
	if weight == nil {
		return nil
	}
	if len(weight) != n {
		return fmt.Errorf("there are %d weights for %d rows; each row needs one", len(weight), n)
	}
	sum := 0.0
	for i, w := range weight {
		if err := CheckWeight(i, w); err != nil {
			return err
		}
		sum += w
	}
	if sum == 0 && n > 0 {
		return errors.New("all weights are 0 and one must be positive")
	}
	return nil
}

// Repetitions returns the rows as often as their weights say, in order: a row of
// weight k k times. It is nil, and stands for each row once, where all weights
// are 1 or there are none. It is how learners that visit row after row take
// weights, and refuses those that are no whole numbers with a *DataError.
// Memory: 8 bytes a repetition.
func Repetitions(ctl run.Control, weight []float64) ([]int, error) {
	sum, once := 0.0, true
	for i, w := range weight {
		if w != math.Trunc(w) {
			const problem = "weight is %v and must be a whole number: a row of weight k is k rows to this learner"
			return nil, &DataError{Row: i, Problem: fmt.Sprintf(problem, w)}
		}
		sum += w
		once = once && w == 1
	}
	if once {
		return nil, nil
	}
	if err := ctl.Reserve("the repeated rows", repeatedBytes*sum, "divide all weights by the same"); err != nil {
		return nil, err
	}
	index := make([]int, 0, int(sum))
	for i, w := range weight {
		for range int(w) {
			index = append(index, i)
		}
	}
	return index, nil
}

// repeatedBytes is what a learner keeps of a row, about: the row, its label, its
// length and its place.
const repeatedBytes = 80

// Repeated returns the sample with its rows as often as Repetitions says, and
// without weights.
func Repeated[T, Y any](ctl run.Control, d data.Labeled[T, Y]) (data.Labeled[T, Y], error) {
	index, err := Repetitions(ctl, d.Weight)
	d.Weight = nil
	if err != nil || index == nil {
		return d, err
	}
	return d.Select(index), nil
}

// Weights returns the weights of n rows in a list of its own: those given, and 1
// each for nil.
func Weights(n int, weight []float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	copy(out, weight)
	return out
}
