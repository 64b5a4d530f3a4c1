package cli

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
)

const (
	demoReach = 2.5 // of the pictures
	demoGrid  = 81  // points of a picture's side at which a separator is asked
)

// page gathers the report.
func (d *demonstration) page() report.DemoPage {
	p := report.DemoPage{
		Title: "Kernel features on two rings", Train: d.train.X.Len(), Test: d.test.X.Len(), Kernel: d.Kernel, Plan: d.Plan,
		Classes: d.models[demoF2].Classes.Names, Reach: demoReach,
	}
	for _, r := range d.Results {
		p.Results = append(p.Results, report.Method{Name: r.Method, Dim: r.Dim, Error: r.Error, Margin: r.Margin,
			Seconds: r.Seconds})
	}
	p.Points = make([][]report.Point, len(p.Classes))
	y, _ := classIndex(d.models[demoF2].Classes, d.test.Y)
	for i, c := range y {
		v := d.test.X.At(i).Value
		p.Points[c] = append(p.Points[c], report.Point{X: v[0], Y: v[1]})
	}
	for _, name := range []string{demoLinear, demoF1, demoF2, demoF3} {
		p.Boundaries = append(p.Boundaries, report.Boundary{Name: name, Scores: scoreGrid(d.models[name])})
	}
	for _, kind := range []struct{ kind, name string }{{model.MapF1, "F1"}, {model.MapF2, "F2"}, {model.MapF3, "F3"}} {
		s := report.Series{Name: kind.name, Kind: report.Joined}
		for _, c := range d.Curve {
			if c.Map == kind.kind {
				s.Points = append(s.Points, report.Point{X: float64(c.Dim), Y: c.Error})
			}
		}
		p.Curves = append(p.Curves, s)
	}
	return p
}

// scoreGrid returns the score of class 1 over a square.
func scoreGrid(p *model.Pipeline[data.Vector]) [][]float64 {
	place := func(i int) float64 { return demoReach * (2*float64(i)/(demoGrid-1) - 1) }
	out, scores := make([][]float64, demoGrid), make([]float64, 2)
	for r := range out {
		out[r] = make([]float64, demoGrid)
		for c := range out[r] {
			p.Scores(scores, data.Dense(place(c), place(r)))
			out[r][c] = scores[1]
		}
	}
	return out
}
