package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/order"
)

// headline is the one number that matters.
func (p TrainPage) headline() Fact {
	f := Fact{Name: "Test "}
	if !p.Test {
		f.Name = "Training "
	}
	confidence := 0.0
	switch c, r := p.Classification, p.Regression; {
	case r != nil:
		f.Name += "RMSE"
		f.Value, f.Interval, confidence = digits5(r.RMSE), between(r.Intervals.RMSE, digits5), r.Confidence
	case c != nil:
		if p.Scores != nil {
			f.Name = map[bool]string{true: "Outliers among the test rows", false: "Outliers among the training rows"}[p.Test]
		} else {
			f.Name += "error"
		}
		f.Value, f.Interval, confidence = percent(c.Error), between(c.Intervals.Error, percent), c.Confidence
	}
	if f.Interval != "" {
		f.Interval += " with " + percentage(confidence) + " confidence"
	}
	return f
}

// measures is the table of what was measured, nil for none.
func (p TrainPage) measures() *Table {
	t := &Table{}
	add := func(name string, v *float64, i *eval.Interval, write func(float64) string) {
		if v != nil {
			t.Rows = append(t.Rows, Cells(name, write(*v), between(i, write)))
		}
	}
	confidence := 0.0
	switch c, r := p.Classification, p.Regression; {
	case r != nil:
		confidence = r.Confidence
		add("RMSE", &r.RMSE, r.Intervals.RMSE, digits5)
		add("MAE", &r.MAE, r.Intervals.MAE, digits5)
		add("R²", r.R2, r.Intervals.R2, decimals)
	case c != nil && p.Scores == nil:
		confidence = c.Confidence
		add("error", &c.Error, c.Intervals.Error, percent)
		add("accuracy", &c.Accuracy, c.Intervals.Accuracy, percent)
		add("balanced accuracy", &c.BalancedAccuracy, c.Intervals.BalancedAccuracy, percent)
		add("F1, mean over the classes", c.MacroF1, c.Intervals.MacroF1, decimals)
		add("AUC", c.AUC, c.Intervals.AUC, decimals)
		add("log loss", c.LogLoss, c.Intervals.LogLoss, decimals)
		add("Brier score", c.Brier, c.Intervals.Brier, decimals)
		if c.Calibration != nil {
			add("calibration error", &c.Calibration.ECE, c.Intervals.ECE, percent)
		}
	default:
		return nil
	}
	t.Columns = []string{"measure", "value", percentage(confidence) + " confidence"}
	return t
}

// classTables are the confusions and the measures of each class.
func (p TrainPage) classTables() []Section {
	var out []Section
	if said := p.Said; len(said.Truth) > 0 {
		confusion := eval.Confusion(said.Predicted, said.Truth, said.Classes)
		if said.Classes <= mostClasses {
			out = append(out, Section{
				Title: "Confusion matrix", Matrix: &Matrix{Names: p.Classes, Counts: confusion},
				Text: "A row for each true label, a column for each predicted one. Right ones are blue, confusions orange.",
			})
		} else if t := p.commonest(confusion); len(t.Rows) > 0 {
			out = append(out, Section{Title: "Most frequent confusions", Table: t})
		}
	}
	if c := p.Classification; c != nil && p.Scores == nil && len(c.PerClass) > 0 {
		out = append(out, p.classByClass(c.PerClass))
	}
	return out
}

// commonest lists the most frequent confusions.
func (p TrainPage) commonest(confusion [][]int) *Table {
	type confused struct{ label, predicted, count int }
	var all []confused
	for t, counts := range confusion {
		for q, n := range counts {
			if q != t && n > 0 {
				all = append(all, confused{t, q, n})
			}
		}
	}
	order.Stable(all, func(a, b confused) int { return cmp.Compare(b.count, a.count) })
	t := &Table{Columns: []string{"label", "predicted", "rows"}}
	for _, c := range all[:min(len(all), mostConfused)] {
		t.Rows = append(t.Rows, Cells(clean(p.Classes[c.label], 40), clean(p.Classes[c.predicted], 40), grouped(c.count)))
	}
	return t
}

// classByClass lists the classes, of many the worst.
func (p TrainPage) classByClass(classes []eval.ClassScores) Section {
	s := Section{Title: "Class by class", Table: &Table{Columns: []string{"label", "rows", "precision", "recall", "F1"}}}
	if len(classes) > mostListed {
		s.Text = fmt.Sprintf("The %d classes with the lowest F1 of %d.", mostListed, len(classes))
		classes = slices.Clone(classes)
		zero := 0.0
		order.Stable(classes, func(a, b eval.ClassScores) int {
			return cmp.Compare(*cmp.Or(a.F1, &zero), *cmp.Or(b.F1, &zero))
		})
		classes = classes[:mostListed]
	}
	part := func(v *float64, i *eval.Interval) Cell {
		if v == nil {
			return Cell{Value: "–"}
		}
		return Cell{Value: percent(*v), Small: between(i, percent)}
	}
	for _, c := range classes {
		s.Table.Rows = append(s.Table.Rows, []Cell{
			{Value: clean(p.Classes[c.Class], 40)}, {Value: grouped(c.Rows)},
			part(c.Precision, c.Intervals.Precision), part(c.Recall, c.Intervals.Recall), part(c.F1, c.Intervals.F1),
		})
	}
	return s
}
