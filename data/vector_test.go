package data_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
)

const space = 12 // coordinates of the vectors drawn here

// drawVector draws a dense or sparse vector of small whole numbers, whose sums
// and products are exact, and its coordinates padded to space.
func drawVector(t *rapid.T, name string) (data.Vector, []float64) {
	full := make([]float64, space)
	value := rapid.SliceOfN(rapid.IntRange(-9, 9), 0, space).Draw(t, name)
	var v data.Vector
	if rapid.Bool().Draw(t, name+" is sparse") {
		place := rapid.SliceOfNDistinct(rapid.Int32Range(0, space-1), len(value), len(value), rapid.ID).Draw(t, name+" index")
		slices.Sort(place)
		v.Index = append([]int32{}, place...)
	}
	for k, a := range value {
		v.Value = append(v.Value, float64(a))
		if v.Index == nil {
			full[k] = float64(a)
		} else {
			full[v.Index[k]] = float64(a)
		}
	}
	return v, full
}

// TestVectorOperations compares every operation with its formula on padded
// coordinates. All numbers are small and whole, so equality is exact.
func TestVectorOperations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, a := drawVector(t, "v")
		w, b := drawVector(t, "w")
		dot, norm2, distance2 := 0.0, 0.0, 0.0
		for j := range space {
			dot += a[j] * b[j]
			norm2 += a[j] * a[j]
			distance2 += (a[j] - b[j]) * (a[j] - b[j])
		}
		if v.Dot(w) != dot || w.Dot(v) != dot {
			t.Fatalf("dot %v and %v, want %v", v.Dot(w), w.Dot(v), dot)
		}
		if v.Norm2() != norm2 || v.Norm() != math.Sqrt(norm2) {
			t.Fatalf("norm² %v, norm %v, want %v", v.Norm2(), v.Norm(), norm2)
		}
		if v.Distance2(w) != distance2 || w.Distance2(v) != distance2 || v.Distance2(v) != 0 {
			t.Fatalf("distance² %v and %v, want %v", v.Distance2(w), w.Distance2(v), distance2)
		}
		if v.DotWith(b) != dot {
			t.Fatalf("dot with dense %v, want %v", v.DotWith(b), dot)
		}
		if !v.Finite() {
			t.Fatal("finite values are not finite")
		}
	})
}

// TestVectorInto checks what writes into slices shorter and longer than the
// vector, and that nothing past them is touched.
func TestVectorInto(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, a := drawVector(t, "v")
		n := rapid.IntRange(0, space).Draw(t, "n")
		guarded := slices.Repeat([]float64{math.NaN()}, space+1)
		v.CopyTo(guarded[:n])
		if !slices.Equal(guarded[:n], a[:n]) {
			t.Fatalf("copied %v, want %v", guarded[:n], a[:n])
		}
		v.AddTo(guarded[:n], 2)
		dot := 0.0
		for j := range n {
			if guarded[j] != 3*a[j] {
				t.Fatalf("coordinate %d is %v, want %v", j, guarded[j], 3*a[j])
			}
			dot += a[j] * a[j]
		}
		for j := n; j <= space; j++ {
			if !math.IsNaN(guarded[j]) {
				t.Fatalf("wrote past the end, at %d", j)
			}
		}
		if v.DotWith(a[:n]) != dot {
			t.Fatalf("dot with %d coordinates %v, want %v", n, v.DotWith(a[:n]), dot)
		}
	})
}

func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, a := drawVector(t, "v")
		w, b := drawVector(t, "w")
		last := -1
		met := make([]bool, space)
		data.Walk(v, w, func(j int, x, y float64) {
			if j <= last || x != a[j] || y != b[j] {
				t.Fatalf("at %d after %d: %v, %v, want %v, %v", j, last, x, y, a[j], b[j])
			}
			last, met[j] = j, true
		})
		for j := range space {
			if !met[j] && (a[j] != 0 || b[j] != 0) {
				t.Fatalf("coordinate %d was left out", j)
			}
		}
	})
}

func TestSparse(t *testing.T) {
	tests := []struct {
		index []int32
		value []float64
		dim   int // -1 for an error
	}{
		{nil, nil, 0},
		{[]int32{0}, []float64{1}, 1},
		{[]int32{2, 7}, []float64{1, 0}, 8},
		{[]int32{2, 2}, []float64{1, 1}, -1},
		{[]int32{3, 2}, []float64{1, 1}, -1},
		{[]int32{-1, 2}, []float64{1, 1}, -1},
		{[]int32{1}, []float64{1, 2}, -1},
	}
	for _, test := range tests {
		v, err := data.Sparse(test.index, test.value)
		if (err == nil) != (test.dim >= 0) {
			t.Errorf("%v: error %v", test.index, err)
		}
		if err == nil && (!v.IsSparse() || v.Dim() != test.dim) {
			t.Errorf("%v: sparse %v, dimension %d, want %d", test.index, v.IsSparse(), v.Dim(), test.dim)
		}
	}
	if v := data.Dense(1, 2); v.IsSparse() || v.Dim() != 2 {
		t.Errorf("dense: %+v", v)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if data.Dense(1, bad).Finite() {
			t.Errorf("%v is finite", bad)
		}
	}
}
