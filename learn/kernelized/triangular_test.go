package kernelized

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// The solutions are those of substitution, one unknown after the other, and the same to
// the last bit for any number of workers, in rows as in tiles that stand one behind the other.
func TestSolveTriangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{
		1, 2, triangleBlock - 1, triangleBlock, triangleBlock + 1,
		2 * triangleBlock, 2*triangleBlock + 1, 5*triangleBlock + 3, 1000,
	} {
		m := data.NewMatrix(n, n)
		for i := range n {
			for j := range i {
				m.Row(i)[j] = rng.NormFloat64() / float64(n)
			}
			m.Row(i)[i] = 1 + rng.Float64()
			for j := i + 1; j < n; j++ {
				m.Row(i)[j] = math.NaN() // is not read
			}
		}
		tiles, err := packed(t.Context(), run.Control{Workers: 3}, clone(m))
		if err != nil {
			t.Fatal(err)
		}
		shapes := []lower[float64]{lowerOf(m.Data, n), tiles}
		for _, rows := range []int{1, vectorsPerTask, 2*vectorsPerTask + 1} {
			b := data.NewMatrix(rows, n)
			for i := range b.Data {
				b.Data[i] = rng.NormFloat64()
			}
			for _, transposed := range []bool{false, true} {
				for _, l := range shapes {
					var first []float64
					for _, workers := range []int{1, 2, 5} {
						x := clone(b)
						if err := l.solve(t.Context(), run.Control{Workers: workers}, x.Data, transposed); err != nil {
							t.Fatal(err)
						}
						if first == nil {
							first = x.Data
						}
						if !slices.Equal(first, x.Data) {
							t.Errorf("n = %d, %d sides, packed %v: %d workers change the solution", n, rows, l.packed, workers)
						}
					}
					for k := range rows {
						want := substitute(m, b.Row(k), transposed)
						for i, v := range want {
							if got := first[k*n+i]; math.Abs(got-v) > 1e-12*(1+math.Abs(v)) {
								t.Fatalf("n = %d, packed %v, transposed %v: unknown %d is %v, want %v", n, l.packed, transposed, i, got, v)
							}
						}
					}
				}
			}
			for _, l := range shapes {
				x := clone(b)
				l.mulTransposed(x.Data)
				for k := range rows {
					back := substitute(m, x.Row(k), true)
					for i, v := range b.Row(k) {
						if math.Abs(back[i]-v) > 1e-12*(1+math.Abs(v)) {
							t.Fatalf("n = %d, packed %v: Lᵀ·v gives back %v for %v", n, l.packed, back[i], v)
						}
					}
				}
			}
		}
	}
}

// A triangle that is solved with from memory: at the speed of reading it, on any number of cores.
func BenchmarkSolveTriangle(b *testing.B) {
	const n = 4000
	m := data.NewMatrix(n, n)
	for i := range n {
		for j := range i {
			m.Row(i)[j] = 1 / float64(n)
		}
		m.Row(i)[i] = 1
	}
	x := data.NewMatrix(1, n)
	tiles, err := packed(b.Context(), run.Control{}, clone(m))
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range []lower[float64]{lowerOf(m.Data, n), tiles} {
		for _, workers := range []int{1, 2, 4, 8, 16} {
			for _, transposed := range []bool{false, true} {
				b.Run(fmt.Sprintf("packed=%v/%d/transposed=%v", l.packed, workers, transposed), func(b *testing.B) {
					b.SetBytes(4 * n * n)
					for b.Loop() {
						for i := range x.Data {
							x.Data[i] = 1
						}
						if err := l.solve(b.Context(), run.Control{Workers: workers}, x.Data, transposed); err != nil {
							b.Fatal(err)
						}
					}
				})
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
