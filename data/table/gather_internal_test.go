package table

import "testing"

// Rows that are taken out of a table do not hold the memory of all its cells, which a stream of tables would fill up
// with, and which may be freed.
func TestSelectHoldsNothing(t *testing.T) {
	whole := &Table{column: []*column{{value: []float64{1, 2, 3}}}, memory: make([]float64, 3), Lines: []int{1, 2, 3}}
	for _, part := range []*Table{whole.Select([]int{1}), whole.Select(nil), Concat([]*Table{whole})} {
		if part.memory != nil {
			t.Errorf("%d rows hold the memory of others", part.Len())
		}
	}
}
