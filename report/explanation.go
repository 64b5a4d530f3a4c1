package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
)

// mostRanked is how many columns a chart of importance shows.
const mostRanked = 25

// Explanation writes a page on why a model predicts what it does.
func Explanation(w io.Writer, title string, e *job.Explained) error {
	d := Document{Title: "Why: " + clean(title, 160)}
	for _, note := range e.Notes {
		d.Lead += note + " "
	}
	if e.Ranking != nil {
		d.Sections = append(d.Sections, importance(e.Ranking, ""))
	}
	if e.Plane != nil {
		d.Sections = append(d.Sections, plane(e.Plane))
	}
	for _, r := range e.Rows {
		d.Sections = append(d.Sections, why(r)...)
	}
	return Write(w, d)
}

// importance is the section on which columns matter, on rows of some kind.
func importance(r *explain.Ranking, kind string) Section {
	name := eval.Criterion(r.Metric).LossName()
	if r.Metric == explain.R2 {
		name = "1 - R²"
	}
	if kind != "" {
		kind += " "
	}
	chart := &Ranked{Title: "Importance of columns", Label: "growth of the " + name,
		Percent: eval.Criterion(r.Metric).Percent()}
	for _, one := range r.Importance[:min(len(r.Importance), mostRanked)] {
		chart.Bars = append(chart.Bars, RankedBar{Name: one.Column, Value: one.Mean, Low: one.Low, High: one.High})
	}
	s := Section{Title: "Which columns matter", Ranked: chart}
	s.Text = fmt.Sprintf("How much the %s, %s on %s %srows, grows when each row has the cell of another row in a column. "+
		"The whiskers hold the growth on new rows with %s confidence, each column by itself.", name, chart.write(r.Loss),
		grouped(r.Rows), kind, percentage(r.Confidence))
	if left := len(r.Importance) - len(chart.Bars) + r.LeftOut; left > 0 {
		chart.Note = fmt.Sprintf("%s more columns are not shown.", grouped(left))
	}
	if len(r.Importance) > 0 && r.Importance[0].Metric != nil {
		s.Table = &Table{Columns: []string{"column", "share of the learnt metric"}}
		for _, one := range r.Importance[:len(chart.Bars)] {
			s.Table.Rows = append(s.Table.Rows, Cells(one.Column, percent(*one.Metric)))
		}
	}
	return s
}

// why is what there is to say of a row.
func why(r *explain.Row) []Section {
	facts := []Fact{{Name: "prediction", Value: fmt.Sprint(r.Prediction)}, {Name: "score", Value: digits5(r.Score)}}
	if r.Label != "" {
		facts = append(facts, Fact{Name: "the data say", Value: r.Label})
	}
	for i, p := range r.Probabilities {
		if r.Scores[i] == r.Score {
			facts = append(facts, Fact{Name: "probability", Value: decimals(p)})
			break
		}
	}
	if s := r.Sum; s != nil {
		text := fmt.Sprintf("%s of %d landmarks %+.5g as bias", digits5(s.Pulls), s.Landmarks, s.Bias)
		if s.Rest != 0 {
			text += fmt.Sprintf(" %+.5g of the rest", s.Rest)
		}
		facts = append(facts, Fact{Name: "score as a sum", Value: text})
	}
	for _, note := range r.Notes {
		facts = append(facts, Fact{Name: "note", Value: note})
	}
	out := []Section{{Title: fmt.Sprintf("Row %d", r.Row), Facts: facts}}
	if len(r.Columns) > 0 {
		chart := &Ranked{Title: "What the cells did", Label: "change of the score"}
		for _, c := range r.Columns[:min(len(r.Columns), mostRanked)] {
			name := c.Column
			if c.Value != "" {
				name = clean(c.Column, 40) + " = " + clean(c.Value, 40)
			}
			chart.Bars = append(chart.Bars, RankedBar{Name: name, Value: c.Change, Low: c.Change, High: c.Change})
		}
		chart.Note = fmt.Sprintf("The score, less its mean with the cells of %d rows (%s) in the place of this one.",
			r.Background.Rows, clean(r.Background.From, 80))
		out = append(out, Section{Ranked: chart})
	}
	return append(out, neighbours(r)...)
}

// neighbours are the landmarks and rows that are like a row.
func neighbours(r *explain.Row) []Section {
	var out []Section
	for _, list := range []struct {
		text string
		all  []explain.Landmark
	}{{"The nearest landmarks, by the cosine of the kernel.", r.Landmarks},
		{"The landmarks that pull most, for (+) or against (−) the prediction.", r.Strongest}} {
		if len(list.all) == 0 {
			continue
		}
		t := &Table{Columns: []string{"landmark", "cosine", "pull", "label", ""}}
		for _, l := range list.all {
			name, pull, text := strconv.Itoa(l.Landmark), "", l.Text
			if l.Part > 0 {
				name += fmt.Sprintf(" of part %d", l.Part)
			}
			if l.Pull != nil {
				pull = fmt.Sprintf("%+.4g", *l.Pull)
			}
			if l.Row > 0 {
				text = fmt.Sprintf("row %d: %s", l.Row, text)
			}
			t.Rows = append(t.Rows, Cells(name, decimals(l.Similarity), pull, clean(l.Label, 60), clean(text, 200)))
		}
		out = append(out, Section{Text: list.text, Table: t})
	}
	if len(r.Similar) > 0 {
		t := &Table{Columns: []string{"row", "cosine", "label", ""}}
		for _, s := range r.Similar {
			t.Rows = append(t.Rows, Cells(strconv.Itoa(s.Row), decimals(s.Similarity), clean(s.Label, 60),
				clean(s.Text, 200)))
		}
		out = append(out, Section{Text: "Rows that are like it.", Table: t})
	}
	return out
}
