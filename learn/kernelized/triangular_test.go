package kernelized

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// The solutions are those of substitution, one unknown after the other, and the same to
// the last bit for any number of workers.
func TestSolveTriangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, triangleBlock - 1, triangleBlock, triangleBlock + 1, 2*triangleBlock + 3} {
		l := data.NewMatrix(n, n)
		for i := range n {
			for j := range i {
				l.Row(i)[j] = rng.NormFloat64() / float64(n)
			}
			l.Row(i)[i] = 1 + rng.Float64()
			for j := i + 1; j < n; j++ {
				l.Row(i)[j] = math.NaN() // is not read
			}
		}
		for _, rows := range []int{1, vectorsPerTask, 2*vectorsPerTask + 1} {
			b := data.NewMatrix(rows, n)
			for i := range b.Data {
				b.Data[i] = rng.NormFloat64()
			}
			for _, transposed := range []bool{false, true} {
				var first []float64
				for _, workers := range []int{1, 2, 5} {
					x := clone(b)
					if err := solveTriangle(t.Context(), run.Control{Workers: workers}, x, l, transposed); err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = x.Data
					}
					if !slices.Equal(first, x.Data) {
						t.Errorf("n = %d, %d sides: %d workers change the solution", n, rows, workers)
					}
				}
				for k := range rows {
					want := substitute(l, b.Row(k), transposed)
					for i, v := range want {
						if got := first[k*n+i]; math.Abs(got-v) > 1e-12*(1+math.Abs(v)) {
							t.Fatalf("n = %d, transposed %v: unknown %d is %v, want %v", n, transposed, i, got, v)
						}
					}
				}
			}
		}
	}
}

// substitute solves L·z = b, or Lᵀ·z = b.
func substitute(l *data.Matrix, b []float64, transposed bool) []float64 {
	n := len(b)
	z := make([]float64, n)
	at := func(i, j int) float64 {
		if transposed {
			return l.Row(j)[i]
		}
		return l.Row(i)[j]
	}
	for step := range n {
		i, lo, hi := step, 0, step
		if transposed {
			i = n - 1 - step
			lo, hi = i+1, n
		}
		sum := b[i]
		for j := lo; j < hi; j++ {
			sum -= at(i, j) * z[j]
		}
		z[i] = sum / at(i, i)
	}
	return z
}
