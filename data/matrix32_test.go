package data_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
)

func TestMatrix32(t *testing.T) {
	m := data.NewMatrix32(3, 2)
	copy(m.Data, []float32{1, 2, 3, 4, 5, 0.1})
	if m.Len() != 3 || data.Dim(m) != 2 {
		t.Fatalf("%d rows of %d", m.Len(), data.Dim(m))
	}
	if got := m.At(2).Value; !slices.Equal(got, []float64{5, float64(float32(0.1))}) {
		t.Errorf("row 2 is %v", got)
	}
	m.At(0).Value[0] = 9
	if m.Data[0] != 1 {
		t.Error("a row that was read is the matrix's own")
	}

	part := data.Range[data.Vector]{Of: data.Subset[data.Vector]{Of: m, Index: []int{2, 0, 1}}, Lo: 1, Hi: 3}
	row, ok := data.Row32(part, 1)
	if !ok || !slices.Equal(row, []float32{3, 4}) {
		t.Errorf("row 1 of a part is %v, %v", row, ok)
	}
	wide := data.Widen(part)
	if wide.Len() != 2 || !slices.Equal(wide.At(0).Value, []float64{1, 2}) ||
		!slices.Equal(wide.At(1).Value, []float64{3, 4}) {
		t.Errorf("widened: %v, %v", wide.At(0), wide.At(1))
	}

	other := data.NewMatrix(1, 2)
	if _, ok := data.Row32(other, 0); ok {
		t.Error("a row of float64 passes for one of float32")
	}
	if data.Widen(other) != data.Source[data.Vector](other) {
		t.Error("a matrix of float64 was copied")
	}
	if empty := data.Widen(data.NewMatrix32(0, 2)); empty.Len() != 0 {
		t.Errorf("%d rows of none", empty.Len())
	}
}
