package table_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TestWords compares coordinates of texts with the formula of tf-idf: words, and parts of words, each of length √½.
func TestWords(t *testing.T) {
	texts := make([]string, 24)
	for i := range texts {
		texts[i] = fmt.Sprintf("The wörd%d and wörd%d the once%d!", i%5, i%7, i)
	}
	texts[3], texts[9] = "", "nothing known here at all"
	csv := rowsOf("note,x,y\n", len(texts), func(i int) string { return fmt.Sprintf("%s,%d,%d", texts[i], i*i, i%2) })
	tab := mustRead(t, csv, table.Options{})
	s := mustFit(t, tab, nil, scale.None)
	words := s.Columns[0].Words
	plain := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "~") {
			plain++
		}
	}
	if want := 9; plain != want { // and, the, wörd0 to wörd6
		t.Fatalf("%d words of %q, want %d", plain, words, want)
	}
	width := 2 + len(words)
	if want := fmt.Sprintf("2 columns: 1 number, 1 text → %d coordinates", width); s.Summary() != want {
		t.Fatalf("summary %q, want %q", s.Summary(), want)
	}
	blocks := []table.Block{{To: 1}, {Name: "note", Text: true, From: 1, To: width}}
	if got := s.Blocks(); !reflect.DeepEqual(got, blocks) {
		t.Fatalf("blocks %v, want %v", got, blocks)
	}
	counts := make([]map[string]float64, len(texts))
	in := map[string]float64{}
	for i, text := range texts {
		counts[i] = map[string]float64{}
		for _, word := range strings.Fields(strings.ToLower(strings.Trim(text, "!"))) {
			counts[i][word]++
			edged := []rune("_" + word + "_")
			for _, n := range []int{3, 4} {
				for from := range len(edged) - n + 1 {
					counts[i]["~"+string(edged[from:from+n])]++
				}
			}
		}
		for w := range counts[i] {
			in[w]++
		}
	}
	for w, n := range in {
		if known := slices.Contains(words, w); known != (n >= 2) {
			t.Errorf("%q is in %v rows, and known is %v", w, n, known)
		}
	}
	rows, _ := dense(t, s, tab)
	for i, row := range rows {
		want, square := make([]float64, len(words)), map[bool]float64{}
		for k, word := range words {
			if f := counts[i][word]; f > 0 {
				want[k] = (1 + math.Log(f)) * (1 + math.Log(24/(1+in[word])))
				square[word[0] == '~'] += want[k] * want[k]
			}
		}
		for k, word := range words {
			if want[k] > 0 {
				want[k] /= math.Sqrt(2 * square[word[0] == '~'])
			}
			if math.Abs(row[1+k]-want[k]) > 1e-14 { // a few roundings of numbers of at most 1
				t.Fatalf("row %d, %s is %v, want %v", i, words[k], row[1+k], want[k])
			}
		}
		if row[0] != float64(i*i) || (row[width-1] == 1) != (texts[i] == "") {
			t.Errorf("row %d is %v", i, row)
		}
	}
	few := mustFit(t, tab, []int{0, 1, 2, 4, 5}, scale.None)
	if few.Columns[0].Kind != table.Category || len(few.Blocks()) != 1 {
		t.Errorf("five texts are a %s", few.Columns[0].Kind)
	}
}
