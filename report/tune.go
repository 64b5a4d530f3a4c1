package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/eval"
)

// TunePage is what there is to say of a search for the best model.
type TunePage struct {
	Data    string
	Learner string
	By      eval.Criterion // of the losses
	Penalty string         // C or lambda, the learner's; empty where trials differ in it or have none
	Facts   []Fact         // of the data and the search
	Trials  []Trial        // from the best on, those that failed last; the first was taken
	Final   *TrainPage     // the model that was trained of the best; nil for none
}

// Trial is one candidate, evaluated on some of the rows.
type Trial struct {
	Loss    *float64 // nil where it failed
	Spread  *float64 // standard deviation over the folds; nil for one fold
	Order   int      // place among all evaluations, from 1; 0 if not known
	Round   int      // from 1
	Rows    int      // evaluated on
	Kernel  string
	Map     string
	Dim     int     // features; 0 for none asked for
	Penalty float64 // C or lambda; 0 for none
	Seconds float64
	Failure string // why there is no loss
	Cut     bool   // whether time was up before it ended
}

const mostTrials = 30 // in the table

// Tune writes a page on a search.
func Tune(w io.Writer, p TunePage) error {
	d, err := p.Document()
	if err != nil {
		return err
	}
	return Write(w, d)
}

// Document returns the page for others to add to.
func (p TunePage) Document() (Document, error) {
	d := Document{Title: "Search for " + clean(p.Learner, 80) + " on " + apart(clean(p.Data, 80))}
	var after []Section
	if p.Final != nil {
		final, err := p.Final.Document()
		if err != nil {
			return Document{}, err
		}
		d.Headline, d.Warning, after = final.Headline, final.Warning, final.Sections
		d.Lead = "The best model, trained on all rows of the search. " + final.Lead
	}
	if p.Final == nil && len(p.Trials) > 0 && p.Trials[0].Loss != nil {
		d.Headline = Fact{Name: "Best " + p.By.LossName(), Value: lossOf(p.By, *p.Trials[0].Loss)}
	}
	if len(p.Facts) > 0 {
		d.Sections = append(d.Sections, Section{Title: "How it was searched", Facts: p.Facts})
	}
	if len(p.Trials) > 0 {
		d.Sections = append(d.Sections, Section{
			Title: "What was tried", Figures: p.figures(),
			Text: "Each candidate is measured on rows that it was not trained on. " +
				"The error of the best is that of the luckiest, too.",
		}, p.table())
	}
	d.Sections = append(d.Sections, after...)
	return d, nil
}

// table lists the best trials.
func (p TunePage) table() Section {
	penalty := cmp.Or(p.Penalty, "C or lambda")
	t := &Table{Columns: []string{p.By.LossName(), "±", "kernel", "map", "dim", penalty, "rows", "seconds"}}
	for _, r := range p.Trials[:min(len(p.Trials), mostTrials)] {
		loss, spread, dim, paid, seconds := Cell{Value: "failed", Small: clean(r.Failure, 120)}, "–", "–", "–", ""
		if r.Loss != nil {
			loss, seconds = Cell{Value: lossOf(p.By, *r.Loss)}, fmt.Sprintf("%.2f", r.Seconds)
			if r.Cut {
				loss.Small = "cut short"
			}
		}
		if r.Spread != nil {
			spread = lossOf(p.By, *r.Spread)
		}
		if r.Dim > 0 {
			dim = grouped(r.Dim)
		}
		if r.Penalty > 0 {
			paid = brief(r.Penalty)
		}
		t.Rows = append(t.Rows, append([]Cell{loss}, Cells(spread, clean(r.Kernel, 60), r.Map, dim, paid,
			grouped(r.Rows), seconds)...))
	}
	s := Section{Title: "The best candidates", Table: t}
	if len(p.Trials) > mostTrials {
		s.Note = fmt.Sprintf("And %s more.", grouped(len(p.Trials)-mostTrials))
	}
	return s
}

// figures draw the loss against the order, the penalty, the features and the
// numbers in kernels.
func (p TunePage) figures() []Figure {
	penalty := cmp.Or(p.Penalty, "C or lambda")
	var out []Figure
	add := func(title string, x Axis, at func(Trial) float64) {
		if f, ok := p.figure(title, x, at); ok {
			out = append(out, f)
		}
	}
	add("As the search went on", Axis{Label: "evaluation"}, func(t Trial) float64 { return float64(t.Order) })
	add("By "+penalty, Axis{Label: penalty, Log: true}, func(t Trial) float64 { return t.Penalty })
	add("By the number of features", Axis{Label: "features", Log: true}, func(t Trial) float64 { return float64(t.Dim) })
	for _, family := range p.families() {
		label, values := kernelAxis(family)
		place := map[string]float64{}
		for i, name := range family {
			place[name] = values[i]
		}
		head, _, _ := strings.Cut(family[0], "(")
		if strings.HasPrefix(label, "the number in") {
			add("By the width of "+clean(head, 30), Axis{Label: label, Log: true},
				func(t Trial) float64 { return place[t.Kernel] })
		}
	}
	return out
}

// families returns the kernels that were tried, those of one kind together.
func (p TunePage) families() [][]string {
	var heads []string
	kernels := map[string][]string{}
	for _, t := range p.Trials {
		head, _, _ := strings.Cut(t.Kernel, "(")
		if kernels[head] == nil {
			heads = append(heads, head)
		}
		if !slices.Contains(kernels[head], t.Kernel) {
			kernels[head] = append(kernels[head], t.Kernel)
		}
	}
	slices.Sort(heads)
	var out [][]string
	for _, h := range heads {
		if len(kernels[h]) > 1 {
			out = append(out, kernels[h])
		}
	}
	return out
}

// figure draws the loss of trials, a series for each number of rows, and the best.
func (p TunePage) figure(title string, x Axis, at func(Trial) float64) (Figure, bool) {
	points := map[int][]Point{}
	var rows []int
	places := map[float64]bool{}
	for _, t := range p.Trials {
		v := at(t)
		if t.Loss == nil || !(v > 0) {
			continue
		}
		places[v] = true
		if points[t.Rows] == nil {
			rows = append(rows, t.Rows)
		}
		text := fmt.Sprintf("%s: %s, %s", lossOf(p.By, *t.Loss), t.Kernel, t.Map)
		if t.Dim > 0 {
			text += fmt.Sprintf(" with %d features", t.Dim)
		}
		if t.Penalty > 0 {
			text += fmt.Sprintf(", %s %s", cmp.Or(p.Penalty, "penalty"), brief(t.Penalty))
		}
		points[t.Rows] = append(points[t.Rows], Point{X: v, Y: *t.Loss, Text: text})
	}
	if len(places) < 2 {
		return Figure{}, false
	}
	slices.Sort(rows)
	c := Chart{Title: title, X: x, Y: Axis{Label: p.By.LossName(), Percent: p.By.Percent(), FromZero: true}}
	colours := []int{4, 5, 3, 1} // the last, and most telling, is the first colour
	for i, n := range rows {
		colour := colours[min(max(len(colours)-len(rows)+i, 0), len(colours)-1)]
		c.Series = append(c.Series, Series{Name: "on " + grouped(n) + " rows", Kind: Points, Points: points[n],
			Colour: colour, Faint: i+1 < len(rows)})
	}
	if best := p.Trials[0]; best.Loss != nil && at(best) > 0 {
		c.Series = append(c.Series, Series{
			Name: "taken", Kind: Points, Colour: 2, Size: 11,
			Points: []Point{{X: at(best), Y: *best.Loss, Text: "taken: " + lossOf(p.By, *best.Loss)}},
		})
	}
	return Figure{Chart: c}, true
}
