package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/explain"
)

// plane is the section on what a learnt metric looks at.
func plane(p *explain.Plane) Section {
	s := Section{Title: "What the learnt metric looks at", Table: &Table{Columns: []string{"direction", "share", ""}}}
	s.Text = "The kernel measures distances in a metric that was learnt. Its eigenvectors are directions, and the share " +
		"of one is how much of all squared differences it counts; beside it the coordinates of most weight."
	if p.Part > 0 {
		s.Text += fmt.Sprintf(" It is the metric of part %d of the blend.", p.Part)
	}
	for k, d := range p.Directions {
		s.Table.Rows = append(s.Table.Rows, Cells(fmt.Sprint(k+1), percent(d.Share), along(d)))
	}
	if p.Places.Rows > 0 && p.Places.Cols > 1 {
		s.Figures = []Figure{places(p)}
	}
	return s
}

// along writes a direction by its coordinates.
func along(d explain.Direction) string {
	var parts []string
	for _, c := range d.Coordinates {
		parts = append(parts, fmt.Sprintf("%+.2f %s", c.Weight, clean(c.Name, 40)))
	}
	return strings.Join(parts, "  ")
}

// places draws rows in the first two directions, in the colours of what they are.
func places(p *explain.Plane) Figure {
	groups, names := grouping(&p.Truth, p.Classes)
	series := make([]Series, len(names))
	for g, name := range names {
		series[g] = Series{Name: name, Kind: Points, Size: 5, Faint: true, Colour: g + 1}
	}
	shown := evenly(p.Places.Rows, mostPoints)
	for _, i := range shown {
		if g := groups[i]; g >= 0 {
			at := p.Places.Row(i)
			series[g].Points = append(series[g].Points, Point{X: at[0], Y: at[1]})
		}
	}
	f := Figure{Note: "Two rows are as far apart here as the metric says, but for the other directions."}
	if len(shown) < p.Places.Rows {
		f.Note += fmt.Sprintf(" %s of %s rows are shown.", grouped(len(shown)), grouped(p.Places.Rows))
	}
	f.Chart = Chart{Title: "Rows in the first two directions", Height: 320, X: Axis{Label: "direction 1"},
		Y: Axis{Label: "direction 2"}, Series: series}
	return f
}

// grouping returns the group of each row, -1 for none, and the groups' names: the classes,
// of many the most frequent and the rest, or the thirds of numbers.
func grouping(t *explain.Truth, classes []string) ([]int, []string) {
	if t.Values != nil {
		return thirds(t.Values)
	}
	count := make([]int, len(classes))
	for _, c := range t.Classes {
		if c >= 0 {
			count[c]++
		}
	}
	order := make([]int, len(classes))
	for c := range order {
		order[c] = c
	}
	if len(classes) > Colours {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	}
	place, names := make([]int, len(classes)), []string(nil)
	for k, c := range order {
		if place[c] = min(k, Colours-1); k < Colours-1 || len(classes) <= Colours {
			names = append(names, clean(classes[c], 40))
		}
	}
	if len(classes) > Colours {
		names = append(names, "others")
	}
	groups := make([]int, len(t.Classes))
	for i, c := range t.Classes {
		if groups[i] = -1; c >= 0 {
			groups[i] = place[c]
		}
	}
	return groups, names
}

// thirds divides numbers into the lowest third, the middle and the highest.
func thirds(values []float64) ([]int, []string) {
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[len(sorted)/3], sorted[2*len(sorted)/3]
	groups := make([]int, len(values))
	for i, v := range values {
		switch {
		case math.IsNaN(v):
			groups[i] = -1
		case v >= high:
			groups[i] = 2
		case v >= low:
			groups[i] = 1
		}
	}
	return groups, []string{"below " + digits5(low), "between", "from " + digits5(high)}
}
