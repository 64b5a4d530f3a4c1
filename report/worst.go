package report

import (
	"cmp"
	"math"
	"slices"
)

// worst lists the rows of which the model is furthest off.
func (p TrainPage) worst() (Section, bool) {
	var s Section
	var rows []int
	switch {
	case p.Truth != nil:
		s, rows = p.worstNumbers()
	case p.Scores != nil:
		s, rows = p.strangest()
	case len(p.Said.Truth) > 0 && p.Said.Scores != nil:
		s, rows = p.worstClasses()
	default:
		return s, false
	}
	if len(rows) == 0 {
		return Section{Title: s.Title, Text: "None: all are right."}, true
	}
	s.Text += " Rows are counted from 1 in " + apart(clean(p.On, 80)) + "."
	if p.Texts != nil {
		s.Table.Columns = append(s.Table.Columns, "text")
		for k, i := range rows {
			s.Table.Rows[k] = append(s.Table.Rows[k], Cell{Value: clean(p.Texts[i], 80)})
		}
	}
	return s, true
}

// number returns the number of a row.
func (p TrainPage) number(i int) string {
	if p.Rows != nil {
		return grouped(p.Rows[i])
	}
	return grouped(i + 1)
}

// lowest returns the places of the smallest values, in order, at most mostWorst.
func lowest(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order[:min(len(order), mostWorst)]
}

// worstClasses lists the rows whose true class lost by most: those with the
// smallest difference between its score and that of the predicted one.
func (p TrainPage) worstClasses() (Section, []int) {
	said := p.Said
	var wrong []int
	var by []float64
	for i, c := range said.Truth {
		if c >= 0 && said.Predicted[i] != c {
			s := said.Scores.Row(i)
			wrong, by = append(wrong, i), append(by, s[c]-s[said.Predicted[i]])
		}
	}
	t := &Table{Columns: []string{"row", "label", "predicted", "label's score", "predicted's score"}}
	if said.Probabilities != nil {
		t.Columns = append(t.Columns, "label's probability")
	}
	var rows []int
	for _, k := range lowest(by) {
		i := wrong[k]
		c, q, s := said.Truth[i], said.Predicted[i], said.Scores.Row(i)
		row := Cells(p.number(i), clean(p.Classes[c], 40), clean(p.Classes[q], 40), brief(s[c]), brief(s[q]))
		if said.Probabilities != nil {
			row = append(row, Cell{Value: percent(said.Probabilities.Row(i)[c])})
		}
		t.Rows, rows = append(t.Rows, row), append(rows, i)
	}
	return Section{
		Title: "Rows predicted most wrongly", Table: t,
		Text: "Those whose label's score falls short of the predicted one's by most.",
	}, rows
}

// worstNumbers lists the rows with the largest residuals.
func (p TrainPage) worstNumbers() (Section, []int) {
	less := make([]float64, len(p.Truth))
	for i := range less {
		less[i] = -math.Abs(p.Truth[i] - p.Predicted[i])
	}
	t := &Table{Columns: []string{"row", "truth", "predicted", "residual"}}
	rows := lowest(less)
	for _, i := range rows {
		t.Rows = append(t.Rows, Cells(p.number(i), brief(p.Truth[i]), brief(p.Predicted[i]),
			brief(p.Truth[i]-p.Predicted[i])))
	}
	return Section{
		Title: "Rows predicted most wrongly", Table: t, Text: "Those with the largest residuals, truth less prediction.",
	}, rows
}

// strangest lists the rows that a one-class machine finds least like the others.
func (p TrainPage) strangest() (Section, []int) {
	t := &Table{Columns: []string{"row", "score"}}
	rows := lowest(p.Scores)
	for _, i := range rows {
		t.Rows = append(t.Rows, Cells(p.number(i), brief(p.Scores[i])))
	}
	return Section{
		Title: "The strangest rows", Table: t, Text: "Those with the lowest scores; an outlier has one below 0.",
	}, rows
}
