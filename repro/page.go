package repro

import (
	"fmt"
	"strings"

	"github.com/kerf-ml/kerf/report"
)

// Page returns the results as a document, a section each.
func Page(results []*Result) report.Document {
	d := report.Document{
		Title: "The claims of the papers, measured",
		Headline: report.Fact{Name: "claims that hold", Value: fmt.Sprintf("%d of %d", count(results, Holds),
			len(results)-count(results, Shown))},
		Lead: "Each section has a claim of the papers on random projections, margins and kernels, what is promised " +
			"of it with all constants, and what was measured on data drawn for it in this run. Bars at points are " +
			fmt.Sprintf("intervals of %g%% confidence; dashed lines are what is promised. ", 100*Confidence) +
			"A claim holds where the whole interval keeps the promise, and is undecided where a part of it does.",
		Warning: doubt(results),
	}
	summary := &report.Table{Columns: []string{"experiment", "claim of", "verdict", "time"}}
	for _, r := range results {
		summary.Rows = append(summary.Rows, report.Cells(r.Title, r.Where, r.Words(), fmt.Sprintf("%.1f s", r.Seconds)))
	}
	d.Sections = append(d.Sections, report.Section{Title: "Verdicts", Table: summary})
	for _, r := range results {
		d.Sections = append(d.Sections, r.section())
	}
	return d
}

// count counts the results of a verdict.
func count(results []*Result, v Verdict) (n int) {
	for _, r := range results {
		if r.Verdict == v {
			n++
		}
	}
	return n
}

// doubt names the claims that do not hold, or of which the run could not tell.
func doubt(results []*Result) string {
	var words []string
	for _, v := range []Verdict{Fails, Undecided} {
		var list []string
		for _, r := range results {
			if r.Verdict == v {
				list = append(list, r.Title)
			}
		}
		if len(list) > 0 {
			words = append(words, v.Words()+": "+strings.Join(list, "; ")+".")
		}
	}
	return strings.Join(words, " ")
}

func (r *Result) section() report.Section {
	s := report.Section{
		Title: r.Title,
		Text:  r.Claim,
		Facts: []report.Fact{
			{Name: "claimed in", Value: r.Where},
			{Name: "measured", Value: r.Method},
			{Name: "verdict", Value: r.Words()},
			{Name: "repeat it", Value: r.Command},
			{Name: "rows as CSV", Value: r.Name + ".csv"},
		},
		Table: r.table(),
		Note:  strings.Join(r.Notes, " "),
	}
	for _, f := range r.Figures {
		s.Figures = append(s.Figures, f.figure())
	}
	return s
}

// table returns the rows for people.
func (r *Result) table() *report.Table {
	places := r.places()
	t := &report.Table{Columns: append(append([]string{"what"}, places...), "promised", "measured", "verdict")}
	for _, row := range r.Rows {
		cells := report.Cells(row.What)
		for _, name := range places {
			cells = append(cells, report.Cell{Value: row.setting(name, number)})
		}
		t.Rows = append(t.Rows, append(cells, report.Cell{Value: row.Promise()},
			report.Cell{Value: row.Measured.String(), Small: row.Measured.Interval()},
			report.Cell{Value: row.Verdict.Words()}))
	}
	return t
}

// figure returns the chart. A bound has the colour of the measurements before it,
// or that of words where it is one for several.
func (f Figure) figure() report.Figure {
	c := report.Chart{Title: f.Title, Width: 460, Height: 290, X: f.X.axis(), Y: f.Y.axis()}
	bounds := 0
	for _, s := range f.Series {
		if s.Bound {
			bounds++
		}
	}
	colour, grey := 0, report.Colours
	own := 2*bounds == len(f.Series)
	for _, s := range f.Series {
		line := report.Series{Name: s.Name, Kind: report.Points}
		switch {
		case s.Bound:
			line.Kind, line.Dashed, line.Colour = report.Line, true, grey
			if own && colour > 0 {
				line.Colour = colour
			}
		case s.Joined:
			line.Kind = report.Joined
		}
		if !s.Bound {
			colour = colour%(grey-1) + 1
			line.Colour = colour
		}
		for _, p := range s.Points {
			line.Points = append(line.Points, report.Point{X: p.X, Y: p.Y, Low: p.Low, High: p.High})
		}
		c.Series = append(c.Series, line)
	}
	return report.Figure{Chart: c, Note: f.Note}
}

func (a Axis) axis() report.Axis {
	return report.Axis{Label: a.Label, Log: a.Log, FromZero: a.Zero, Percent: a.Percent, Names: a.Names}
}
