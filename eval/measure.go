package eval

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// ErrNoRows reports that there is nothing to measure.
var ErrNoRows = errors.New("there are no rows to measure")

// Measure is the recipe of what is measured: the confidence of all intervals
// and the bins of the calibration. Its measures do not depend on the seed, only
// the interval of the calibration error does.
//
// A row of weight k counts as k rows in every measure, and one of weight 0 is left
// out. Intervals do not take it for k rows, which would tell k times as much: they
// suppose that rows are independent, whatever their weights.
type Measure struct {
	Confidence float64 // of each interval by itself, in (0, 1); default 0.95
	Bins       int     // of the reliability table, 1 to 10,000; default 15
	Resamples  int     // for the interval of the calibration error, 0 for none, at most 1,000,000; default 2000
	Seed       uint64
	Weight     []float64 // of each row, not negative; nil for 1
}

// NewMeasure returns the recipe with its defaults.
func NewMeasure() Measure { return Measure{Confidence: 0.95, Bins: 15, Resamples: 2000} }

// Validate reports every field that is out of range.
func (m Measure) Validate() error {
	var faults []error
	if !(m.Confidence > 0 && m.Confidence < 1) {
		faults = append(faults, fmt.Errorf("measure: confidence is %v and must be above 0 and below 1", m.Confidence))
	}
	if m.Bins < 1 || m.Bins > 10_000 {
		faults = append(faults, fmt.Errorf("measure: bins is %d and must be from 1 to 10000", m.Bins))
	}
	if m.Resamples < 0 || m.Resamples > 1_000_000 {
		faults = append(faults, fmt.Errorf("measure: resamples is %d and must be from 0 to 1000000", m.Resamples))
	}
	return errors.Join(faults...)
}

// Said is what a model said of rows, beside the truth. Classes are numbered
// from 0; a true class of -1 is a label that the model does not know.
type Said struct {
	Classes int
	Truth   []int
	// nil for the class of the largest probability, else of the largest score; the smallest class in a tie
	Predicted     []int
	Scores        *data.Matrix // a column a class; nil if not known
	Probabilities *data.Matrix // a column a class; nil if not known
}

// Classification is what is measured of predicted classes. Rows whose true class
// is not known are errors, and are left out of everything that needs a score or
// a probability of the true class: AUC, log loss and Brier score.
type Classification struct {
	Metrics
	Unknown     int           `json:"unknown,omitempty"` // rows whose true class the model does not know
	MacroF1     *float64      `json:"macro_f1,omitempty"`
	AUC         *float64      `json:"auc,omitempty"`
	LogLoss     *float64      `json:"log_loss,omitempty"`
	Brier       *float64      `json:"brier,omitempty"`
	Calibration *Reliability  `json:"calibration,omitempty"`
	PerClass    []ClassScores `json:"per_class"`
	Confidence  float64       `json:"confidence"` // of each interval by itself
	Intervals   Intervals     `json:"intervals"`
}

// Intervals are the confidence intervals of a Classification; the measures of
// one class carry their own.
type Intervals struct {
	Error            *Interval `json:"error,omitempty"`             // ClopperPearson
	Accuracy         *Interval `json:"accuracy,omitempty"`          // ClopperPearson
	BalancedAccuracy *Interval `json:"balanced_accuracy,omitempty"` // SquareAndAdd
	MacroF1          *Interval `json:"macro_f1,omitempty"`          // Normal, or ClopperPearson where it is 0 or 1
	AUC              *Interval `json:"auc,omitempty"`               // DeLong, or Chernoff where the rows show no spread
	LogLoss          *Interval `json:"log_loss,omitempty"`          // Normal
	Brier            *Interval `json:"brier,omitempty"`             // Normal
	ECE              *Interval `json:"ece,omitempty"`               // Resampled
}

// Classification measures what a model said. It costs O(n·K + n log n) a class
// that has scores, for n rows of K classes. It returns ErrNoRows without rows,
// and refuses scores that are not finite and probabilities that are not from 0
// to 1 or do not sum to 1 within 1e-6.
func (m Measure) Classification(ctx context.Context, s Said) (*Classification, error) {
	if err := errors.Join(m.Validate(), s.validate(), learn.CheckWeights(len(s.Truth), m.Weight)); err != nil {
		return nil, err
	}
	weights := NewWeights(m.Weight)
	m, s = m.live(s)
	if s.Predicted == nil {
		s.Predicted = s.predict()
	}
	c := &Classification{Metrics: m.Metrics(s.Predicted, s.Truth, s.Classes), Confidence: m.Confidence}
	c.Weights, m = weights, m.unit()
	var wrong, all tally
	for i, t := range s.Truth {
		if t < 0 {
			c.Unknown++
		}
		all.add(m.weigh(i))
		if s.Predicted[i] != t {
			wrong.add(m.weigh(i))
		}
	}
	c.Intervals.Error = m.part(wrong, all)
	c.Intervals.Accuracy = m.part(all.without(wrong), all)
	m.countClasses(c, s)
	if s.Scores != nil || s.Probabilities != nil {
		if err := m.order(ctx, c, s); err != nil {
			return nil, err
		}
	}
	if s.Probabilities != nil {
		m.judge(c, s)
		c.Calibration = m.reliability(s)
		c.Intervals.ECE = m.calibrationInterval(c.Calibration)
	}
	return c, ctx.Err()
}

// validate reports what keeps s from being measured.
func (s Said) validate() error {
	n := len(s.Truth)
	if s.Classes < 1 {
		return fmt.Errorf("there are %d classes and there must be one at least", s.Classes)
	}
	if n == 0 {
		return ErrNoRows
	}
	if s.Predicted == nil && s.Scores == nil && s.Probabilities == nil {
		return errors.New("there are neither predicted classes nor scores nor probabilities; one of them is needed")
	}
	if s.Predicted != nil && len(s.Predicted) != n {
		return fmt.Errorf("there are %d predictions of %d rows; each row needs one", len(s.Predicted), n)
	}
	for i, t := range s.Truth {
		if t < -1 || t >= s.Classes {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("true class is %d and must be from 0 to %d, or -1", t,
				s.Classes-1)}
		}
		if s.Predicted != nil && (s.Predicted[i] < 0 || s.Predicted[i] >= s.Classes) {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("predicted class is %d and must be from 0 to %d",
				s.Predicted[i], s.Classes-1)}
		}
	}
	return errors.Join(s.checkMatrix("scores", s.Scores, false), s.checkMatrix("probabilities", s.Probabilities, true))
}

// checkMatrix reports what is wrong with the shape and the numbers of a matrix.
func (s Said) checkMatrix(name string, x *data.Matrix, chances bool) error {
	if x == nil {
		return nil
	}
	if x.Rows != len(s.Truth) || x.Cols != s.Classes {
		return fmt.Errorf("%s are of %d rows and %d classes and must be of %d and %d", name, x.Rows, x.Cols, len(s.Truth),
			s.Classes)
	}
	for i := range x.Rows {
		sum := 0.0
		for _, v := range x.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &learn.DataError{Row: i, Problem: fmt.Sprintf("one of the %s is %v and must be finite", name, v)}
			}
			if chances && (v < 0 || v > 1) {
				return &learn.DataError{Row: i, Problem: fmt.Sprintf("one of the %s is %v and must be from 0 to 1", name, v)}
			}
			sum += v
		}
		if chances && math.Abs(sum-1) > 1e-6 {
			return &learn.DataError{Row: i, Problem: fmt.Sprintf("the %s sum to %v and must sum to 1", name, sum)}
		}
	}
	return nil
}

// predict returns the class of the largest probability, or else score.
func (s Said) predict() []int {
	x := s.Probabilities
	if x == nil {
		x = s.Scores
	}
	out := make([]int, x.Rows)
	for i := range out {
		row := x.Row(i)
		for k, v := range row {
			if v > row[out[i]] {
				out[i] = k
			}
		}
	}
	return out
}
