// Package calibrate turns scores into probabilities, and probabilities or
// predicted values into sets that hold the truth as often as was asked for.
//
// Platt, Isotonic and Temperature are recipes. Their Fit takes the scores of
// held-out rows, rows that had no part in finding the separators, and returns
// a Calibration. Split is the recipe of conformal prediction and returns a
// Conformal. Calibration and Conformal are small, can be written as JSON, and
// are not changed once fitted: they are safe for concurrent use.
//
// A matrix of scores has a row an instance and a column a class. Two classes
// have scores of which only the difference counts, so that the -s and s of one
// separator and the two scores of a softmax are both read as what they mean.
//
// docs/math/evaluation.md has the formulas and the proof of coverage.
package calibrate

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Method is how scores become probabilities.
type Method string

// The methods.
const (
	Sigmoid Method = "platt"       // a logistic function of each score
	Steps   Method = "isotonic"    // a function of each score that never falls
	Softmax Method = "temperature" // the softmax of all scores divided by one number
)

// Calibration is a fitted map from the scores of an instance to probabilities
// of its classes. The fields are for encoding only and must not be changed.
//
// With two classes the map of class 1 alone is kept, a function of half of the
// difference of the scores that never falls, and class 0 has the rest. With
// more, each class has a map of its own score, and the values are divided by
// their sum.
type Calibration struct {
	Method      Method   `json:"method"`
	Classes     int      `json:"classes"`
	Logistic    []Curve  `json:"logistic,omitempty"`    // of Platt, as many as learn.Separators
	Isotonic    []Points `json:"isotonic,omitempty"`    // of Isotonic, as many as learn.Separators
	Temperature float64  `json:"temperature,omitempty"` // of Temperature, positive
}

// Validate reports what is wrong with a calibration that was read from a file.
func (c *Calibration) Validate() error {
	if c.Classes < 2 {
		return fmt.Errorf("calibration: classes is %d and must be at least 2", c.Classes)
	}
	maps := learn.Separators(c.Classes)
	var faults []error
	switch c.Method {
	case Sigmoid:
		if len(c.Logistic) != maps {
			faults = append(faults, fmt.Errorf("calibration: there are %d logistic curves and must be %d", len(c.Logistic),
				maps))
		}
		for _, l := range c.Logistic {
			faults = append(faults, l.validate())
		}
	case Steps:
		if len(c.Isotonic) != maps {
			faults = append(faults, fmt.Errorf("calibration: there are %d isotonic maps and must be %d", len(c.Isotonic), maps))
		}
		for _, p := range c.Isotonic {
			faults = append(faults, p.validate())
		}
	case Softmax:
		if !(c.Temperature > 0) || math.IsInf(c.Temperature, 0) || math.IsInf(1/c.Temperature, 0) {
			faults = append(faults, fmt.Errorf("calibration: temperature is %v and must be positive", c.Temperature))
		}
	default:
		faults = append(faults, fmt.Errorf("calibration: method is %q and must be %s, %s or %s", c.Method, Sigmoid, Steps,
			Softmax))
	}
	return errors.Join(faults...)
}

// Probabilities writes the probability of each class into dst, which may be
// scores itself. Both must have a place a class. The numbers are in [0, 1] and
// sum to 1 but for rounding; where every map gives 0 all classes have the same.
// A score that is not a number counts as the lowest there is, and infinite
// scores as very large ones, so that no input gives anything else.
func (c *Calibration) Probabilities(dst, scores []float64) {
	if len(dst) != c.Classes || len(scores) != c.Classes {
		panic("calibrate: scores and probabilities need one place a class")
	}
	switch {
	case c.Method == Softmax:
		softmax(dst, scores, 1/c.Temperature)
	case c.Classes == 2:
		s := half(scores)
		if c.Method == Sigmoid {
			dst[0], dst[1] = c.Logistic[0].both(s)
		} else {
			p := c.Isotonic[0].At(s)
			dst[0], dst[1] = 1-p, p
		}
	default:
		for k, s := range scores {
			if c.Method == Sigmoid {
				_, dst[k] = c.Logistic[k].both(bounded(s))
			} else {
				dst[k] = c.Isotonic[k].At(bounded(s))
			}
		}
		normalise(dst)
	}
}

// Predict returns the class of the largest probability, the smallest such class
// in a tie: Argmax of Probabilities. With two classes it is a threshold on the
// difference of the scores, class 1 above it and class 0 elsewhere, because the
// map never falls; the threshold need not be 0. Temperature keeps the class of
// the largest score, always. With more classes Platt and Isotonic may prefer
// another class than the largest score does.
func (c *Calibration) Predict(scores []float64) int {
	p := make([]float64, c.Classes)
	c.Probabilities(p, scores)
	return Argmax(p)
}

// All returns the probabilities of every row of a matrix of scores.
func (c *Calibration) All(scores *data.Matrix) *data.Matrix {
	p := data.NewMatrix(scores.Rows, scores.Cols)
	for i := range scores.Rows {
		c.Probabilities(p.Row(i), scores.Row(i))
	}
	return p
}

// Argmax returns the index of the largest number, the smallest such index in a
// tie, and 0 where there is none. What is not a number is never the largest.
func Argmax(v []float64) int {
	at, best := 0, math.Inf(-1)
	for i, x := range v {
		if x > best {
			at, best = i, x
		}
	}
	return at
}

// limit is the largest size of a score that is told apart from larger ones: the
// difference of two is still a number.
const limit = 1e300

// bounded returns a score that is a number of at most the limit's size.
func bounded(s float64) float64 {
	if math.IsNaN(s) {
		return -limit
	}
	return max(-limit, min(s, limit))
}

// half is the score of class 1 against class 0: s for the scores -s and s.
func half(scores []float64) float64 { return bounded(scores[1])/2 - bounded(scores[0])/2 }

// normalise divides by the sum, and makes all equal where it is 0.
func normalise(p []float64) {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else {
			p[k] = 1 / float64(len(p))
		}
	}
}

// check reports what keeps scores and classes from being fitted to.
func check(scores *data.Matrix, y []int) error {
	if scores.Cols < 2 {
		return fmt.Errorf("the scores are of %d classes and two are needed", scores.Cols)
	}
	if scores.Rows != len(y) {
		return fmt.Errorf("there are scores of %d instances and %d classes; each instance needs one", scores.Rows, len(y))
	}
	if len(y) == 0 {
		return learn.ErrNoRows
	}
	for i, class := range y {
		if class < 0 || class >= scores.Cols {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("class is %d and must be from 0 to %d", class, scores.Cols-1)}
		}
		for _, s := range scores.Row(i) {
			if !(math.Abs(s) <= limit) {
				return &learn.DataError{Row: i, Problem: fmt.Sprintf("score is %v and must be a number of at most 1e300", s)}
			}
		}
	}
	return nil
}

// column returns the scores that map m reads, and whether each row has the
// class that the map is of.
func column(scores *data.Matrix, y []int, m int) (s []float64, positive []bool) {
	s, positive = make([]float64, len(y)), make([]bool, len(y))
	class := learn.PositiveClass(m, scores.Cols)
	for i := range s {
		if scores.Cols == 2 {
			s[i] = half(scores.Row(i))
		} else {
			s[i] = scores.Row(i)[m]
		}
		positive[i] = y[i] == class
	}
	return s, positive
}
