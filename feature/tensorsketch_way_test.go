package feature

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// naiveSketch is the definition: a sum over all tuples of coordinates.
func naiveSketch(m *TensorSketchMap, x []float64) []float64 {
	z := make([]float64, m.width+1)
	for i := range min(len(x), m.width) {
		z[i] = math.Sqrt(m.kernel.Gamma) * x[i]
	}
	z[m.width] = math.Sqrt(m.kernel.Coef)
	dst := make([]float64, m.dim)
	var walk func(l, at int, value float64)
	walk = func(l, at int, value float64) {
		if l == m.kernel.Degree {
			dst[at%m.dim] += value
			return
		}
		for i, a := range z {
			sign := 1 - 2*float64(m.place[l][i]&1)
			walk(l+1, at+int(m.place[l][i]>>1), sign*a*value)
		}
	}
	walk(0, 0, 1)
	return dst
}

// TestSketchWays compares all ways to convolve with the definition. Each
// feature is a sum of products that total (Σ|z_i|)^p in absolute value; 1e-13 of
// that allows for a few hundred roundings.
func TestSketchWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 2, 7, 8, 9, 11, 60, 64, 65, 127, 128, 1000, 1009} {
		for _, degree := range []int{1, 2, 3, 4} {
			for _, width := range []int{0, 1, 3, 9} {
				for _, coef := range []float64{0, 0.7} {
					name := fmt.Sprintf("%d places, degree %d, width %d, coef %v", dim, degree, width, coef)
					r := TensorSketch{Kernel: kernel.Polynomial{Degree: degree, Gamma: 0.4, Coef: coef}, Dim: dim, Seed: uint64(dim)}
					m, err := r.Fit(context.Background(), width)
					if err != nil {
						t.Fatal(err)
					}
					x := make([]float64, width)
					for i := range x {
						x[i] = rng.NormFloat64()
					}
					want, s := naiveSketch(m, x), m.space()
					size := math.Pow(m.gather(s, data.Dense(x...)), float64(degree))
					for _, way := range []sketchWay{termwise, shiftwise, transform} {
						got := make([]float64, dim)
						for i := range got {
							got[i] = math.NaN()
						}
						m.sketch(s, got, way)
						for i, a := range got {
							if !(math.Abs(a-want[i]) <= 1e-13*size) {
								t.Fatalf("%s, way %d: feature %d is %v, want %v", name, way, i, a, want[i])
							}
						}
					}
				}
			}
		}
	}
}

// TestSketchChoice checks that every way is the cheapest somewhere.
func TestSketchChoice(t *testing.T) {
	for _, tt := range []struct {
		dim, degree, width, n int
		want                  sketchWay
	}{
		{1000, 2, 50, 51, termwise},
		{1009, 2, 50, 51, termwise},
		{1000, 3, 50, 51, termwise},
		{1000, 2, 200, 201, termwise},
		{1000, 2, 5000, 200, shiftwise},
		{16, 3, 50, 51, transform},
		{1000, 2, 900, 901, transform},
	} {
		m, err := NewTensorSketch(kernel.NewPolynomial(tt.degree), tt.dim).Fit(context.Background(), tt.width)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.choose(tt.n); got != tt.want {
			t.Errorf("%+v: way %d", tt, got)
		}
	}
}

func TestSmoothFrom(t *testing.T) {
	smooth := func(n int) bool {
		for _, p := range []int{2, 3, 5} {
			for n%p == 0 {
				n /= p
			}
		}
		return n == 1
	}
	want := 0
	for n := 3000; n > 0; n-- {
		if smooth(n) {
			want = n
		}
		if want > 0 && smoothFrom(n) != want {
			t.Fatalf("from %d on the least is %d, not %d", n, want, smoothFrom(n))
		}
	}
}
