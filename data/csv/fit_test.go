package csv_test

import (
	"testing"

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

const people = "age,work,height,class\n" +
	"20,state,180,yes\n" +
	"40,private,?,no\n" +
	"?,private,160,yes\n" +
	"60,,170,no\n"
