package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
)

// worstTable lists rows of which the model is furthest off.
type worstTable struct {
	Title, Note string
	Columns     []string
	Rows        [][]string

	index []int // of the rows among those measured
}

func (w *worstTable) add(i int, cells ...string) {
	w.Rows, w.index = append(w.Rows, cells), append(w.index, i)
}

// withTexts adds the instances to the table where they are strings.
func withTexts[T any](w *worstTable, x data.Source[T]) *worstTable {
	texts, ok := any(x).(data.Source[string])
	if !ok {
		return w
	}
	w.Columns = append(w.Columns, "text")
	for r, i := range w.index {
		w.Rows[r] = append(w.Rows[r], plain(texts.At(i), 80))
	}
	return w
}

// heatTable is a confusion matrix.
type heatTable struct {
	Names []string
	Rows  []heatRow
	Long  bool // whether a name is too long to stand above its column
}

type heatRow struct {
	Name  string
	Cells []heatCell
}

// heatCell is a count, and how strong its colour is.
type heatCell struct {
	Count string
	Right bool
	Heat  string // opacity
	Tip   string
}

// newHeatTable colours counts by the part that they are of the rows of their
// true class. The root makes rare confusions visible.
func newHeatTable(names []string, confusion [][]int) *heatTable {
	h := &heatTable{Names: names}
	for t, counts := range confusion {
		letters := len([]rune(names[t]))
		h.Long = h.Long || letters > 10 || letters > 3 && len(names) > 8
		all := 0
		for _, n := range counts {
			all += n
		}
		row := heatRow{Name: names[t]}
		for q, n := range counts {
			c := heatCell{Right: q == t, Heat: "0"}
			if n > 0 {
				part := float64(n) / float64(all)
				c.Count, c.Heat = strconv.Itoa(n), strconv.FormatFloat(0.1+0.6*math.Sqrt(part), 'f', 3, 64)
				c.Tip = fmt.Sprintf("%s of %s: predicted as %s", percent(part), names[t], names[q])
			}
			row.Cells = append(row.Cells, c)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// confused is a pair of classes that the model mistakes for each other.
type confused struct {
	Label, Predicted string
	Count            int
}

// commonest lists the most frequent confusions.
func commonest(names []string, confusion [][]int) []confused {
	var all []confused
	for t, counts := range confusion {
		for q, n := range counts {
			if q != t && n > 0 {
				all = append(all, confused{names[t], names[q], n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b confused) int { return cmp.Compare(b.Count, a.Count) })
	return all[:min(len(all), 20)]
}

// classRow is a line of the table of classes.
type classRow struct {
	Name                  string
	Rows                  int
	Precision, Recall, F1 reportFact
}

func (p *trainPage) classRows(names []string, classes []eval.ClassScores) {
	if len(classes) > reportListed {
		p.ClassesNote = fmt.Sprintf("The %d classes with the lowest F1 of %d.", reportListed, len(classes))
		classes = slices.Clone(classes)
		slices.SortStableFunc(classes, func(a, b eval.ClassScores) int {
			return cmp.Compare(orZero(a.F1), orZero(b.F1))
		})
		classes = classes[:reportListed]
	}
	part := func(v *float64, i *eval.Interval) reportFact {
		if v == nil {
			return reportFact{Value: "–"}
		}
		return reportFact{Value: percent(*v), Interval: bare(i, percent)}
	}
	for _, c := range classes {
		p.Classes = append(p.Classes, classRow{
			Name: names[c.Class], Rows: c.Rows,
			Precision: part(c.Precision, c.Intervals.Precision), Recall: part(c.Recall, c.Intervals.Recall), F1: part(c.F1, c.Intervals.F1),
		})
	}
}

func orZero(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// bare writes an interval without brackets.
func bare(i *eval.Interval, write func(float64) string) string {
	return strings.Trim(within(i, write), " ()")
}

// classMeasures adds the headline and the measures of classes.
func (p *trainPage) classMeasures(c *eval.Classification) {
	p.Head = "Test error"
	if !p.Test {
		p.Head = "Training error"
	}
	p.Value, p.Interval = percent(c.Error), bare(c.Intervals.Error, percent)
	add := func(name string, v *float64, i *eval.Interval, write func(float64) string) {
		if v != nil {
			p.Measures = append(p.Measures, reportFact{name, write(*v), bare(i, write)})
		}
	}
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
}

// regressionMeasures adds the headline and the measures of numbers.
func (p *trainPage) regressionMeasures(r *eval.Regression) {
	digits := func(v float64) string { return fmt.Sprintf("%.5g", v) }
	p.Head = "Test RMSE"
	if !p.Test {
		p.Head = "Training RMSE"
	}
	p.Value, p.Interval = digits(r.RMSE), bare(r.Intervals.RMSE, digits)
	p.Measures = append(p.Measures, reportFact{"RMSE", p.Value, p.Interval}, reportFact{"MAE", digits(r.MAE), bare(r.Intervals.MAE, digits)})
	if r.R2 != nil {
		p.Measures = append(p.Measures, reportFact{"R²", decimals(*r.R2), bare(r.Intervals.R2, decimals)})
	}
}
