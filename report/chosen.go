package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/job"
)

// chosen returns a chart for each thing that was chosen on held-out rows.
func (p TrainPage) chosen() []Figure {
	var out []Figure
	add := func(title, label string, tried []Point, taken float64) {
		if f, ok := chosenFigure(p.By, title, label, tried, taken); ok {
			out = append(out, f)
		}
	}
	t := p.Training
	var tried []Point
	for _, trial := range t.Trials {
		tried = append(tried, Point{X: trial.Penalty, Y: trial.Error})
	}
	name := "C"
	if t.Lambda > 0 {
		name = "lambda"
	}
	add("By "+name, name, tried, max(t.C, t.Lambda))
	if p.Picked == nil || p.Picked.Raced {
		return out
	}
	tried = nil
	for _, o := range p.Picked.Dims {
		if d, err := strconv.ParseFloat(o.Name, 64); err == nil {
			tried = append(tried, Point{X: d, Y: o.Error})
		}
	}
	add("By the number of features", "features", tried, float64(p.Dim))
	tried = nil
	label, values := kernelAxis(names(p.Picked.Kernels))
	taken := 0.0
	for i, o := range p.Picked.Kernels {
		tried = append(tried, Point{X: values[i], Y: o.Error, Text: o.Name + ": " + lossOf(p.By, o.Error)})
		if o.Name == p.Kernel {
			taken = values[i]
		}
	}
	add("By the kernel", label, tried, taken)
	return out
}

// mostCandidates is how many candidates of a race are listed.
const mostCandidates = 15

// candidates lists those of a race: the ones that got farthest, the best first, and the plain
// linear model.
func (p TrainPage) candidates() Section {
	sorted := slices.Clone(p.Picked.Kernels)
	order.Stable(sorted, func(a, b job.Option) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Error, b.Error))
	})
	t := &Table{Columns: []string{"candidate", "held-out " + p.By.LossName(), "fitted to rows"}}
	linear := false
	for i, o := range sorted {
		plain := strings.HasPrefix(o.Name, "linear") && !linear
		if i < mostCandidates || plain {
			t.Rows = append(t.Rows, Cells(clean(o.Name, 80), lossOf(p.By, o.Error), grouped(o.Rows)))
			linear = linear || plain
		}
	}
	s := Section{
		Title: "What was tried, on held-out training rows", Table: t,
		Text: "All candidates were fitted to a few rows, the best of them to more; the model is the best one, " +
			"or a blend of some, fitted to all rows.",
	}
	if n := len(sorted) - len(t.Rows); n > 0 {
		s.Note = "And " + grouped(n) + " more, none of them better."
	}
	return s
}

func names(tried []job.Option) []string {
	out := make([]string, len(tried))
	for i, o := range tried {
		out[i] = o.Name
	}
	return out
}

// lossOf writes a loss.
func lossOf(by eval.Criterion, v float64) string {
	if by.Percent() {
		return percent(v)
	}
	return digits5(v)
}

// chosenFigure draws the error on held-out rows against what was tried.
func chosenFigure(by eval.Criterion, title, label string, tried []Point, taken float64) (Figure, bool) {
	tried = slices.DeleteFunc(tried, func(q Point) bool { return !(q.X > 0) || q.Y-q.Y != 0 })
	if len(tried) < 2 {
		return Figure{}, false
	}
	order.Stable(tried, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	var best []Point
	at := make([]float64, len(tried))
	low, high := tried[0].Y, tried[0].Y
	for i, q := range tried {
		at[i], low, high = q.X, min(low, q.Y), max(high, q.Y)
		if q.X == taken {
			best = append(best, q)
		}
	}
	y := Axis{Label: "held-out " + by.LossName(), Percent: by.Percent(), Low: max(0, low-0.25*(high-low)),
		High: high + 0.1*(high-low)}
	if low == high {
		y.Low, y.High = 0, max(2*high, 0.01)
	}
	c := Chart{Title: title, X: Axis{Label: label, Log: true, Ticks: at}, Y: y, Series: []Series{{Kind: Joined,
		Points: tried}}}
	if best != nil {
		c.Series[0].Name = "tried"
		c.Series = append(c.Series, Series{Name: "taken: " + brief(taken), Kind: Points, Points: best, Size: 11})
	}
	return Figure{Chart: c}, true
}

// kernelAxis returns where kernels stand on an axis, and what to call it: at the
// one number in which their names differ, or else in the order they were tried.
func kernelAxis(tried []string) (label string, values []float64) {
	values = make([]float64, len(tried))
	for i := range tried {
		values[i] = float64(i + 1)
	}
	label = "number of the kernel tried"
	if len(tried) == 0 {
		return label, values
	}
	head, tail := around(tried)
	name := tried[0]
	widths := make([]float64, len(tried))
	for i, t := range tried {
		if len(t) < head+tail {
			return label, values
		}
		v, err := strconv.ParseFloat(t[head:len(t)-tail], 64)
		if err != nil || !(v > 0) {
			return label, values
		}
		widths[i] = v
	}
	return "the number in " + clean(name[:head]+"…"+name[len(name)-tail:], 50), widths
}

// around returns how much all names have in common before and behind the number
// in which they differ.
func around(tried []string) (head, tail int) {
	first := tried[0]
	head, tail = len(first), len(first)
	for _, name := range tried[1:] {
		h, t, n := 0, 0, len(name)
		for h < min(head, n) && name[h] == first[h] {
			h++
		}
		for t < min(tail, n) && name[n-1-t] == first[len(first)-1-t] {
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
