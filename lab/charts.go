package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/report"
)

// Colours of F1, F2 and of what is promised, in all charts and on the page.
const (
	colourF1    = 2
	colourF2    = 1
	colourTheir = 6
)

// charts draws what is beside the picture.
func (a *Answer) charts(q *problem) {
	draw := func(name string, c report.Chart) { a.Charts[name] = c.SVG() }
	draw("curve", a.curveChart())
	draw("spectrum", a.spectrumChart())
	draw("mistakes", a.mistakesChart())
	if slices.ContainsFunc(a.Growth, func(g Growth) bool { return g.F1 >= leastShown || g.F2 >= leastShown }) {
		draw("growth", a.growthChart())
	}
	if a.Certain != nil {
		draw("certificate", a.certificateChart(q))
	}
}

// sides returns the sides that there are, with their names.
func (a *Answer) sides() (names []string, sides []*Side) {
	for i, s := range []*Side{a.F1, a.F2} {
		if s != nil {
			names, sides = append(names, []string{"F1", "F2"}[i]), append(sides, s)
		}
	}
	return names, sides
}

func sideColour(name string) int {
	if name == "F1" {
		return colourF1
	}
	return colourF2
}

// leastShown is the least margin that has a place on logarithmic axes.
const leastShown = 1e-5

func (a *Answer) curveChart() report.Chart {
	c := report.Chart{
		Title: "Part of the points below a margin, under F1 and F2",
		X:     report.Axis{Label: "margin", Log: true}, Y: report.Axis{Label: "points below", Percent: true, Low: 0, High: 1},
	}
	names, sides := a.sides()
	for i, s := range sides {
		line := report.Series{Name: names[i], Kind: report.Steps, Colour: sideColour(names[i])}
		line.Points = append(line.Points, report.Point{X: leastShown, Y: s.curve.At(leastShown)})
		for _, p := range s.Curve {
			if p.Margin > leastShown {
				line.Points = append(line.Points, report.Point{X: p.Margin, Y: p.Error})
			}
		}
		c.Series = append(c.Series, line)
	}
	if p := a.Plan; p != nil {
		c.Rules = append(c.Rules, report.Rule{At: p.Half, Text: "γ/2"})
	}
	return c
}

// Directions of the spectrum that are drawn: how many, and down to which share, below
// which there is rounding.
const (
	mostShown  = 40
	leastShare = 1e-12
)

func (a *Answer) spectrumChart() report.Chart {
	c := report.Chart{
		Title: "Share of the features' length along each direction, under F1 and F2",
		X:     report.Axis{Label: "direction"}, Y: report.Axis{Label: "share of the squared length", Log: true,
			Low: leastShare, High: 1},
	}
	names, sides := a.sides()
	for i, s := range sides {
		line := report.Series{Name: names[i], Kind: report.Joined, Colour: sideColour(names[i]), Size: 4}
		for j, share := range s.Share[:min(mostShown, len(s.Share))] {
			if share >= leastShare {
				line.Points = append(line.Points, report.Point{X: float64(j + 1), Y: share})
			}
		}
		c.Series = append(c.Series, line)
	}
	return c
}

func (a *Answer) mistakesChart() report.Chart {
	names, sides := a.sides()
	c := report.Chart{
		Title: "Mistakes of the perceptron against 1/γ², under F1 and F2", Height: 200,
		X: report.Axis{Names: names, Low: -0.5, High: float64(len(names)) - 0.5},
		Y: report.Axis{Label: "mistakes", Log: true, Low: 1, High: 10},
	}
	made := report.Series{Name: "made", Kind: report.Points, Size: 13, Colour: 3}
	most := report.Series{Name: "1/γ², never exceeded", Kind: report.Points, Size: 13, Colour: colourTheir}
	for i, s := range sides {
		made.Points = append(made.Points, report.Point{X: float64(i), Y: max(1, float64(s.Mistakes))})
		c.Y.High = max(c.Y.High, 2*float64(s.Mistakes))
		if s.Separable {
			c.Y.High = max(c.Y.High, 2*float64(s.Limit))
			most.Points = append(most.Points, report.Point{X: float64(i), Y: float64(s.Limit)})
		}
	}
	c.Series = []report.Series{made, most}
	return c
}

func (a *Answer) growthChart() report.Chart {
	c := report.Chart{
		Title: "Largest margin by the number of landmarks, under F1 and F2",
		X:     report.Axis{Label: "landmarks", Log: true}, Y: report.Axis{Label: "largest margin", Log: true},
	}
	one := report.Series{Name: "F1", Kind: report.Joined, Colour: colourF1}
	two := report.Series{Name: "F2", Kind: report.Joined, Colour: colourF2}
	shown := func(v float64) float64 {
		if !(v >= leastShown) {
			return math.NaN()
		}
		return v
	}
	for _, g := range a.Growth {
		one.Points = append(one.Points, report.Point{X: float64(g.Landmarks), Y: shown(g.F1)})
		two.Points = append(two.Points, report.Point{X: float64(g.Landmarks), Y: shown(float64(g.F2))})
	}
	c.Series = []report.Series{one, two}
	if p := a.Plan; p != nil && p.Largest > 0 {
		c.Rules = append(c.Rules, report.Rule{At: float64(p.Largest), Level: true, Text: "γ of the kernel"},
			report.Rule{At: float64(p.Largest) / 2, Level: true, Text: "γ/2"})
	}
	return c
}

func (a *Answer) certificateChart(q *problem) report.Chart {
	t, p := a.Certain, a.Plan
	names := []string{"asked", "lemma 1", "certified", "seen"}
	c := report.Chart{
		Title: "Error that the mapping adds at half of the margin", Height: 200,
		X: report.Axis{Names: names, Low: -0.5, High: 3.5}, Y: report.Axis{Label: "error added", Percent: true,
			Log: true, Low: 1e-3, High: 1},
	}
	bar := func(at int, v float64, colour int, text string) {
		c.Series = append(c.Series, report.Series{
			Kind: report.Points, Colour: colour, Size: 13,
			Points: []report.Point{{X: float64(at), Y: v, Text: text}},
		})
	}
	bar(0, t.Asked, 5, fmt.Sprintf("at most %.3g is asked for", t.Asked))
	bar(1, float64(t.Promised), colourTheir,
		fmt.Sprintf("%d landmarks promise %.3g on any distribution", q.f1.Dim(), float64(t.Promised)))
	bar(2, t.Bound, colourF2, fmt.Sprintf("%d fresh points certify %.3g", t.Fresh, t.Bound))
	seen := max(0, float64(p.Error2)-p.Noise)
	bar(3, seen, 3, fmt.Sprintf("%.3g of these points", seen))
	return c
}
