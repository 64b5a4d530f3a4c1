package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TestAbsent: a few words among numbers, numbers with a unit or dates stand for missing values; others that come with
// new rows are refused; words in many cells, or many of them, make the column one of texts.
func TestAbsent(t *testing.T) {
	none := table.Options{Target: "none"}
	number := func(i int) string { return fmt.Sprintf("%d.5", i) }
	for _, c := range []struct {
		name, words string
		cell        func(i int) string
		odd         string
		every       int // row that has the word
		kind        table.Kind
	}{
		{"number", `"unknown" counts as missing`, number, "unknown", 20, table.Number},
		{"unit", `in kg; "n.k." counts as missing`, func(i int) string { return fmt.Sprintf("%d kg", i) }, "n.k.", 20, table.Number},
		{"date", `YYYY-M-D; "never" counts as missing`, func(i int) string { return fmt.Sprintf("2024-%d-%d", 1+i%12, 1+i%28) }, "never",
			20, table.Date},
		{"often", "", number, "unknown", 4, table.Category},
		{"digits", "", number, "about 12", 20, table.Ignored},
	} {
		rows := "x,z\n"
		for i := range 60 {
			cell := c.cell(i / 2)
			if i%c.every == 1 {
				cell = c.odd
			}
			if c.kind == table.Ignored && i%c.every != 1 {
				cell = c.cell(i)
			}
			rows += fmt.Sprintf("%s,%d\n", cell, i*i%7)
		}
		tab := mustRead(t, rows, none)
		s, err := table.Fit(tab, nil, scale.Standard)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if s.Columns[0].Kind != c.kind {
			t.Fatalf("%s: the column is %v, want %v", c.name, s.Columns[0].Kind, c.kind)
		}
		if c.kind == table.Category || c.kind == table.Ignored {
			continue
		}
		if !strings.Contains(s.Summary(), "("+c.words+")") {
			t.Errorf("%s: %s", c.name, s.Summary())
		}
		if err := s.Validate(); err != nil {
			t.Error(c.name, err)
		}
		x, _, err := s.Encode(tab)
		if err != nil {
			t.Fatal(c.name, err)
		}
		dense := make([]float64, s.Width)
		gone := s.Columns[0].Offset + s.Columns[0].Size - 1
		for i := range x.Len() {
			clear(dense)
			x.At(i).CopyTo(dense)
			if want := i%c.every == 1; (dense[gone] == 1) != want {
				t.Errorf("%s: row %d has %v", c.name, i, dense)
			}
		}
		if _, _, err := s.Encode(mustRead(t, "x,z\n"+c.odd+",1\n", none)); err != nil {
			t.Error(c.name, err)
		}
		if _, _, err := s.Encode(mustRead(t, "x,z\nwhatever,1\n", none)); err == nil {
			t.Errorf("%s: another word is taken", c.name)
		}
	}
}
