package table_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// awkward is a table with numbers, texts that come late, missing and odd cells.
func awkward(t *testing.T, rows int) *table.Table {
	t.Helper()
	var b strings.Builder
	b.WriteString("n,late,some,odd,y\n")
	for i := range rows {
		late, some, odd := fmt.Sprint(i%5), "", fmt.Sprint(i)
		if i > rows/2 && i%3 == 0 {
			late = "text"
		}
		if i%4 != 1 {
			some = fmt.Sprint(i % 7)
		}
		if i == rows/3 {
			odd = "inf"
		}
		fmt.Fprintf(&b, "%d.5,%s,%s,%s,%d\n", i, late, some, odd, i%2)
	}
	r, err := csv.NewReader(strings.NewReader(b.String()), table.Options{Name: "t"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func numbers(lo, hi int) []int {
	var out []int
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

// Rows of parts, put together, are the rows of the whole.
func TestConcat(t *testing.T) {
	for _, rows := range []int{3, 40, 41} {
		all := awkward(t, rows)
		for _, cut := range []int{0, 1, rows / 2, rows - 1, rows} {
			got := table.Concat([]*table.Table{all.Select(numbers(0, cut)), all.Select(numbers(cut, rows))})
			if !reflect.DeepEqual(got.Lines, all.Lines) || got.Target != all.Target || got.Cols() != all.Cols() {
				t.Fatalf("%d rows cut at %d: lines %v", rows, cut, got.Lines)
			}
			for i := range rows {
				for j := range all.Cols() {
					a, there := got.Cell(i, j)
					b, want := all.Cell(i, j)
					if a != b || there != want {
						t.Fatalf("%d rows cut at %d: cell %d, %d is %q, want %q", rows, cut, i, j, a, b)
					}
				}
			}
			_, first := table.Fit(got, nil, scale.Standard)
			_, second := table.Fit(all, nil, scale.Standard)
			if rows > 20 && (first == nil || second == nil || !strings.Contains(first.Error(), "inf")) {
				t.Errorf("%v, want %v", first, second)
			}
		}
	}
}

// A schema of a few rows that is refined by a survey of all is that of all.
func TestSurvey(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,gap,kind,one,y\n")
	for i := range 3000 {
		gap, kind, one := fmt.Sprint(i%11), "k"+fmt.Sprint(i%3), "1"
		if i%500 == 499 {
			gap, kind, one = "", "k"+fmt.Sprint(i), "2"
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%d\n", 1000000+(i*i)%101, gap, kind, one, i%2)
	}
	for _, kind := range []scale.Kind{scale.None, scale.Standard, scale.Range} {
		for _, part := range []int{1, 100, 1024, 5000} {
			r, err := csv.NewReader(strings.NewReader(b.String()), table.Options{Name: "t"})
			if err != nil {
				t.Fatal(err)
			}
			var survey table.Survey
			var parts []*table.Table
			for {
				one, err := r.Read(t.Context(), part)
				if err != nil {
					break
				}
				survey.Add(one, nil)
				parts = append(parts, one)
			}
			all := table.Concat(parts)
			want, err := table.Fit(all, nil, kind)
			if err != nil {
				t.Fatal(err)
			}
			got, err := table.Fit(all.Select(numbers(0, 100)), nil, kind)
			if err != nil {
				t.Fatal(err)
			}
			if err := survey.Refine(got, all.Select(numbers(0, 100))); err != nil {
				t.Fatal(err)
			}
			if got.Width != want.Width {
				t.Fatalf("%s: width %d, want %d", kind, got.Width, want.Width)
			}
			for j, c := range want.Columns {
				g := got.Columns[j]
				// Means of 3000 numbers of a million round by 3000·2⁻⁵² of that at most.
				for _, pair := range [][2]float64{{g.Mean, c.Mean}, {g.Center, c.Center}, {g.Spread, c.Spread}} {
					if d := pair[0] - pair[1]; d > 1e-6 || d < -1e-6 {
						t.Errorf("%s, parts of %d: %+v, want %+v", kind, part, g, c)
					}
				}
				if g.Kind != c.Kind || g.Indicator != c.Indicator || !reflect.DeepEqual(g.Categories, c.Categories) ||
					g.Offset != c.Offset || g.Size != c.Size {
					t.Errorf("%s, parts of %d: %+v, want %+v", kind, part, g, c)
				}
			}
		}
	}
}
