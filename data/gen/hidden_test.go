package gen_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
)

// TestDefinite builds φ of the positive definite variant coordinate by coordinate
// and compares inner products; all eigenvalues are then at least own.
func TestDefinite(t *testing.T) {
	h := gen.Hidden{N: 1, Bits: 6, Seed: 3}
	const own = 0.2
	k := h.Kernel().Definite(own)
	var all []data.Vector
	for p := range 1 << h.Bits {
		x := make([]float64, h.Bits)
		for j := range x {
			x[j] = float64(p >> j & 1)
		}
		all = append(all, data.Dense(x...))
	}
	n := len(all)
	phi := make([][]float64, n)
	for i, x := range all {
		phi[i] = make([]float64, n+2)
		in, positive := k.Find(x)
		r := math.Sqrt(1 - own)
		switch {
		case !in:
			phi[i][0] = r
		case positive:
			phi[i][0], phi[i][1] = -r/2, r*math.Sqrt(3)/2
		default:
			phi[i][0], phi[i][1] = -r/2, -r*math.Sqrt(3)/2
		}
		phi[i][2+i] = math.Sqrt(own)
	}
	g := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			want := 0.0
			for c := range phi[i] {
				want += phi[i][c] * phi[j][c]
			}
			got := k.Eval(all[i], all[j])
			if math.Abs(got-want) > 1e-14 { // a few roundings of numbers below 1
				t.Fatalf("K(%d, %d) = %v, want %v", i, j, got, want)
			}
			g.SetSym(i, j, got)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(g, false) || eigen.Values(nil)[0] < own-1e-12 {
		t.Errorf("the least eigenvalue is %v, want %v", eigen.Values(nil)[0], own)
	}
}

// TestPoints: X' has as many points as it should, all known to the kernel.
func TestPoints(t *testing.T) {
	h := gen.Hidden{N: 1, Bits: 8, Seed: 5}
	d, k := h.Points(), h.Kernel()
	if d.X.Len() != 16 {
		t.Fatalf("%d points", d.X.Len())
	}
	for i := range d.X.Len() {
		if in, positive := k.Find(d.X.At(i)); !in || positive != (d.Y[i] > 0) {
			t.Errorf("point %d: in X' %v, positive %v, label %v", i, in, positive, d.Y[i])
		}
	}
}
