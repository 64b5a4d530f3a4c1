package gram

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestBindOn holds that columns are packed to the same bits on any number of cores, dense and
// sparse ones, of a number on both sides of what one task packs.
func TestBindOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 255, 256, 257, 600} {
		dense := data.NewMatrix(n, 5)
		for i := range dense.Data {
			dense.Data[i] = 3 + rng.NormFloat64()
		}
		sparse := data.Slice[data.Vector]{}
		for i := range n {
			index := []int32{int32(i % 7), int32(7 + i%900)}
			sparse = append(sparse, data.Vector{Index: index, Value: []float64{1, rng.Float64()}})
		}
		for name, y := range map[string]data.Source[data.Vector]{"dense": dense, "sparse": sparse} {
			for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.3}, kernel.NewPolynomial(2)} {
				for _, p := range []run.Precision{run.Float32, run.Float64} {
					want := make([]float64, n)
					x := data.Dense(1, 2, 3, 4, 5)
					BindPrecision(k, y, p).Row(want, x)
					for _, workers := range []int{1, 2, 5} {
						got := make([]float64, n)
						BindOn(run.Control{Workers: workers}, k, y, p).Row(got, x)
						if !slices.Equal(got, want) {
							t.Errorf("%s, %d columns, %d workers: other values", name, n, workers)
						}
					}
				}
			}
		}
	}
}
