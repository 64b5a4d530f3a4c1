package gram_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestRowsOfFloat32 computes blocks of vectors that lie in memory as float32, and
// of the same vectors as float64, rows of fewer, as many and more coordinates
// than columns: the bits are the same.
func TestRowsOfFloat32(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	random := func(rows, cols int) (*data.Matrix32, *data.Matrix) {
		narrow, wide := data.NewMatrix32(rows, cols), data.NewMatrix(rows, cols)
		for i := range narrow.Data {
			narrow.Data[i] = rng.Float32()
			wide.Data[i] = float64(narrow.Data[i])
		}
		return narrow, wide
	}
	kernels := []kernel.Kernel[data.Vector]{
		kernel.Gaussian{Gamma: 0.2}, kernel.Laplacian{Gamma: 0.2}, kernel.NewPolynomial(2), kernel.Minimum{},
		kernel.Normalize[data.Vector](kernel.NewPolynomial(3)),
	}
	for _, cols := range []int{1, 5, 17} {
		for _, width := range []int{cols, cols + 2, max(1, cols-1)} {
			x32, x := random(130, width)
			y32, y := random(65, cols)
			for _, k := range kernels {
				for _, p := range []run.Precision{run.Float64, run.Float32} {
					want, err := gram.BindPrecision(k, data.Source[data.Vector](y), p).Block(ctx, run.Control{}, x)
					if err != nil {
						t.Fatal(err)
					}
					rows := data.Range[data.Vector]{Of: x32, Lo: 0, Hi: x32.Len()}
					got, err := gram.BindPrecision(k, data.Source[data.Vector](y32), p).Block(ctx, run.Control{}, rows)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got.Data, want.Data) {
						t.Errorf("%v, %d against %d coordinates, %v: float32 in memory changes the block", k, width, cols, p)
					}
				}
			}
		}
	}
}
