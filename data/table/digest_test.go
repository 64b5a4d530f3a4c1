package table_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestCompareRows compares the order of rows, and their digests, with their cells as texts: two
// rows are copies where these are the same, in the table and in one of some of its rows.
func TestCompareRows(t *testing.T) {
	all := awkward(t, 30)
	some := all.Select([]int{4, 4, 9, 10, 10, 22, 27, 4, 29})
	cells := func(row int) string {
		var out []string
		for j := range some.Cols() {
			text, ok := some.Cell(row, j)
			out = append(out, fmt.Sprint(text, ok))
		}
		return fmt.Sprint(out)
	}
	order := make([]int, some.Len())
	for i := range order {
		order[i] = i
		for j := range some.Len() {
			c := some.Compare(i, j)
			if same := cells(i) == cells(j); same != (c == 0) || same != (some.Digest(i) == some.Digest(j)) {
				t.Errorf("rows %d and %d: %d, %s and %s", i, j, c, cells(i), cells(j))
			}
			if some.Compare(j, i) != -c {
				t.Errorf("rows %d and %d are in no order", i, j)
			}
		}
	}
	slices.SortFunc(order, some.Compare)
	if !slices.IsSortedFunc(order, some.Compare) {
		t.Error("the order is not transitive")
	}
	if all.Digest(4) != some.Digest(0) || all.Digest(29) != some.Digest(8) {
		t.Error("a row has another digest among other rows")
	}
}
