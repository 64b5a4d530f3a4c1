package linalg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
)

// TestProducts compares each product with its sum, at sizes on both sides of the
// edges of a block, and that triangles leave what is above the diagonal alone.
func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	fill := func(rows, cols int) *data.Matrix {
		m := data.NewMatrix(rows, cols)
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64()
		}
		return m
	}
	ctx, ctl := t.Context(), run.Control{}
	const alpha, beta = 0.5, -2.0
	for _, s := range [][3]int{{0, 3, 2}, {1, 1, 1}, {7, 9, 0}, {8, 33, 65}, {70, 31, 9}} {
		m, n, k := s[0], s[1], s[2]
		a, b, at, bt := fill(m, k), fill(k, n), fill(k, m), fill(n, k)
		square, flat := fill(m, m), fill(m, n)
		for _, c := range []struct {
			name  string
			from  *data.Matrix
			lower bool
			call  func(dst *data.Matrix) error
			term  func(i, j, p int) float64
		}{
			{"Mul", flat, false, func(d *data.Matrix) error { return linalg.Mul(ctx, ctl, alpha, a, b, beta, d) },
				func(i, j, p int) float64 { return a.Row(i)[p] * b.Row(p)[j] }},
			{"MulT", flat, false, func(d *data.Matrix) error { return linalg.MulT(ctx, ctl, alpha, a, bt, beta, d) },
				func(i, j, p int) float64 { return a.Row(i)[p] * bt.Row(j)[p] }},
			{"TMul", flat, false, func(d *data.Matrix) error { return linalg.TMul(ctx, ctl, alpha, at, b, beta, d) },
				func(i, j, p int) float64 { return at.Row(p)[i] * b.Row(p)[j] }},
			{"SymRank", square, true, func(d *data.Matrix) error { return linalg.SymRank(ctx, ctl, alpha, a, beta, d) },
				func(i, j, p int) float64 { return a.Row(i)[p] * a.Row(j)[p] }},
			{"SymRankT", square, true, func(d *data.Matrix) error { return linalg.SymRankT(ctx, ctl, alpha, at, beta, d) },
				func(i, j, p int) float64 { return at.Row(p)[i] * at.Row(p)[j] }},
		} {
			got := data.NewMatrix(c.from.Rows, c.from.Cols)
			copy(got.Data, c.from.Data)
			if err := c.call(got); err != nil {
				t.Fatal(err)
			}
			for i := range got.Rows {
				for j := range got.Cols {
					want := beta * c.from.Row(i)[j]
					for p := range k {
						want += alpha * c.term(i, j, p)
					}
					if c.lower && j > i {
						want = c.from.Row(i)[j]
					}
					// 65 terms of about 1: 65·2⁻⁵³ and some.
					if math.Abs(got.Row(i)[j]-want) > 1e-12 {
						t.Fatalf("%s %v: (%d, %d) is %v, want %v", c.name, s, i, j, got.Row(i)[j], want)
					}
				}
			}
		}
		norms, whole := make([]float64, m), data.NewMatrix(m, m)
		linalg.Norms2(norms, a)
		if err := linalg.MulT(ctx, ctl, 1, a, a, 0, whole); err != nil {
			t.Fatal(err)
		}
		for i, v := range norms {
			if v != whole.Row(i)[i] {
				t.Fatalf("norm %d is %v, on the diagonal %v", i, v, whole.Row(i)[i])
			}
		}
	}
}
