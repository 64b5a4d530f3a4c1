package job

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// Score is what a model gets right on some rows: of classes or of numbers. In JSON
// it is the one that there is.
type Score struct {
	*eval.Metrics
	*eval.Regression
	Outliers bool      // of a one-class machine: errors are outliers
	Baseline *Baseline // what an answer that looks at no instance reaches on the rows; nil for none
}

// MarshalJSON writes the one that there is.
func (s *Score) MarshalJSON() ([]byte, error) {
	if s.Regression != nil {
		return json.Marshal(struct {
			*eval.Regression
			Baseline *Baseline `json:"baseline,omitempty"`
		}{s.Regression, s.Baseline})
	}
	return json.Marshal(struct {
		*eval.Metrics
		Baseline *Baseline `json:"baseline,omitempty"`
	}{s.Metrics, s.Baseline})
}

// weights returns what the weights of the rows come to, nil where they had none.
func (s *Score) weights() *eval.Weights {
	if s.Regression != nil {
		return s.Regression.Weights
	}
	return s.Metrics.Weights
}

// Rows returns how many rows were measured.
func (s *Score) Rows() int {
	if s.Regression != nil {
		return s.Regression.N
	}
	return s.Metrics.N
}

// Loss is the measure that a search makes small: the error, or the RMSE.
func (s *Score) Loss() float64 {
	if s.Regression != nil {
		return s.RMSE
	}
	return s.Metrics.Error
}

// Measures returns the measures by the names that they have in JSON.
func (s *Score) Measures() map[string]float64 {
	if s.Regression == nil {
		return map[string]float64{
			"n": float64(s.Metrics.N), "error": s.Metrics.Error, "accuracy": s.Accuracy, "balanced_accuracy": s.BalancedAccuracy,
		}
	}
	out := map[string]float64{"n": float64(s.Regression.N), "rmse": s.RMSE, "mae": s.MAE}
	if s.R2 != nil {
		out["r2"] = *s.R2
	}
	return out
}

// String is the score for people.
func (s *Score) String() string {
	by := ""
	if s.weights() != nil {
		by = ", by weight"
	}
	if s.Outliers {
		return fmt.Sprintf("%s of %d rows are outliers%s", percent(s.Metrics.Error), s.Metrics.N, by)
	}
	if s.Regression == nil {
		return fmt.Sprintf("error %s on %d rows%s", percent(s.Metrics.Error), s.Metrics.N, by)
	}
	r2 := "not defined"
	if s.R2 != nil {
		r2 = fmt.Sprintf("%.4f", *s.R2)
	}
	return fmt.Sprintf("RMSE %.5g, MAE %.5g, R² %s on %d rows%s", s.RMSE, s.MAE, r2, s.Regression.N, by)
}

// percent writes a part of one for people.
func percent(p float64) string { return strconv.FormatFloat(100*p, 'f', 2, 64) + "%" }

// truth is what is true of rows: classes of the model, -1 for one that it does not
// know, or numbers.
type truth struct {
	y       []int
	values  []float64
	unknown []string // labels that the model does not know, the first few
}

// truthOf reads labels as the model's. Of a one-class machine all rows are inliers.
func truthOf(p *model.Head, name string, labels []string, n int) (truth, error) {
	var t truth
	switch {
	case p.Regresses():
		var err error
		t.values, err = dataset.Values(name, labels)
		return t, err
	case p.Learner == model.LearnerOneClass:
		return inliers(n), nil
	}
	t.y, t.unknown = classIndex(p.Classes, labels)
	return t, nil
}

// inliers are rows of which all are.
func inliers(n int) truth {
	t := truth{y: make([]int, n)}
	for i := range t.y {
		t.y[i] = 1
	}
	return t
}

// score measures scores of rows against what is true of them, beside a constant
// where there is one.
func (t truth) score(p *model.Head, scores *data.Matrix, weight []float64, beside *Constant) (*Score, error) {
	if p.Regresses() {
		m, err := measureBy(weight).Regression(scores.Data, t.values)
		if err != nil {
			return nil, err
		}
		b, err := beside.numbers(scores.Data, t.values, weight)
		return &Score{Regression: m, Baseline: b}, err
	}
	predicted := p.DecideAll(scores)
	m := eval.Measure{Weight: weight}.Metrics(predicted, t.y, p.Classes.Len())
	return &Score{Metrics: &m, Outliers: p.Learner == model.LearnerOneClass,
		Baseline: beside.classes(p.Classes, predicted, t.y, weight)}, nil
}

// measureBy returns how to measure rows of the given weights.
func measureBy(weight []float64) eval.Measure {
	m := eval.NewMeasure()
	m.Weight = weight
	return m
}

// classIndex returns the classes of labels, -1 for those that the model does
// not know, and the first few of these.
func classIndex(classes data.Classes, labels []string) (y []int, unknown []string) {
	y = make([]int, len(labels))
	seen := map[string]bool{}
	for i, l := range labels {
		c, ok := classes.Index(l)
		if !ok {
			c = -1
			if !seen[l] && len(unknown) < 3 {
				unknown = append(unknown, fmt.Sprintf("%q", l))
			}
			seen[l] = true
		}
		y[i] = c
	}
	return y, unknown
}

// checkLabels warns of labels that the model does not know, and refuses data in
// which it knows none.
func (o *Options) checkLabels(name string, p *model.Head, t truth) error {
	if len(t.unknown) == 0 {
		return nil
	}
	known := 0
	for _, c := range t.y {
		if c >= 0 {
			known++
		}
	}
	names := strings.Join(t.unknown, ", ")
	if known == 0 {
		problem := fmt.Sprintf("none of its labels is known to the model: it has %s, the model has %s", names,
			Quoted(p.Classes.Names))
		return badInput(name, problem, "check --target")
	}
	o.warn("%s: %d of %d rows have labels that training did not have (%s); they count as errors", name, len(t.y)-known,
		len(t.y), names)
	return nil
}

// Quoted lists names, the first few of them.
func Quoted(names []string) string {
	var out []string
	for i, n := range names {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
