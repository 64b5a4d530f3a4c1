package csv_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/table"
)

// Wide tables, of whose cells few are odd, are what they are row by row.
func TestWideTables(t *testing.T) {
	usual := []string{"1", "-2.5", "0.123456", "-0.12345678901234567", "12345678.5"}
	odd := []string{"3e5", " 4 ", "", "?", "1e999", "nan", "12345678901234567891", ".", "0.12345678901234567890123", "x"}
	rng := rand.New(rand.NewPCG(2, 2))
	for width := 14; width < 36; width++ {
		for try := range 6 {
			var b strings.Builder
			label := rng.IntN(2 * width) // a column of texts, where it is less than the width
			for i := range 60 {
				for j := range width {
					cell := usual[rng.IntN(1+try%len(usual))]
					if try > 0 && rng.IntN(200) == 0 {
						cell = odd[rng.IntN(len(odd)-rng.IntN(2))]
					}
					if j == label {
						cell = strings.Repeat(string(rune('a'+i%3)), 1+try*i%90)
					}
					if b.WriteString(cell); j < width-1 {
						b.WriteByte(',')
					}
				}
				b.WriteByte('\n')
			}
			o := table.Options{Name: "f", Header: table.Absent, Target: "none"}
			same(t, b.String(), o, [2]int{1 << 20, 1000}, [2]int{500, 1 << 20})
		}
	}
}

// Rows become columns as in plain Go, and nothing else is written.
func TestColumns(t *testing.T) {
	for rows := range 9 {
		for width := 1; width < 40; width++ {
			few := make([]float64, rows*width)
			for i := range few {
				few[i] = float64(i + 1)
			}
			var to [2][][]float64
			for k, do := range []func([][]float64, int, []float64){csv.Columns, csv.ColumnsPlain} {
				for range width {
					to[k] = append(to[k], slices.Repeat([]float64{-1}, 14))
				}
				do(to[k], 3, few)
			}
			for j := range width {
				if !slices.Equal(to[0][j], to[1][j]) {
					t.Fatalf("%d rows of %d: column %d is %v, want %v", rows, width, j, to[0][j], to[1][j])
				}
			}
		}
	}
}
