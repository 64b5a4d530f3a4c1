package csv_test

import (
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

func mustFit(t testing.TB, tab *table.Table, rows []int, scale scale.Kind) *table.Schema {
	t.Helper()
	s, err := table.Fit(tab, rows, scale)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// dense returns the encoded rows as plain slices.
func dense(t testing.TB, s *table.Schema, tab *table.Table) ([][]float64, []string) {
	t.Helper()
	x, labels, err := s.Encode(tab)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := x.(*data.CSR); ok {
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	if data.Dim(x) != s.Width || len(s.Coordinates()) != s.Width {
		t.Fatalf("%d coordinates with %d names, want %d", data.Dim(x), len(s.Coordinates()), s.Width)
	}
	rows := make([][]float64, x.Len())
	for i := range rows {
		rows[i] = make([]float64, s.Width)
		x.At(i).CopyTo(rows[i])
	}
	return rows, labels
}

const people = "age,work,height,class\n" +
	"20,state,180,yes\n" +
	"40,private,?,no\n" +
	"?,private,160,yes\n" +
	"60,,170,no\n"
