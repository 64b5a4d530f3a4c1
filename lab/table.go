package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/spec"
)

// maxClasses is how many classes have colours. The rarest of more become one.
const maxClasses = 6

// maxColumns is how many columns can be chosen from.
const maxColumns = 500

// Table is a table whose rows are points: some of its rows, scaled, with their classes. It
// is immutable and safe for concurrent use.
type Table struct {
	Name    string   `json:"name"`
	Rows    int      `json:"rows"`    // of the file
	Columns []string `json:"columns"` // that can be chosen, the first ones
	Classes []string `json:"classes"`
	Notes   []string `json:"notes"` // what was found, for people

	x     []data.Vector // at most MaxPoints, in random order
	y     []int
	plane *data.Matrix // x along the first two principal directions
	share [2]float64   // of the variance
}

// ReadTable reads the table at a path, or the standard input of the options if that is
// "-". Numbers are scaled to variance 1. A target of many numbers is cut at its median.
func ReadTable(ctx context.Context, path string, o dataset.Options) (*Table, error) {
	rows, err := dataset.Recognise(ctx, path, o, true)
	if err != nil {
		return nil, err
	}
	if string(rows.Kind) != (spec.Vectors{}).Name() {
		return nil, &data.InputError{File: rows.Name,
			Problem: fmt.Sprintf("the rows are %s, which have no place in the plane", rows.Kind),
			Advice:  "use a table of numbers and categories"}
	}
	if err := rows.CheckLabels(); err != nil {
		return nil, err
	}
	t := &Table{Name: filepath.Base(rows.Name), Rows: rows.Len(), Notes: slices.Clone(rows.Notes)}
	live := rows.Live()
	picked := make([]int, 0, min(MaxPoints, len(live)))
	for _, i := range seed.Choose(len(live), min(MaxPoints, len(live)), 1, streamPool) {
		picked = append(picked, live[i])
	}
	slices.Sort(picked) // data may be read in order only
	e, d, err := dataset.FitDecode[data.Vector](rows.Pick(picked), nil, scale.Standard, o)
	if err != nil {
		return nil, err
	}
	t.label(d.Y)
	if len(t.Classes) < 2 {
		return nil, &data.InputError{File: rows.Name, Problem: "all rows have the same label",
			Advice: "name the column of the labels with --target"}
	}
	if e.Table != nil {
		t.Columns = e.Table.Coordinates()
	} else {
		for j := range e.Width() {
			t.Columns = append(t.Columns, strconv.Itoa(j+1))
		}
	}
	t.shuffle(d.X)
	t.plane, t.share, err = principal(ctx, t.x, max(2, e.Width()))
	if len(t.Columns) > maxColumns {
		t.Notes = append(t.Notes, fmt.Sprintf("the first %d of %d columns can be chosen", maxColumns, len(t.Columns)))
		t.Columns = t.Columns[:maxColumns]
	}
	return t, err
}

// shuffle takes the rows over in a random order, so that the first ones stand for all.
func (t *Table) shuffle(x data.Source[data.Vector]) {
	y := make([]int, 0, x.Len())
	for _, i := range seed.Stream(1, streamFresh, 0).Perm(x.Len()) {
		t.x, y = append(t.x, x.At(i)), append(y, t.y[i])
	}
	t.y = y
}

// label finds the classes. Many numbers are cut at their median.
func (t *Table) label(labels []string) {
	classes, y := data.Encode(labels)
	if values, ok := numbers(labels); ok && classes.Len() > maxClasses && (classes.Len() > mostNumbered ||
		fractions(values)) {
		sorted := slices.Sorted(slices.Values(values))
		cut := sorted[len(sorted)/2]
		t.Classes = []string{fmt.Sprintf("below %.4g", cut), fmt.Sprintf("%.4g and above", cut)}
		t.Notes = append(t.Notes, fmt.Sprintf("the target is a number, cut at its median %.4g", cut))
		for _, v := range values {
			c := 0
			if v >= cut {
				c = 1
			}
			t.y = append(t.y, c)
		}
		return
	}
	if classes.Len() <= maxClasses {
		t.Classes, t.y = slices.Clone(classes.Names), y
		return
	}
	count := map[int]int{}
	for _, c := range y {
		count[c]++
	}
	often := slices.SortedFunc(maps.Keys(count), func(a, b int) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})[:maxClasses-1]
	slices.Sort(often)
	at := map[int]int{}
	for i, c := range often {
		at[c] = i
		t.Classes = append(t.Classes, classes.Names[c])
	}
	t.Classes = append(t.Classes, "others")
	t.Notes = append(t.Notes, fmt.Sprintf("of %d classes the %d most frequent are told apart", classes.Len(), len(often)))
	for _, c := range y {
		i, ok := at[c]
		if !ok {
			i = len(often)
		}
		t.y = append(t.y, i)
	}
}

// mostNumbered is up to how many different whole numbers are taken for names of classes.
const mostNumbered = 30

// fractions reports whether some values are no whole numbers.
func fractions(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

// numbers reads labels as numbers, if all are.
func numbers(labels []string) ([]float64, bool) {
	out := make([]float64, len(labels))
	for i, label := range labels {
		v, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// errColumns reports columns that a table does not have.
var errColumns = errors.New("the table has no such columns")

// points returns the first rows as points.
func (t *Table) points(s *State) (*points, error) {
	n := min(s.N, len(t.x))
	p := &points{x: data.NewMatrix(n, 2), y: slices.Clone(t.y[:n]), classes: t.Classes}
	if len(s.Columns) == 0 {
		copy(p.x.Data, t.plane.Data)
		for i, share := range t.share {
			p.axes[i] = fmt.Sprintf("principal direction %d (%.0f%% of the variance)", i+1, 100*share)
		}
		return p, nil
	}
	at := [2]int{}
	for i, name := range s.Columns {
		if at[i] = slices.Index(t.Columns, name); at[i] < 0 {
			return nil, refused("%v: %q", errColumns, data.ClipMiddle(name, 80))
		}
		p.axes[i] = name
	}
	row := make([]float64, max(at[0], at[1])+1)
	for i := range n {
		clear(row)
		t.x[i].CopyTo(row)
		p.x.Row(i)[0], p.x.Row(i)[1] = row[at[0]], row[at[1]]
	}
	return p, nil
}
