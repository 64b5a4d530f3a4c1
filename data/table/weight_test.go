package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

func TestWeightColumn(t *testing.T) {
	tab := mustRead(t, "a,w,b,y\n1,2,3,u\n4,5,6,v\n", table.Options{Weight: "w"})
	if tab.Weight != 1 || tab.Target != 3 {
		t.Fatalf("weight %d, target %d", tab.Weight, tab.Target)
	}
	s := mustFit(t, tab, nil, scale.None)
	if err := s.Validate(); err != nil || s.Width != 2 || s.Columns[1].Kind != table.Weight ||
		strings.Contains(s.Summary(), "3 columns") {
		t.Errorf("%v, width %d, %s", err, s.Width, s.Summary())
	}
	for _, c := range []struct {
		text string
		at   int // column of the weight
	}{
		{"a,w,b,y\n1,2,3,u\n", 1}, {"w,y,b,a\n2,u,3,1\n", 0}, {"b,a\n3,1\n", -1}, {"y,b,a\nu,3,1\n", -1},
	} {
		other := mustRead(t, c.text, s.Options(""))
		at, err := s.WeightAt(other)
		if rows, _ := dense(t, s, other); err != nil || at != c.at || !slices.Equal(rows[0], []float64{1, 3}) {
			t.Errorf("%q: weight at %d, %v, rows %v", c.text, at, err, rows)
		}
	}
}

// TestWeightByPosition: without headers a table may lack the target, or both.
func TestWeightByPosition(t *testing.T) {
	s := mustFit(t, mustRead(t, "1,2,3,u\n4,5,6,v\n", table.Options{Weight: "2"}), nil, scale.None)
	for text, want := range map[string]int{"1,2,3,u\n": 1, "1,2,3\n": 1, "1,3\n": -1} {
		tab := mustRead(t, text, table.Options{Target: "none"})
		at, err := s.WeightAt(tab)
		if rows, _ := dense(t, s, tab); err != nil || at != want || !slices.Equal(rows[0], []float64{1, 3}) {
			t.Errorf("%q: weight at %d, %v, rows %v", text, at, err, rows)
		}
	}
	for _, text := range []string{"1\n", "1,2,3,4,5\n"} {
		_, _, err := s.Encode(mustRead(t, text, table.Options{Target: "none"}))
		if err == nil || !strings.Contains(err.Error(),
			"4 columns, or 3 without the target, or 2 without the target and the weight") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWeightOptions(t *testing.T) {
	for _, c := range []struct {
		o              table.Options
		target, weight int
		says           string
	}{
		{table.Options{Weight: "3"}, 1, 2, ""},
		{table.Options{Weight: "1", Target: "first"}, 1, 0, ""},
		{table.Options{Weight: "none"}, 2, -1, ""},
		{table.Options{Weight: "nosuch", WeightSpare: true}, 2, -1, ""},
		{table.Options{Weight: "nosuch"}, 0, 0, `there is no column "nosuch", which is named as the weight`},
		{table.Options{Weight: "2", Target: "2"}, 0, 0, "both the weight and the target"},
		{table.Options{Weight: "2", Drop: []string{"2"}}, 0, 0, "both the weight and one that is to be left out"},
	} {
		r, err := csv.NewReader(strings.NewReader("1,2,3\n4,5,6\n"), c.o)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c.o, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if tab, err := r.Read(t.Context(), 0); err != nil || tab.Target != c.target || tab.Weight != c.weight {
			t.Errorf("%+v: %v, target %d, weight %d", c.o, err, tab.Target, tab.Weight)
		}
	}
}
