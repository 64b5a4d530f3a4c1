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
	AUC      *float64  // of class 1 against class 0, where there are these two and rows of both; nil otherwise
	Outliers bool      // of a one-class machine on rows that do not say what they are: errors are outliers
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
		AUC      *float64  `json:"auc,omitempty"`
		Baseline *Baseline `json:"baseline,omitempty"`
	}{s.Metrics, s.AUC, s.Baseline})
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

// loss is what scores lose by a criterion.
func (t truth) loss(by eval.Criterion, scores *data.Matrix, weight []float64) float64 {
	if t.values != nil {
		return by.Numbers(scores.Data, t.values, weight)
	}
	return by.Classes(scores, t.y, weight)
}

// truth is what is true of rows: classes of the model, -1 for one that it does not
// know, or numbers.
type truth struct {
	y        []int
	values   []float64
	unknown  []string // labels that the model does not know, the first few
	outliers bool     // the rows do not say which they are, and count as inliers
}

// truthOf reads the labels of rows as the model's, of those in index, all if that is
// nil. Of a one-class machine all rows are inliers, unless all labels are its own.
func truthOf(p *model.Head, rows *dataset.Rows, index []int) (t truth, err error) {
	if p.Regresses() {
		t.values, err = rows.Values(index)
		return t, err
	}
	labels := rows.Labels
	if index != nil && labels != nil {
		labels = selected(labels, index)
	}
	one := p.Learner == model.LearnerOneClass
	classes := p.Classes
	if one {
		classes = model.OneClasses()
	}
	t.y, t.unknown = classIndex(classes, labels)
	if one && (labels == nil || t.unknown != nil) {
		n := len(index)
		if index == nil {
			n = rows.Len()
		}
		return inliers(n), nil
	}
	return t, nil
}

// inliers are rows of which all are.
func inliers(n int) truth {
	t := truth{y: make([]int, n), outliers: true}
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
	return &Score{Metrics: &m, AUC: t.auc(scores, weight), Outliers: t.outliers,
		Baseline: beside.classes(p.Classes, predicted, t.y, weight)}, nil
}

// auc returns the area under the ROC curve of two classes, by the scores of class 1:
// the probability that a row of class 1 has a larger score than one of class 0, by
// the weights of the rows. It is nil where there are other classes, or rows of one
// of them alone.
func (t truth) auc(scores *data.Matrix, weight []float64) *float64 {
	if scores.Cols != 2 || t.outliers {
		return nil
	}
	auc, ok := eval.ScoresAUC(scores, t.y, weight)
	if !ok {
		return nil
	}
	return &auc
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
		out = append(out, strconv.Quote(data.Clip(n, 60)))
	}
	return strings.Join(out, ", ")
}

// labelsKnown returns a check of the first rows of lines that are read for a model:
// where nobody says that they begin with labels, one of these must be one that the
// model knows. Otherwise parts of the instances would be taken for labels.
func (o *Options) labelsKnown(m *model.Model) func(r *dataset.Rows) error {
	done := o.Read.Target != "" || o.Read.Labels != "" || m.Learner == model.LearnerOneClass
	return func(r *dataset.Rows) error {
		if done || !r.GuessedLabels() {
			return nil
		}
		done = true
		for i, label := range r.Labels {
			if _, ok := m.Classes.Index(label); ok && !m.Regresses() {
				return nil
			}
			if _, err := r.Values([]int{i}); err == nil && m.Regresses() {
				return nil
			}
		}
		problem := fmt.Sprintf("no line begins with a label of the model; the first begins with %q", r.Labels[0])
		return badInput(r.Name, problem, "use --target none if the lines have no labels, or --target first if they do")
	}
}

// warnLabels tells what was taken for labels where a job does not look at them and
// nobody said where they are.
func (o *Options) warnLabels(rows *dataset.Rows) {
	if words := rows.LabelWords(); words != "" && o.Read.Target == "" && o.Read.Labels == "" {
		o.warn("%s: %s", rows.Name, words)
	}
}
