package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// Criterion is the measure that choices go by, as a loss: the less the better.
//
//	error     part of the rows with the wrong class
//	balanced  1 - mean over the classes of the part that is right
//	auc       1 - area under the ROC curve, of two classes; of more the mean over the classes of
//	          each against the rest
//	f1        1 - F1 of the rarer of two classes; of more the mean over the classes
//	logloss   mean of -ln p of the class of a row, p by the temperature that suits the scores best
//	rmse      root of the mean squared error of numbers
//	mae       mean absolute error of numbers
//
// Sums and means are by the weights of the rows. Empty stands for error, or rmse of numbers.
type Criterion string

// The criteria.
const (
	ByError    Criterion = "error"
	ByBalanced Criterion = "balanced"
	ByAUC      Criterion = "auc"
	ByF1       Criterion = "f1"
	ByLogLoss  Criterion = "logloss"
	ByRMSE     Criterion = "rmse"
	ByMAE      Criterion = "mae"
)

// Criteria are all of them: of classes, then of numbers.
var Criteria = []Criterion{ByError, ByBalanced, ByAUC, ByF1, ByLogLoss, ByRMSE, ByMAE}

// sameAs are other names of measures that choose the same.
var sameAs = map[string]Criterion{
	"accuracy": ByError, "balanced_accuracy": ByBalanced, "roc_auc": ByAUC, "log_loss": ByLogLoss, "mse": ByRMSE,
	"r2": ByRMSE,
}

// ParseCriterion returns the criterion of a name.
func ParseCriterion(name string) (Criterion, error) {
	low := strings.ToLower(name)
	if c, ok := sameAs[low]; ok {
		return c, nil
	}
	if c := Criterion(low); slices.Contains(Criteria, c) {
		return c, nil
	}
	var names []string
	for _, c := range Criteria {
		names = append(names, string(c))
	}
	return "", fmt.Errorf("unknown metric %q; there are %s", name, strings.Join(names, ", "))
}

// OfNumbers reports a criterion of numbers.
func (c Criterion) OfNumbers() bool { return c == ByRMSE || c == ByMAE }

// LossName is what a loss is called, in tables and on axes.
func (c Criterion) LossName() string {
	switch c {
	case ByAUC:
		return "1 - AUC"
	case ByF1:
		return "1 - F1"
	case ByLogLoss:
		return "log loss"
	case ByBalanced:
		return "balanced error"
	case ByRMSE, ByMAE:
		return strings.ToUpper(string(c))
	}
	return "error"
}

// Percent reports a loss that people read in hundredths.
func (c Criterion) Percent() bool { return c == "" || c == ByError || c == ByBalanced }

// Format writes a loss for people, as the measure that they know: an AUC and not what it lacks.
func (c Criterion) Format(loss float64) string {
	switch c {
	case ByAUC:
		return fmt.Sprintf("AUC %.4f", 1-loss)
	case ByF1:
		return fmt.Sprintf("F1 %.4f", 1-loss)
	case ByLogLoss:
		return fmt.Sprintf("log loss %.4g", loss)
	case ByBalanced:
		return fmt.Sprintf("balanced error %.2f%%", 100*loss)
	case ByRMSE:
		return fmt.Sprintf("RMSE %.4g", loss)
	case ByMAE:
		return fmt.Sprintf("MAE %.4g", loss)
	}
	return fmt.Sprintf("%.2f%%", 100*loss)
}

// Numbers is the loss of predicted numbers.
func (c Criterion) Numbers(predicted, truth, weight []float64) float64 {
	sum, all := 0.0, 0.0
	for i, v := range truth {
		e, w := math.Abs(predicted[i]-v), Measure{Weight: weight}.weigh(i)
		if c != ByMAE {
			e *= e
		}
		sum += w * e
		all += w
	}
	if all == 0 {
		return 0
	}
	if c == ByMAE {
		return sum / all
	}
	return math.Sqrt(sum / all)
}

// Classes is the loss of scores, a row an instance and a column a class. A class of -1 is one that has
// no column: it counts as an error, and other criteria leave the row out. Where a criterion
// is not defined, as an AUC of rows of one class, the loss is that of scores that say nothing.
func (c Criterion) Classes(scores *data.Matrix, y []int, weight []float64) float64 {
	switch c {
	case ByAUC:
		auc, ok := ScoresAUC(scores, y, weight)
		if !ok {
			return 0.5
		}
		return max(1-auc, 0)
	case ByLogLoss:
		return logLoss(scores, y, weight)
	}
	predicted := make([]int, len(y))
	for i := range y {
		predicted[i] = calibrate.Argmax(scores.Row(i))
	}
	if c == ByF1 {
		return lostF1(predicted, y, weight, scores.Cols)
	}
	m := Measure{Weight: weight}.Metrics(predicted, y, scores.Cols)
	if c == ByBalanced {
		return 1 - m.BalancedAccuracy
	}
	return m.Error
}

// known returns the rows whose class has a column and whose weight is not 0.
func known(y []int, weight []float64) []int {
	var out []int
	m := Measure{Weight: weight}
	for i, c := range y {
		if c >= 0 && m.weigh(i) > 0 {
			out = append(out, i)
		}
	}
	return out
}

// lostF1 is 1 - F1 of the rarer of two classes, or 1 - the mean over the classes that occur.
func lostF1(predicted, y []int, weight []float64, classes int) float64 {
	truth, said, both := make([]float64, classes), make([]float64, classes), make([]float64, classes)
	for _, i := range known(y, weight) {
		w := Measure{Weight: weight}.weigh(i)
		truth[y[i]] += w
		said[predicted[i]] += w
		if predicted[i] == y[i] {
			both[y[i]] += w
		}
	}
	if classes == 2 {
		rare := 1
		if truth[0] < truth[1] {
			rare = 0
		}
		if truth[rare]+said[rare] == 0 {
			return 1
		}
		return 1 - 2*both[rare]/(truth[rare]+said[rare])
	}
	sum, occur := 0.0, 0.0
	for c := range truth {
		if truth[c]+said[c] > 0 {
			sum += 2 * both[c] / (truth[c] + said[c])
			occur++
		}
	}
	if occur == 0 {
		return 1
	}
	return 1 - sum/occur
}

// logLoss is the mean of -ln p at the best temperature.
func logLoss(scores *data.Matrix, y []int, weight []float64) float64 {
	rows := known(y, weight)
	nothing := math.Log(float64(max(scores.Cols, 1)))
	if len(rows) == 0 {
		return nothing
	}
	some, class, w := data.NewMatrix(len(rows), scores.Cols), make([]int, len(rows)), make([]float64, len(rows))
	for i, r := range rows {
		copy(some.Row(i), scores.Row(r))
		class[i], w[i] = y[r], Measure{Weight: weight}.weigh(r)
	}
	fitted, err := calibrate.Temperature{Weight: w}.Fit(context.Background(), some, class)
	if err != nil {
		return nothing
	}
	sum, all := 0.0, 0.0
	p := make([]float64, scores.Cols)
	for i, c := range class {
		fitted.Probabilities(p, some.Row(i))
		sum -= w[i] * math.Log(max(p[c], math.SmallestNonzeroFloat64))
		all += w[i]
	}
	return sum / all
}
