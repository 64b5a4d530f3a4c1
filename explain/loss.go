package explain

import (
	"fmt"
	"math"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// R2 is a metric of numbers beside the criteria of package eval: as a loss it is
// 1 - R², the mean squared error in the unit of that of the mean.
const R2 = "r2"

// Truth is what is true of rows.
type Truth struct {
	Classes []int     // of the model; -1 for a label that it does not know
	Values  []float64 // of a model of numbers
	Weight  []float64 // of the rows; nil for 1 each
}

// Len returns the number of rows.
func (t *Truth) Len() int { return max(len(t.Classes), len(t.Values)) }

// ParseMetric returns the metric of a name: a criterion of package eval, or R2. Empty is
// the error of classes and the RMSE of numbers.
func ParseMetric(name string, m *model.Head) (string, error) {
	low := strings.ToLower(name)
	if low == R2 && m.Regresses() {
		return R2, nil
	}
	if name == "" {
		if m.Regresses() {
			return string(eval.ByRMSE), nil
		}
		return string(eval.ByError), nil
	}
	c, err := eval.ParseCriterion(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w, %s", err, R2)
	case c.OfNumbers() && !m.Regresses():
		return "", fmt.Errorf("metric %s is for numbers, and the model predicts classes; use error, balanced, auc, f1 or "+
			"logloss", low)
	case m.Regresses() && !c.OfNumbers():
		return "", fmt.Errorf("metric %s is for classes, and the model predicts numbers; use rmse, mae or r2", low)
	case c == eval.ByLogLoss && m.Calibration == nil:
		return "", fmt.Errorf("metric logloss needs probabilities, and the model has none; use another, or train it " +
			"with --calibrate")
	}
	return string(c), nil
}

// lossOf returns the loss of scores of rows by a metric, the less the better, where
// rows of weight 0 are as if they were not there.
func lossOf(metric string, m *model.Head, t *Truth) func(scores *data.Matrix, weight []float64) float64 {
	if m.Regresses() {
		return func(scores *data.Matrix, weight []float64) float64 {
			if metric == R2 {
				return unexplained(scores.Data, t.Values, weight)
			}
			return eval.Criterion(metric).Numbers(scores.Data, t.Values, weight)
		}
	}
	switch c := eval.Criterion(metric); c {
	case eval.ByAUC:
		return func(scores *data.Matrix, weight []float64) float64 { return c.Classes(scores, t.Classes, weight) }
	case eval.ByLogLoss:
		return func(scores *data.Matrix, weight []float64) float64 { return logLoss(m, scores, t.Classes, weight) }
	default:
		return func(scores *data.Matrix, weight []float64) float64 {
			return c.Classes(decided(m, scores), t.Classes, weight)
		}
	}
}

// decided returns scores of which the largest is that of the class which the model
// decides for: a calibration may decide otherwise than the scores do.
func decided(m *model.Head, scores *data.Matrix) *data.Matrix {
	out := data.NewMatrix(scores.Rows, scores.Cols)
	for i := range scores.Rows {
		out.Row(i)[m.Decide(scores.Row(i))] = 1
	}
	return out
}

// leastProbability keeps the loss of a class that the model calls impossible finite.
const leastProbability = 1e-15

// logLoss is the mean of -ln p of the classes of rows, p as the model has it. Rows of a
// class that it does not know are left out.
func logLoss(m *model.Head, scores *data.Matrix, y []int, weight []float64) float64 {
	sum, all := 0.0, 0.0
	p := make([]float64, scores.Cols)
	for i, c := range y {
		if c < 0 || weight[i] == 0 {
			continue
		}
		m.Calibration.Probabilities(p, scores.Row(i))
		sum -= weight[i] * math.Log(max(p[c], leastProbability))
		all += weight[i]
	}
	if all == 0 {
		return math.Log(float64(scores.Cols))
	}
	return sum / all
}

// unexplained is 1 - R²: the squared errors of numbers by those of their mean, 1 where
// these are 0.
func unexplained(predicted, truth, weight []float64) float64 {
	mean, all := 0.0, 0.0
	for i, v := range truth {
		mean += weight[i] * v
		all += weight[i]
	}
	mean /= all
	errors, spread := 0.0, 0.0
	for i, v := range truth {
		errors += weight[i] * (predicted[i] - v) * (predicted[i] - v)
		spread += weight[i] * (v - mean) * (v - mean)
	}
	if !(spread > 0) {
		return 1
	}
	return errors / spread
}
