package compute

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// TestFillAll compares rows of matrices, and of ranges of them, with rows filled one by one.
func TestFillAll(t *testing.T) {
	testFillAll[float32](t)
	testFillAll[float64](t)
}

func testFillAll[F float32 | float64](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cols := range []int{1, 7, 8, 33} {
		m := data.NewMatrix(40, cols)
		for i := range m.Data {
			m.Data[i] = 5 + rng.NormFloat64()
		}
		of := data.Range[data.Vector]{Of: m, Lo: 3, Hi: 37}
		part := data.Range[data.Vector]{Of: of, Lo: 1, Hi: 9}
		for _, x := range []data.Source[data.Vector]{m, of, part, data.Slice[data.Vector]{of.At(0)}} {
			for _, c := range []Packing[F]{NewPacking[F](m, kernel.Form{Pair: kernel.Distance2}), {d: cols}, {d: cols + 2}} {
				got, want := make([]F, x.Len()*c.D()), make([]F, x.Len()*c.D())
				c.FillAll(got, x)
				for i := range x.Len() {
					c.Fill(want[i*c.D():(i+1)*c.D()], x, i)
				}
				for k := range want {
					if got[k] != want[k] {
						t.Fatalf("%d columns, %d of a row: number %d is %v, want %v", cols, c.D(), k, got[k], want[k])
					}
				}
			}
		}
	}
}
