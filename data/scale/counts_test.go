package scale_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
)

// TestCounts compares the weights with their formula, term by term.
func TestCounts(t *testing.T) {
	x := data.Slice[data.Vector]{
		{Index: []int32{0, 2}, Value: []float64{3, 1}}, {Index: []int32{2}, Value: []float64{0.5}},
		data.Dense(0, 0, 4, 2), {Index: []int32{}, Value: []float64{}},
	}
	s, err := scale.FitCounts(x, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	rows := []float64{1, 0, 3, 1} // that have each term
	got := s.Apply(x)
	for i := range x {
		want, sum := make([]float64, 4), 0.0
		for j := range want {
			c := 0.0
			row := make([]float64, 4)
			x[i].CopyTo(row)
			if c = row[j]; c == 0 || rows[j] == 0 {
				continue
			}
			if c >= 1 {
				c = 1 + math.Log(c)
			}
			want[j] = c * (1 + math.Log(4/(1+rows[j])))
			sum += want[j] * want[j]
		}
		have := make([]float64, 4)
		got.At(i).CopyTo(have)
		for j := range want {
			if sum > 0 {
				want[j] /= math.Sqrt(sum)
			}
			if math.Abs(have[j]-want[j]) > 1e-15 {
				t.Errorf("row %d, term %d: %v and must be %v", i, j, have[j], want[j])
			}
		}
	}
	text, _ := json.Marshal(s)
	var again scale.Counts
	if err := json.Unmarshal(text, &again); err != nil || !slices.Equal(again.Apply(x).Value, got.Value) {
		t.Errorf("read back from %s it is another (%v)", text, err)
	}
	if _, err := scale.FitCounts(data.Slice[data.Vector]{data.Dense(-1)}, nil); err == nil {
		t.Error("a negative count is accepted")
	}
	if (&scale.Counts{IDF: []float64{math.Inf(1)}}).Validate() == nil {
		t.Error("an infinite weight is accepted")
	}
}
