package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
)

// Task is what a model predicts.
type Task string

// The tasks.
const (
	Classify Task = "classify" // one of some labels
	Regress  Task = "regress"  // a number
)

// Sample is instances with what is to be learnt of each: a class or a number.
//
// Rows may have weights. A row of weight k counts as k rows in the learner, in
// the held-out error that choices go by, and in the calibration. Three things go
// by rows and not by weights: how rows are divided, which of them are landmarks,
// and what prediction sets and certificates promise.
type Sample[T any] struct {
	Task    Task
	X       data.Source[T]
	Classes data.Classes // of Classify
	Y       []int        // class of each row
	Values  []float64    // number of each row, of Regress
	Weight  []float64    // nil for 1 each

	By eval.Criterion // what choices go by; empty for the error, or the root of the mean squared error
}

// Labels returns the sample of instances with labels, which may be any strings.
func Labels[T any](d data.Labeled[T, string]) Sample[T] {
	classes, y := data.Encode(d.Y)
	return Sample[T]{Task: Classify, X: d.X, Classes: classes, Y: y, Weight: d.Weight}
}

// Numbers returns the sample of instances with numbers.
func Numbers[T any](d data.Labeled[T, float64]) Sample[T] {
	return Sample[T]{Task: Regress, X: d.X, Values: d.Y, Weight: d.Weight}
}

// Len returns the number of rows.
func (s Sample[T]) Len() int { return s.X.Len() }

// Select returns the rows at the given indices.
func (s Sample[T]) Select(index []int) Sample[T] {
	out := s
	out.X = data.Subset[T]{Of: s.X, Index: index}
	out.Y, out.Values, out.Weight = pick(s.Y, index), pick(s.Values, index), pick(s.Weight, index)
	return out
}

func pick[E any](list []E, index []int) []E {
	if list == nil {
		return nil
	}
	out := make([]E, len(index))
	for i, j := range index {
		out[i] = list[j]
	}
	return out
}

// Split divides the rows at random into a rest and a part, class by class where
// there are classes.
func (s Sample[T]) Split(part float64, seed uint64) (rest, held []int) {
	if s.Task == Regress {
		return data.Split(s.Len(), part, seed)
	}
	return data.SplitBy(s.Y, part, seed)
}

// atMost returns a part of about so many rows, all where there are no more.
func (s Sample[T]) atMost(rows int, seed uint64) Sample[T] {
	if s.Len() <= rows {
		return s
	}
	_, chosen := s.Split(float64(rows)/float64(s.Len()), seed)
	return s.Select(chosen)
}

// HoldOut returns the rows in two parts, to fit and to measure; false where there
// are too few for both.
func (s Sample[T]) HoldOut(part float64, seed uint64) (fit, measure Sample[T], ok bool) {
	rest, held := s.Split(part, seed)
	fit, measure = s.Select(rest), s.Select(held)
	return fit, measure, len(held) > 0 && fit.enough()
}

// enough reports whether there are rows of all classes, or two of numbers.
func (s Sample[T]) enough() bool {
	if s.Task == Regress {
		return s.Len() >= 2
	}
	return learn.CheckClasses(s.Len(), s.Y, s.Weight, s.Classes.Len()) == nil
}

// Loss is what scores of the rows lose by the criterion that choices go by.
func (s Sample[T]) Loss(scores *data.Matrix) float64 {
	switch {
	case s.By == "" || s.By == eval.ByError || s.By == eval.ByRMSE:
		return s.Error(scores)
	case s.Task == Regress:
		return s.By.Numbers(scores.Data, s.Values, s.Weight)
	}
	return s.By.Classes(scores, s.Y, s.Weight)
}

// Error is the part of the rows, by weight, whose largest score is not that of their class, or the
// root of the mean squared error.
func (s Sample[T]) Error(scores *data.Matrix) float64 {
	if s.Task == Regress {
		return rootMeanSquare(scores, s.Values, s.Weight)
	}
	return wrong(scores, s.Y, s.Weight)
}

// Doubt is the standard error of a loss measured on the rows, relative to it.
func (s Sample[T]) Doubt(loss float64) float64 {
	n := float64(s.Len())
	switch {
	case s.By == eval.ByMAE || s.By == eval.ByLogLoss:
		return 1 / math.Sqrt(n) // of a mean of what is about as large as it spreads
	case s.Task == Regress:
		return 1 / math.Sqrt(2*n) // of a root of a sum of squares
	case s.By == eval.ByAUC || s.By == eval.ByF1 || s.By == eval.ByBalanced:
		n = float64(s.rarest()) // of a mean over the rows of a class
	}
	return 1 / math.Sqrt(max(loss*n, 1)) // of a count of errors
}

// rarest is how many rows the rarest class has.
func (s Sample[T]) rarest() int {
	count := make([]int, s.Classes.Len())
	for _, c := range s.Y {
		count[c]++
	}
	return slices.Min(append(count, len(s.Y)))
}

// check reports rows that nothing can be learnt from.
func (s Sample[T]) check() error {
	n := s.Len()
	if n == 0 {
		return learn.ErrNoRows
	}
	if err := learn.CheckWeights(n, s.Weight); err != nil {
		return err
	}
	if s.Task == Regress && len(s.Values) != n {
		return fmt.Errorf("there are %d instances and %d targets; each instance needs one", n, len(s.Values))
	}
	for i, y := range s.Values {
		if y-y != 0 {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("the target is %v and must be a finite number", y)}
		}
	}
	return nil
}

// checkClasses reports rows without a label, a sample of one class, or a class
// without a row of positive weight.
func (s Sample[T]) checkClasses() error {
	if s.Task == Regress {
		return nil
	}
	if len(s.Y) != s.Len() {
		return fmt.Errorf("there are %d instances and %d labels; each instance needs one", s.Len(), len(s.Y))
	}
	if s.Classes.Len() < 2 {
		return fmt.Errorf("%w: %q", learn.ErrOneClass, strings.Join(s.Classes.Names, ""))
	}
	for i, c := range s.Y {
		if c < 0 || c >= s.Classes.Len() {
			problem := fmt.Sprintf("class is %d and must be from 0 to %d", c, s.Classes.Len()-1)
			return &learn.DataError{Row: i, Problem: problem}
		}
	}
	if s.Weight == nil {
		return nil
	}
	has := make([]bool, s.Classes.Len())
	for i, c := range s.Y {
		has[c] = has[c] || s.Weight[i] > 0
	}
	for c, ok := range has {
		if !ok {
			return &SampleError{fmt.Sprintf("all rows of the class %q have the weight 0; leave them out, or weigh one of them",
				s.Classes.Names[c])}
		}
	}
	return nil
}

// live returns the positions of the rows of positive weight; nil where all are.
func (s Sample[T]) live() []int {
	var index []int
	for i, w := range s.Weight {
		if w > 0 {
			index = append(index, i)
		}
	}
	if len(index) == len(s.Weight) {
		return nil
	}
	return index
}

// Spread is the standard deviation of numbers by weight, 1 where they are all the
// same and for classes.
func (s Sample[T]) Spread() float64 {
	if s.Task != Regress {
		return 1
	}
	return spread(s.Values, s.Weight)
}

// withX returns the sample with other instances in place of its own.
func withX[T, U any](s Sample[T], x data.Source[U]) Sample[U] {
	return Sample[U]{Task: s.Task, X: x, Classes: s.Classes, Y: s.Y, Values: s.Values, Weight: s.Weight}
}

// baseline is the error of the most frequent class, by weights.
func (s Sample[T]) baseline() float64 {
	sum, total := make([]float64, s.Classes.Len()), 0.0
	for i, c := range s.Y {
		w := 1.0
		if s.Weight != nil {
			w = s.Weight[i]
		}
		sum[c] += w
		total += w
	}
	if total == 0 {
		return 0
	}
	return 1 - slices.Max(sum)/total
}
