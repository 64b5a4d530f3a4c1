package report

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/eval"
)

// figures are the charts of the rows measured.
func (p TrainPage) figures() []Figure {
	switch {
	case len(p.Truth) > 0:
		return []Figure{p.scatter(), p.residuals()}
	case len(p.Scores) > 0:
		parts := histogramFigure("Scores", "score", p.Scores)
		parts.Chart.Rules = []Rule{{Text: "outliers are below"}}
		return []Figure{parts}
	}
	var out []Figure
	if len(p.Training.Margins) > 0 {
		out = append(out, p.margins())
	}
	if p.Classification == nil {
		return out
	}
	if auc := p.Classification.AUC; auc != nil && p.Said.Classes == 2 && p.Said.Scores != nil {
		if f, ok := p.roc(*auc); ok {
			out = append(out, f)
		}
	}
	if r := p.Classification.Calibration; r != nil {
		out = append(out, reliability(r))
	}
	return out
}

// histogramFigure draws how values are spread around 0.
func histogramFigure(title, label string, values []float64) Figure {
	low, high := extent(values)
	if low == high {
		low, high = -1e-3, 1e-3
	}
	parts := histogram(values, low, high, histColumns)
	_, most := extent(parts)
	points, width := columns(parts, low, high)
	return Figure{Chart: Chart{
		Title: title, X: Axis{Label: label, Low: low, High: high}, Y: rowsAxis(most),
		Series: []Series{{Kind: Bars, Points: points, Width: width}},
	}}
}

// rowsAxis has room for columns and for words above them.
func rowsAxis(most float64) Axis {
	return Axis{Label: "part of the rows", High: 1.3 * max(most, 1e-3), Percent: true}
}

// margins draws the margins of the rows trained on, and of those tested on.
func (p TrainPage) margins() Figure {
	train, test := p.Training.Margins, p.Margins
	low, high := extent(train, test)
	if low == high {
		low, high = -1e-3, 1e-3
	}
	trained := histogram(train, low, high, histColumns)
	_, most := extent(trained)
	points, width := columns(trained, low, high)
	c := Chart{
		Title: "Margins", X: Axis{Label: "margin, as a cosine", Low: low, High: high},
		Series: []Series{{Name: "training rows", Kind: Bars, Points: points, Width: width}},
	}
	if len(test) > 0 {
		tested := histogram(test, low, high, histColumns)
		_, highest := extent(tested)
		most = max(most, highest)
		name := "test rows"
		if len(test) < p.measured() {
			name += ", " + grouped(len(test)) + " of them"
		}
		c.Series = append(c.Series, Series{Name: name, Kind: Steps, Points: outline(tested, low, high)})
	}
	c.Y = rowsAxis(most)
	f := Figure{}
	c.Rules = []Rule{{Text: "separator"}}
	if m := train.Min(); m > 0 {
		c.Rules = append(c.Rules, Rule{At: m, Text: fmt.Sprintf("γ = %.3g", m), Colour: 3})
		f.Note = "All training rows are on their right side, by the margin γ at least."
	} else {
		q := train.Quantile(0.05)
		c.Rules = append(c.Rules, Rule{At: q, Text: fmt.Sprintf("95%% above %.3g", q), Colour: 3})
		f.Note = fmt.Sprintf("The smallest margin of a training row is %.3g: below 0 a row is on the wrong side.", m)
	}
	if e := p.Training.Earned; e != nil && e.Margin > 0 && e.Margin < high {
		c.Rules = append(c.Rules, Rule{At: e.Margin, Text: fmt.Sprintf("certified for γ = %.3g", e.Margin), Colour: 3})
	}
	f.Chart = c
	return f
}

// roc draws the ROC curve and where on it the model decides.
func (p TrainPage) roc(auc float64) (Figure, bool) {
	points := roc(p.Said)
	if points == nil {
		return Figure{}, false
	}
	if len(points) > mostCorners {
		var thin []Point
		for _, i := range evenly(len(points), mostCorners) {
			thin = append(thin, points[i])
		}
		points = append(thin, Point{X: 1, Y: 1})
	}
	confusion := eval.Confusion(p.Said.Predicted, p.Said.Truth, 2)
	part := func(row []int) float64 { return float64(row[1]) / float64(row[0]+row[1]) }
	return Figure{
		Chart: Chart{
			Title: "ROC curve",
			X:     Axis{Label: "false positives, of all negatives", High: 1, Percent: true},
			Y:     Axis{Label: "true positives, of all positives", High: 1, Percent: true},
			Series: []Series{
				diagonal(0, 1),
				{Name: "AUC " + decimals(auc), Points: points, Colour: 1},
				{
					Name: "the model as it decides", Kind: Points, Size: 10, Colour: 2,
					Points: []Point{{X: part(confusion[0]), Y: part(confusion[1])}},
				},
			},
		},
		Note: "Positive is the label " + apart(clean(p.Classes[1], 40)) + ".",
	}, true
}

// diagonal is the line where both axes have the same number.
func diagonal(low, high float64) Series {
	return Series{Points: []Point{{X: low, Y: low}, {X: high, Y: high}}, Dashed: true, Colour: 6}
}

// reliability draws how often rows are right against the probability that the
// model gives them.
func reliability(r *eval.Reliability) Figure {
	low := 1.0
	var points []Point
	for _, b := range r.Bins {
		low = min(low, b.Low)
		q := Point{X: b.Mean, Y: b.Accuracy, Text: fmt.Sprintf("%s rows of probability %s: %s are right",
			grouped(b.N), percent(b.Mean), percent(b.Accuracy))}
		if i := b.Interval; i != nil {
			low = min(low, math.Floor(10*i.Low)/10)
			q.Low, q.High = i.Low, i.High
			q.Text += " (" + between(i, percent) + ")"
		}
		points = append(points, q)
	}
	axis := Axis{Low: low, High: 1, Percent: true}
	x, y := axis, axis
	x.Label, y.Label = "probability of the predicted label", "part that is right"
	return Figure{
		Chart: Chart{Title: "Calibration", X: x, Y: y, Series: []Series{
			diagonal(low, 1), {Name: "rows in bins, with intervals", Kind: Joined, Points: points, Colour: 1},
		}},
		Note: fmt.Sprintf("On the dashed line a probability means what it says. Off by %s on average, %s at most.",
			percent(r.ECE), percent(r.MCE)),
	}
}

// scatter draws predicted against true numbers.
func (p TrainPage) scatter() Figure {
	low, high := p.Truth[0], p.Truth[0]
	for i, v := range p.Truth {
		low, high = min(low, v, p.Predicted[i]), max(high, v, p.Predicted[i])
	}
	var points []Point
	for _, i := range evenly(len(p.Truth), mostPoints) {
		points = append(points, Point{X: p.Truth[i], Y: p.Predicted[i]})
	}
	f := Figure{Note: "On the dashed line the prediction is exact."}
	if len(points) < len(p.Truth) {
		f.Note += fmt.Sprintf(" %s of %s rows are shown.", grouped(len(points)), grouped(len(p.Truth)))
	}
	f.Chart = Chart{
		Title: "Predicted and true", X: Axis{Label: "truth"}, Y: Axis{Label: "predicted"},
		Series: []Series{{Kind: Points, Points: points, Size: 5, Faint: true, Colour: 1}, diagonal(low, high)},
	}
	return f
}

// residuals draws truth less prediction.
func (p TrainPage) residuals() Figure {
	rest := make([]float64, len(p.Truth))
	for i := range rest {
		rest[i] = p.Truth[i] - p.Predicted[i]
	}
	f := histogramFigure("Residuals", "residual, truth less prediction", rest)
	f.Chart.Rules = []Rule{{Text: "exact"}}
	return f
}
