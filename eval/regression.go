package eval

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/learn"
)

// Regression is what is measured of predicted values, with e = truth - predicted:
//
//	RMSE = √mean e²    MAE = mean |e|    R² = 1 - Σe²/Σ(truth - mean truth)²
//
// with all sums and means by the weights of the rows.
//
// R² is nil where the truth is constant or has a single row.
type Regression struct {
	N          int                 `json:"n"` // rows
	RMSE       float64             `json:"rmse"`
	MAE        float64             `json:"mae"`
	R2         *float64            `json:"r2,omitempty"`
	Confidence float64             `json:"confidence"` // of each interval by itself
	Intervals  RegressionIntervals `json:"intervals"`
	Weights    *Weights            `json:"weights,omitempty"` // of the rows, nil where they had none
}

// RegressionIntervals are normal: that of RMSE is the root of the ends of that
// of mean e², and that of R² is by the delta method. They are nil where the
// rows show no spread.
type RegressionIntervals struct {
	RMSE *Interval `json:"rmse,omitempty"`
	MAE  *Interval `json:"mae,omitempty"`
	R2   *Interval `json:"r2,omitempty"`
}

// Regression measures predicted values against true ones, in O(n). It returns
// ErrNoRows without rows, and refuses values that are not finite or whose
// difference is not.
func (m Measure) Regression(predicted, truth []float64) (*Regression, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if len(predicted) != len(truth) {
		return nil, fmt.Errorf("there are %d predictions of %d rows; each row needs one", len(predicted), len(truth))
	}
	if len(truth) == 0 {
		return nil, ErrNoRows
	}
	if err := learn.CheckWeights(len(truth), m.Weight); err != nil {
		return nil, err
	}
	weights, at := NewWeights(m.Weight), liveRows(m.Weight)
	predicted, truth, m.Weight = pick(predicted, at), pick(truth, at), pick(m.Weight, at)
	m = m.unit()
	var largest float64 // error, the unit of all that follows
	e := make([]float64, len(truth))
	for i, v := range truth {
		e[i] = math.Abs(v - predicted[i])
		if !(e[i] <= math.MaxFloat64) || math.Abs(v) > math.MaxFloat64/4 {
			row := i
			if at != nil {
				row = at[i]
			}
			return nil, &learn.DataError{Row: row,
				Problem: fmt.Sprintf("value %v and prediction %v must be numbers below 4e307, and their difference finite", v,
					predicted[i])}
		}
		largest = max(largest, e[i])
	}
	r := &Regression{N: len(truth), Confidence: m.Confidence, Weights: weights}
	unit := largest
	if unit == 0 {
		unit = 1
	}
	square := make([]float64, len(e))
	for i := range e {
		e[i] /= unit
		square[i] = e[i] * e[i]
	}
	mean, se := m.meanError(e, nil)
	r.MAE = mean * unit
	r.Intervals.MAE = scaled(normal(mean, se, m.Confidence, 0, math.Inf(1)), unit)
	mean, se = m.meanError(square, nil)
	r.RMSE = math.Sqrt(mean) * unit
	if i := normal(mean, se, m.Confidence, 0, math.Inf(1)); i != nil {
		i.Low, i.High = math.Sqrt(i.Low), math.Sqrt(i.High)
		r.Intervals.RMSE = scaled(i, unit)
	}
	m.explained(r, truth, square, unit)
	return r, nil
}

// scaled multiplies the ends of an interval.
func scaled(i *Interval, unit float64) *Interval {
	if i == nil {
		return nil
	}
	return finite(&Interval{Low: i.Low * unit, High: i.High * unit, Method: i.Method})
}

// explained fills in R². With q = Σe²/Σd², d = truth - mean truth, a row moves
// it by -(e² - q·d²)·n/Σd² per part 1/n of weight.
func (m Measure) explained(r *Regression, truth, square []float64, unit float64) {
	n := float64(len(truth))
	centre, spread := 0.0, 0.0
	for i, v := range truth {
		centre += v / n * m.weigh(i)
	}
	for _, v := range truth {
		spread = max(spread, math.Abs(v-centre))
	}
	if constant(truth) || spread == 0 {
		return
	}
	total, lost := 0.0, 0.0
	for i, v := range truth {
		d := (v - centre) / spread
		total += m.weigh(i) * d * d
		lost += m.weigh(i) * square[i]
	}
	ratio := unit / spread
	q := ratio * ratio * (lost / total)
	if math.IsInf(q, 0) {
		return
	}
	r.R2 = pointer(1 - q)
	sum := 0.0
	for i, v := range truth {
		d := (v - centre) / spread
		move := m.weigh(i) * (square[i]*ratio*ratio - q*d*d) * (n / total)
		sum += move * move
	}
	r.Intervals.R2 = normal(1-q, math.Sqrt(sum)/n, m.Confidence, math.Inf(-1), 1)
}
