package report

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/bound"
)

// DemoPage is what kernel features do to points of a plane in two classes that no
// line splits.
type DemoPage struct {
	Title       string
	Train, Test int // points
	Kernel      string
	Results     []Method
	Classes     []string
	Points      [][]Point // of each class, to be tested on
	Reach       float64   // the pictures show the square from -Reach to Reach
	Boundaries  []Boundary
	Curves      []Series // test error by the number of features
	Plan        bound.Plan
}

// Method is a row of the table of methods.
type Method struct {
	Name    string
	Dim     int // features
	Error   float64
	Margin  float64
	Seconds float64
}

// Boundary is where a method changes its mind.
type Boundary struct {
	Name   string
	Scores [][]float64 // of a class on an even grid over the square, 0 on the boundary; the first row is the lowest
}

// Demo writes a page on kernel features.
func Demo(w io.Writer, p DemoPage) error { return Write(w, p.Document()) }

const (
	demoLead = `%s points for training, %s for testing, kernel %s. No line splits the classes. F1, F2 and F3 turn the
kernel into a few explicit features in which a plain linear separator does what the kernel machine does.`
	demoMargin = `The margin is the cosine of the angle by which the worst training point is on its right side, in the
space of each method's features; negative means that some are on the wrong side. The exact kernel SVM is the linear SVM
on F2 with every training point as a landmark: by the representer theorem nothing is lost.`
	demoPlan = `The exact SVM found the margin %.3f. For that margin, whatever the data, the theory promises an error of
at most %s with confidence %s from %s landmarks (Blum's survey, lemma 1). Real data are kinder than the worst case: the
curve shows what these needed.`
)

// Document returns the page for others to add to.
func (p DemoPage) Document() Document {
	methods := Section{
		Title: "Methods", Note: demoMargin,
		Table: &Table{Columns: []string{"method", "features", "test error", "margin", "training"}},
	}
	for _, r := range p.Results {
		methods.Table.Rows = append(methods.Table.Rows, Cells(r.Name, grouped(r.Dim), percent(r.Error),
			fmt.Sprintf("%.3f", r.Margin), fmt.Sprintf("%.2f s", r.Seconds)))
	}
	pictures := Section{Title: "What the separators look like"}
	for _, b := range p.Boundaries {
		pictures.Figures = append(pictures.Figures, p.picture(b))
	}
	enough := Section{Title: "How many features are enough?", Figures: []Figure{{Chart: Chart{
		Title: "Test error by the number of features", Series: p.Curves,
		X: Axis{Label: "features", Log: true, Ticks: []float64{2, 4, 8, 16, 32, 64}},
		Y: Axis{Label: "test error", Percent: true, FromZero: true},
	}}}}
	if t := p.Plan; t.Landmarks > 0 {
		enough.Note = fmt.Sprintf(demoPlan, t.Margin, percent(t.Error), percent(t.Confidence), grouped(int(t.Landmarks)))
	}
	return Document{
		Title:    p.Title,
		Lead:     fmt.Sprintf(demoLead, grouped(p.Train), grouped(p.Test), apart(p.Kernel)),
		Sections: []Section{methods, pictures, enough},
	}
}

// picture draws points and the line where a method changes its mind.
func (p DemoPage) picture(b Boundary) Figure {
	side := Axis{Low: -p.Reach, High: p.Reach, Hidden: true}
	c := Chart{Title: b.Name, Width: 240, Height: 240, X: side, Y: side}
	for i, points := range p.Points {
		s := Series{Kind: Points, Points: points, Size: 3.5, Colour: 2 - i%2}
		if i < len(p.Classes) {
			s.Name = p.Classes[i]
		}
		c.Series = append(c.Series, s)
	}
	f := Figure{}
	if line := contour(b.Scores, p.Reach); len(line) > 0 {
		c.Series = append(c.Series, Series{Name: "separator", Points: line, Colour: 6})
	} else {
		f.Note = "All points are on one side."
	}
	f.Chart = c
	return f
}
