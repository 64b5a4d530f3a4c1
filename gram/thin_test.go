package gram_test

import (
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// mostlyZero returns points of which one coordinate in eight differs from 0, with every
// tenth row full.
func mostlyZero(n, d int) *data.Matrix {
	m := points(n, d).(*data.Matrix)
	for i := range n {
		for j, row := 0, m.Row(i); j < d; j++ {
			if i%10 != 9 && (j+3*i)%8 > 0 {
				row[j] = 0
			}
		}
	}
	return m
}

// sparseRows returns the same points as sparse vectors.
func sparseRows(m *data.Matrix) *data.CSR {
	s := &data.CSR{Cols: m.Cols, Ptr: []int{0}}
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				s.Index, s.Value = append(s.Index, int32(j)), append(s.Value, v)
			}
		}
		s.Ptr = append(s.Ptr, len(s.Value))
	}
	return s
}

// TestMostlyZero has rows of few values, dense and sparse, which have the same bits, and
// full rows among them. In float32 the terms of a distance add up to about 64, and errors of
// some units of that pass on to K with the factor gamma.
func TestMostlyZero(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.05}
	for _, n := range []int{1, 7, 8, 9, 31, 32, 33, 100, 257} {
		for _, d := range []int{5, 31, 123, 400} {
			m := mostlyZero(n, d)
			for p, tolerance := range map[run.Precision]float64{run.Float64: 1e-13, run.Float32: 1e-5} {
				c := gram.BindPrecision[data.Vector](k, m, p)
				got, err := c.Block(ctx, run.Control{Workers: 2}, m)
				if err != nil {
					t.Fatal(err)
				}
				same, err := gram.BindPrecision[data.Vector](k, sparseRows(m), p).Block(ctx, run.Control{}, sparseRows(m))
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					for j := range n {
						v := got.Row(i)[j]
						near(t, "a row of few values", v, k.Eval(m.At(i), m.At(j)), tolerance)
						if v != same.Row(i)[j] || v != got.Row(j)[i] || i == j && v != 1 {
							t.Fatalf("n=%d d=%d %v: K(%d,%d) is %v, of sparse rows %v, its mirror image %v",
								n, d, p, i, j, v, same.Row(i)[j], got.Row(j)[i])
						}
					}
				}
			}
		}
	}
}

// TestMostlyZeroFar has one coordinate far from 0 in all rows, which takes the digits of
// distances that are not moved: 1e8 has a unit of 1.5e-8.
func TestMostlyZeroFar(t *testing.T) {
	m := mostlyZero(40, 31)
	for i := range m.Rows {
		m.Row(i)[4] = 1e8
	}
	k := kernel.Gaussian{Gamma: 0.05}
	g, err := gram.Symmetric[data.Vector](ctx, run.Control{}, k, m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Rows {
		for j := range m.Rows {
			near(t, "far", g.Row(i)[j], k.Eval(m.At(i), m.At(j)), 1e-7)
		}
	}
}
