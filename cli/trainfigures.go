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
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
)

// chosen adds a chart for each thing that was chosen on held-out rows.
func (p *trainPage) chosen(regress bool, t model.Training, price float64, dim int, kernel string) {
	var tried []xy
	for _, trial := range t.Trials {
		tried = append(tried, xy{trial.Price, trial.Error})
	}
	name := "C"
	if t.Lambda > 0 {
		name = "lambda"
	}
	p.chosenFigure(regress, "By "+name, name, tried, price)
	if t.Picked == nil {
		return
	}
	tried = nil
	for _, o := range t.Picked.Dims {
		if d, err := strconv.ParseFloat(o.Name, 64); err == nil {
			tried = append(tried, xy{d, o.Error})
		}
	}
	p.chosenFigure(regress, "By the number of features", "features", tried, float64(dim))
	label, values := kernelAxis(t.Picked.Kernels)
	tried = nil
	taken := 0.0
	for i, o := range t.Picked.Kernels {
		tried = append(tried, xy{values[i], o.Error})
		if o.Name == kernel {
			taken = values[i]
		}
	}
	p.chosenFigure(regress, "By the kernel", label, tried, taken)
}

// kernelAxis returns where kernels stand on an axis, and what to call it: at the
// one number in which their names differ, or else in the order they were tried.
func kernelAxis(tried []model.Option) (label string, values []float64) {
	values = make([]float64, len(tried))
	for i := range tried {
		values[i] = float64(i + 1)
	}
	label = "number of the kernel tried"
	if len(tried) == 0 {
		return label, values
	}
	head, tail := around(tried)
	name := tried[0].Name
	widths := make([]float64, len(tried))
	for i, o := range tried {
		if len(o.Name) < head+tail {
			return label, values
		}
		v, err := strconv.ParseFloat(o.Name[head:len(o.Name)-tail], 64)
		if err != nil || !(v > 0) {
			return label, values
		}
		widths[i] = v
	}
	return "the number in " + plain(name[:head]+"…"+name[len(name)-tail:], 50), widths
}

// around returns how much all names have in common before and behind the number
// in which they differ.
func around(tried []model.Option) (head, tail int) {
	first := tried[0].Name
	head, tail = len(first), len(first)
	for _, o := range tried[1:] {
		h, t, n := 0, 0, len(o.Name)
		for h < min(head, n) && o.Name[h] == first[h] {
			h++
		}
		for t < min(tail, n) && o.Name[n-1-t] == first[len(first)-1-t] {
			t++
		}
		head, tail = h, t
	}
	// Digits that happen to agree belong to the number.
	digit := func(b byte) bool { return strings.IndexByte("0123456789.+-e", b) >= 0 }
	for head > 0 && digit(first[head-1]) {
		head--
	}
	for tail > 0 && digit(first[len(first)-tail]) {
		tail--
	}
	return head, tail
}

// chosenFigure adds the error on held-out rows against what was tried.
func (p *trainPage) chosenFigure(regress bool, title, label string, tried []xy, taken float64) {
	tried = slices.DeleteFunc(tried, func(q xy) bool { return !(q.x > 0) || q.y-q.y != 0 })
	if len(tried) < 2 {
		return
	}
	slices.SortStableFunc(tried, func(a, b xy) int { return cmp.Compare(a.x, b.x) })
	var at, errors []float64
	var best []xy
	for _, q := range tried {
		at, errors = append(at, q.x), append(errors, q.y)
		if q.x == taken {
			best = append(best, q)
		}
	}
	y := axis{label: "held-out error", write: percentage}
	if regress {
		y.label, y.write = "held-out RMSE", brief
	}
	low, high := extent(errors)
	y.low, y.high = max(0, low-0.25*(high-low)), high+0.1*(high-low)
	if low == high {
		y.low, y.high = 0, max(2*high, 0.01)
	}
	c := newChart(title, axis{label: label, low: at[0], high: at[len(at)-1], log: true, at: at, write: brief3}, y)
	c.line("a", tried)
	c.dots("a", 6, tried)
	c.dots("b", 11, best)
	f := figure{Title: title, SVG: c.svg()}
	if best != nil {
		f.Keys = []colourKey{{"a", "tried"}, {"b", "taken: " + brief(taken)}}
	}
	p.Chosen = append(p.Chosen, f)
}

func brief3(v float64) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil || v >= 1000 {
		r = v
	}
	return brief(r)
}

// columns draws a histogram.
func (c *chart) columns(class string, parts []float64) {
	width := c.x.high/float64(len(parts)) - c.x.low/float64(len(parts))
	for i, part := range parts {
		if part > 0 {
			c.bar(class, c.x.low+float64(i)*width, c.x.low+float64(i+1)*width, part)
		}
	}
}

// outline draws a histogram as a line.
func (c *chart) outline(class string, parts []float64) {
	width := c.x.high/float64(len(parts)) - c.x.low/float64(len(parts))
	points := []xy{{c.x.low, 0}}
	for i, part := range parts {
		points = append(points, xy{c.x.low + float64(i)*width, part}, xy{c.x.low + float64(i+1)*width, part})
	}
	c.line(class, append(points, xy{c.x.high, 0}))
}

// highest returns room for the tallest of some columns and for words above it.
func highest(parts ...[]float64) float64 {
	_, high := extent(parts...)
	return 1.3 * max(high, 1e-3)
}

// marginFigure adds a histogram of the margins of the rows trained on, and of
// those tested on.
func (p *trainPage) marginFigure(train, test margin.Margins, e *model.Earned) {
	if len(train) == 0 {
		return
	}
	low, high := extent(train, test)
	a := axis{label: "margin, as a cosine", low: min(low, 0), high: max(high, 0)}.widened()
	trained, tested := histogram(train, a.low, a.high, reportColumns), histogram(test, a.low, a.high, reportColumns)
	c := newChart("Margins", a, axis{label: "part of the rows", high: highest(trained, tested), write: percentage})
	c.columns("a", trained)
	f := figure{Title: "Margins", Keys: []colourKey{{"a", "training rows"}}}
	if len(test) > 0 {
		c.outline("b", tested)
		f.Keys = append(f.Keys, colourKey{"b", "test rows"})
		if len(test) == reportMargins {
			f.Keys[1].Name = "test rows, " + grouped(reportMargins) + " of them"
		}
	}
	c.rule("", 0, "separator")
	if m := train.Min(); m > 0 {
		c.rule("c", m, fmt.Sprintf("γ = %.3g", m))
		f.Note = "All training rows are on their right side, by the margin γ at least."
	} else {
		c.rule("c", train.Quantile(0.05), fmt.Sprintf("95%% above %.3g", train.Quantile(0.05)))
		f.Note = fmt.Sprintf("The smallest margin of a training row is %.3g: below 0 a row is on the wrong side.", m)
	}
	if e != nil && e.Margin > 0 && e.Margin < a.high {
		c.rule("c", e.Margin, fmt.Sprintf("certified for γ = %.3g", e.Margin))
	}
	f.SVG = c.svg()
	p.Figures = append(p.Figures, f)
}

// rocFigure adds the part of the rows of class 1 that are found against the part
// of those of class 0 that are taken for it, for every threshold.
func (p *trainPage) rocFigure(positive string, scores *data.Matrix, truth []int, confusion [][]int, auc *float64) {
	if auc == nil {
		return
	}
	points := roc(scores, truth)
	if len(points) > reportCorners {
		thin := make([]xy, 0, reportCorners)
		for _, i := range evenly(len(points), reportCorners) {
			thin = append(thin, points[i])
		}
		points = append(thin, xy{1, 1})
	}
	c := newChart("ROC curve",
		axis{label: "false positives, of all negatives", high: 1, write: percentage}, axis{label: "true positives, of all positives", high: 1, write: percentage})
	c.segment(xy{0, 0}, xy{1, 1})
	c.line("a", points)
	part := func(row []int) float64 { return float64(row[1]) / float64(row[0]+row[1]) }
	c.dots("b", 10, []xy{{part(confusion[0]), part(confusion[1])}})
	p.Figures = append(p.Figures, figure{
		Title: "ROC curve", SVG: c.svg(), Keys: []colourKey{{"a", "AUC " + decimals(*auc)}, {"b", "the model as it decides"}},
		Note: "Positive is the label " + positive + ".",
	})
}

// roc returns the corners of the ROC curve, rows of equal scores together.
func roc(scores *data.Matrix, truth []int) []xy {
	type scored struct {
		s float64
		c int
	}
	var all []scored
	var count [2]float64
	for i, c := range truth {
		if c >= 0 {
			all = append(all, scored{scores.Row(i)[1] - scores.Row(i)[0], c})
			count[c]++
		}
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.s, a.s) })
	points := []xy{{0, 0}}
	var found [2]float64
	for i, v := range all {
		found[v.c]++
		if i+1 == len(all) || all[i+1].s != v.s {
			points = append(points, xy{found[0] / count[0], found[1] / count[1]})
		}
	}
	return points
}

// reliabilityFigure adds how often rows are right against the probability that
// the model gives them.
func (p *trainPage) reliabilityFigure(r *eval.Reliability) {
	low := 1.0
	var points []xy
	for _, b := range r.Bins {
		low = min(low, b.Low)
		points = append(points, xy{b.Mean, b.Accuracy})
		if b.Interval != nil {
			low = min(low, math.Floor(10*b.Interval.Low)/10)
		}
	}
	a := axis{low: low, high: 1, write: percentage}
	x, y := a, a
	x.label, y.label = "probability of the predicted label", "part that is right"
	c := newChart("Calibration", x, y)
	c.segment(xy{low, low}, xy{1, 1})
	for _, b := range r.Bins {
		if b.Interval != nil {
			c.whisker("a", b.Mean, b.Interval.Low, b.Interval.High)
		}
	}
	c.line("a", points)
	c.dots("a", 7, points)
	p.Figures = append(p.Figures, figure{
		Title: "Calibration", SVG: c.svg(), Keys: []colourKey{{"a", "rows in bins, with intervals"}},
		Note: fmt.Sprintf("On the dashed line a probability means what it says. Off by %s on average, %s at most.", percent(r.ECE), percent(r.MCE)),
	})
}

// scatterFigure adds predicted against true numbers.
func (p *trainPage) scatterFigure(said, truth []float64) {
	low, high := extent(said, truth)
	a := axis{low: low, high: high}
	x, y := a, a
	x.label, y.label = "truth", "predicted"
	c := newChart("Predicted and true", x, y)
	c.segment(xy{low, low}, xy{high, high})
	var points []xy
	for _, i := range evenly(len(truth), reportPoints) {
		points = append(points, xy{truth[i], said[i]})
	}
	c.dots("a faint", 5, points)
	f := figure{Title: "Predicted and true", SVG: c.svg(), Note: "On the dashed line the prediction is exact."}
	if len(points) < len(truth) {
		f.Note += fmt.Sprintf(" %s of %s rows are shown.", grouped(int64(len(points))), grouped(int64(len(truth))))
	}
	p.Figures = append(p.Figures, f)
}

// residualFigure adds a histogram of truth less prediction.
func (p *trainPage) residualFigure(rest []float64) {
	low, high := extent(rest)
	a := axis{label: "residual, truth less prediction", low: min(low, 0), high: max(high, 0)}.widened()
	parts := histogram(rest, a.low, a.high, reportColumns)
	c := newChart("Residuals", a, axis{label: "part of the rows", high: highest(parts), write: percentage})
	c.columns("a", parts)
	c.rule("", 0, "exact")
	p.Figures = append(p.Figures, figure{Title: "Residuals", SVG: c.svg()})
}

// scoreFigure adds a histogram of the scores of a one-class machine.
func (p *trainPage) scoreFigure(scores []float64) {
	low, high := extent(scores)
	a := axis{label: "score", low: min(low, 0), high: max(high, 0)}.widened()
	parts := histogram(scores, a.low, a.high, reportColumns)
	c := newChart("Scores", a, axis{label: "part of the rows", high: highest(parts), write: percentage})
	c.columns("a", parts)
	c.rule("", 0, "outliers are below")
	p.Figures = append(p.Figures, figure{Title: "Scores", SVG: c.svg()})
}
