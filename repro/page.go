package repro

import (
	"fmt"
	"slices"
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
		took := fmt.Sprintf("%.1f\u00a0s", r.Seconds)
		summary.Rows = append(summary.Rows, report.Cells(r.Title, r.Where, r.Words(), took))
	}
	d.Sections = append(d.Sections, report.Section{Title: "Verdicts", Table: summary})
	for _, r := range results {
		d.Sections = append(d.Sections, r.sections()...)
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

// sections are the claim with its figures, and a table for each thing measured.
func (r *Result) sections() []report.Section {
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
		Note: strings.Join(r.Notes, " "),
	}
	for _, f := range r.Figures {
		s.Figures = append(s.Figures, f.figure())
	}
	out := []report.Section{s}
	for rest := r.Rows; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(row Row) bool { return row.What != rest[0].What })
		if n < 0 {
			n = len(rest)
		}
		out = append(out, report.Section{Text: "Measured: " + rest[0].What, Table: table(rest[:n])})
		rest = rest[n:]
	}
	return out
}

// table returns rows of one kind for people.
func table(rows []Row) *report.Table {
	names := places(rows)
	judged := slices.ContainsFunc(rows, func(r Row) bool { return r.Promised != nil })
	t := &report.Table{Columns: append(slices.Clone(names), "measured")}
	if judged {
		t.Columns = append(t.Columns, "promised", "verdict")
	}
	for _, row := range rows {
		var cells []report.Cell
		for _, name := range names {
			cells = append(cells, report.Cell{Value: row.setting(name, number)})
		}
		cells = append(cells, report.Cell{Value: row.Measured.String(), Small: row.Measured.Interval()})
		if judged {
			cells = append(cells, report.Cell{Value: row.Promise()}, report.Cell{Value: row.Verdict.Words()})
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// figure returns the chart. Where each series of measurements has a bound after it,
// that has its colour; else bounds have those that no measurements have.
func (f Figure) figure() report.Figure {
	c := report.Chart{Title: f.Title, Width: 460, Height: 290, X: f.X.axis(), Y: f.Y.axis()}
	bounds := 0
	for _, s := range f.Series {
		if s.Bound {
			bounds++
		}
	}
	own := 2*bounds == len(f.Series)
	colour, free := 0, report.Colours
	for _, s := range f.Series {
		line := report.Series{Name: s.Name, Kind: report.Points}
		switch {
		case s.Bound && own && colour > 0:
			line.Kind, line.Dashed, line.Colour = report.Line, true, colour
		case s.Bound:
			line.Kind, line.Dashed, line.Colour = report.Line, true, free
			free = max(free-1, 1)
		default:
			colour = colour%report.Colours + 1
			line.Colour = colour
			if s.Joined {
				line.Kind = report.Joined
			}
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
