package table_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TestWords compares coordinates of texts with the formula of tf-idf.
func TestWords(t *testing.T) {
	texts := make([]string, 24)
	for i := range texts {
		texts[i] = fmt.Sprintf("The word%d and word%d the once%d!", i%5, i%7, i)
	}
	texts[3], texts[9] = "", "nothing known here at all"
	csv := rowsOf("note,x,y\n", len(texts), func(i int) string { return fmt.Sprintf("%s,%d,%d", texts[i], i*i, i%2) })
	tab := mustRead(t, csv, table.Options{})
	s := mustFit(t, tab, nil, scale.None)
	if want := "2 columns: 1 number, 1 text → 11 coordinates"; s.Summary() != want {
		t.Fatalf("summary %q, want %q", s.Summary(), want)
	}
	if want := []table.Block{{To: 1}, {Name: "note", Text: true, From: 1, To: 11}}; !reflect.DeepEqual(s.Blocks(), want) {
		t.Fatalf("blocks %v, want %v", s.Blocks(), want)
	}
	rows, _ := dense(t, s, tab)
	words := s.Columns[0].Words // and, the, word0 to word6
	for i, row := range rows {
		want, square := make([]float64, len(words)), 0.0
		for k, word := range words {
			in := 0.0
			for _, other := range texts {
				if strings.Contains(strings.ToLower(other), word) {
					in++
				}
			}
			if f := float64(strings.Count(strings.ToLower(texts[i]), word)); f > 0 {
				want[k] = (1 + math.Log(f)) * (1 + math.Log(24/(1+in)))
				square += want[k] * want[k]
			}
		}
		for k := range want {
			if square > 0 {
				want[k] /= math.Sqrt(square)
			}
			if math.Abs(row[1+k]-want[k]) > 1e-14 { // a few roundings of numbers of at most 1
				t.Fatalf("row %d, %s is %v, want %v", i, words[k], row[1+k], want[k])
			}
		}
		if row[0] != float64(i*i) || (row[10] == 1) != (texts[i] == "") {
			t.Errorf("row %d is %v", i, row)
		}
	}
	few := mustFit(t, tab, []int{0, 1, 2, 4, 5}, scale.None)
	if few.Columns[0].Kind != table.Category || len(few.Blocks()) != 1 {
		t.Errorf("five texts are a %s", few.Columns[0].Kind)
	}
}
