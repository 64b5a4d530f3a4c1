package data_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
)

func TestMatrix(t *testing.T) {
	m := data.NewMatrix(3, 2)
	copy(m.Data, []float64{1, 2, 3, 4, 5, 6})
	if m.Len() != 3 || !slices.Equal(m.At(1).Value, []float64{3, 4}) || data.Dim(m) != 2 {
		t.Errorf("row 1 is %v", m.At(1))
	}
	if row := append(m.Row(0), 9); m.Data[2] != 3 || len(row) != 3 {
		t.Error("appending to a row writes to the next one")
	}
}

func TestCSRAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &data.CSR{}
		var want [][]float64
		for range rapid.IntRange(1, 9).Draw(t, "rows") {
			v, full := drawVector(t, "row")
			if !v.IsSparse() {
				v.Index = make([]int32, len(v.Value))
				for k := range v.Index {
					v.Index[k] = int32(k)
				}
			}
			m.Append(v.Index, v.Value)
			want = append(want, full)
		}
		if err := m.Validate(); err != nil || m.Len() != len(want) {
			t.Fatalf("%d rows, %v", m.Len(), err)
		}
		widest := 0
		for i, full := range want {
			got := make([]float64, space)
			m.At(i).CopyTo(got)
			if !slices.Equal(got, full) || len(m.Index) > 0 && !m.At(i).IsSparse() {
				t.Fatalf("row %d is %v, want %v", i, got, full)
			}
			widest = max(widest, m.At(i).Dim())
		}
		if m.Cols != widest || data.Dim(m) != widest {
			t.Fatalf("%d columns, want %d", m.Cols, widest)
		}
	})
}

// isWhole is the definition of a valid matrix, written down plainly.
func isWhole(m *data.CSR) bool {
	if len(m.Ptr) == 0 || m.Ptr[0] != 0 || m.Ptr[len(m.Ptr)-1] != len(m.Value) || len(m.Index) != len(m.Value) ||
		!slices.IsSorted(m.Ptr) {
		return false
	}
	for i := range len(m.Ptr) - 1 {
		row := m.Index[m.Ptr[i]:m.Ptr[i+1]]
		for k, j := range row {
			if j < 0 || int(j) >= m.Cols || slices.Index(row, j) != k {
				return false
			}
		}
		if !slices.IsSorted(row) {
			return false
		}
	}
	return true
}

func TestCSRValidate(t *testing.T) {
	good, bad := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "n")
		m := &data.CSR{
			Cols:  rapid.IntRange(0, 4).Draw(t, "cols"),
			Ptr:   rapid.SliceOfN(rapid.IntRange(-1, n+1), 0, 4).Draw(t, "ptr"),
			Index: rapid.SliceOfN(rapid.Int32Range(-1, 4), n, n).Draw(t, "index"),
			Value: make([]float64, n),
		}
		if rapid.Bool().Draw(t, "likely") {
			m.Cols = 5
			slices.Sort(m.Index)
			m.Ptr = append([]int{0}, min(n, 1), n)
		}
		if err := m.Validate(); (err == nil) != isWhole(m) {
			t.Fatalf("%+v: %v", m, err)
		} else if err == nil {
			good++
		} else {
			bad++
		}
	})
	if good == 0 || bad == 0 {
		t.Errorf("%d valid matrices and %d others: the test shows nothing", good, bad)
	}
}

func TestSources(t *testing.T) {
	s := data.Slice[string]{"a", "b", "c", "d"}
	subset := data.Subset[string]{Of: s, Index: []int{3, 0, 3}}
	part := data.Range[string]{Of: s, Lo: 1, Hi: 3}
	if subset.Len() != 3 || subset.At(0) != "d" || subset.At(1) != "a" || subset.At(2) != "d" {
		t.Errorf("subset %v", subset)
	}
	if part.Len() != 2 || part.At(0) != "b" || part.At(1) != "c" {
		t.Errorf("range %v", part)
	}
	d := data.Labeled[string, int]{X: s, Y: []int{1, 2, 3, 4}}.Select([]int{2, 1})
	if d.X.Len() != 2 || d.X.At(0) != "c" || d.X.At(1) != "b" || !slices.Equal(d.Y, []int{3, 2}) {
		t.Errorf("selection %v", d)
	}
	mixed := data.Slice[data.Vector]{data.Dense(1), {Index: []int32{6}, Value: []float64{1}}, {}}
	if data.Dim(mixed) != 7 {
		t.Errorf("dimension %d, want 7", data.Dim(mixed))
	}
}

func TestInputError(t *testing.T) {
	tests := []struct {
		err  data.InputError
		want string
	}{
		{data.InputError{Problem: "p"}, "p"},
		{data.InputError{File: "f", Problem: "p", Advice: "a"}, "f: p; a"},
		{data.InputError{File: "f", Line: 3, Problem: "p"}, "f:3: p"},
		{data.InputError{File: "f", Line: 3, Column: 4, Problem: "p", Advice: "a"}, "f:3:4: p; a"},
		{data.InputError{File: "f", Column: 4, Problem: "p"}, "f: p"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
