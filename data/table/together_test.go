package table_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TestTogether compares what is encoded some columns at a time to the formula of each cell, on
// numbers of columns and rows on both sides of what is put together.
func TestTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for cols := 1; cols <= 13; cols++ {
		for _, rows := range []int{1, 5, 127, 128, 129, 300} {
			for _, gone := range []float64{0, 0.002, 0.3} {
				for _, kind := range []scale.Kind{scale.None, scale.Standard, scale.Range} {
					checkTogether(t, rng, rows, cols, gone, kind)
				}
			}
		}
	}
}

// checkTogether fits a table and encodes it, and another table that lacks cells which the first had.
func checkTogether(t *testing.T, rng *rand.Rand, rows, cols int, gone float64, kind scale.Kind) {
	t.Helper()
	make := func(gone float64) (*table.Table, [][]float64) {
		b := table.NewBuilder(table.Options{Name: "f", Target: "none"})
		values := make([][]float64, rows)
		for j := range cols {
			b.Column("c" + strconv.Itoa(j))
		}
		for i := range values {
			b.Row(i + 1)
			for j := range cols {
				v := rng.NormFloat64() * math.Pow(10, float64(j))
				if rng.Float64() < gone {
					v = math.NaN()
				} else {
					b.Number(j, v)
				}
				values[i] = append(values[i], v)
			}
		}
		made, err := b.Table()
		if err != nil {
			t.Fatal(err)
		}
		return made, values
	}
	first, values := make(gone)
	s, err := table.Fit(first, nil, kind)
	if err != nil {
		return // a column without a number
	}
	second, others := make(gone / 2)
	for k, tab := range []*table.Table{first, second} {
		x, _, err := s.Encode(tab)
		if err != nil {
			t.Fatal(err)
		}
		m := x.(*data.Matrix)
		for i := range rows {
			for j := range s.Columns {
				c := &s.Columns[j]
				v := [][][]float64{values, others}[k][i][j]
				if c.Size == 0 {
					continue
				}
				if v != v {
					v = c.Mean
				}
				want := scale.Fit{Center: c.Center, Spread: c.Spread}.Of(v)
				if got := m.Row(i)[c.Offset]; got != want {
					t.Fatalf("%d × %d, %s: row %d, column %d is %v, want %v", rows, cols, kind, i, j, got, want)
				}
			}
		}
	}
}
