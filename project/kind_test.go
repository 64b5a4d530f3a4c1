package project_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/project"
)

// TestOrthogonal holds that the columns of A are √(n/d) times orthonormal ones,
// and from d = n on its rows are orthonormal.
func TestOrthogonal(t *testing.T) {
	for _, in := range sizes {
		for _, out := range sizes[1:] {
			a := fit(t, project.Orthogonal{Dim: out, Seed: 3}, in).Matrix()
			vectors, length, scale := min(in, out), max(in, out), 1.0
			at := func(v, k int) float64 { return a.Data[v*out+k] }
			if out < in {
				scale = float64(in) / float64(out)
				at = func(v, k int) float64 { return a.Data[k*out+v] }
			}
			for v := range vectors {
				for w := range v + 1 {
					want, dot := 0.0, 0.0
					if v == w {
						want = 1
					}
					for k := range length {
						dot += at(v, k) * at(w, k) / scale
					}
					if math.Abs(dot-want) > 1e-13 {
						t.Fatalf("%d to %d: vectors %d and %d have inner product %v", in, out, v, w, dot)
					}
				}
			}
		}
	}
}

// TestOrthogonalLarge passes several panels, at a square shape, where the
// Gaussian vectors are worst conditioned.
func TestOrthogonalLarge(t *testing.T) {
	const n = 150
	a := fit(t, project.Orthogonal{Dim: n, Seed: 4}, n).Matrix()
	for i := range n {
		for k := range i + 1 {
			want, dot := 0.0, a.At(i).Dot(a.At(k))
			if i == k {
				want = 1
			}
			if math.Abs(dot-want) > 1e-13 {
				t.Fatalf("rows %d and %d have inner product %v", i, k, dot)
			}
		}
	}
}

// TestIsometry holds that inner products are kept from d = n on (Orthogonal) and
// from the power of two on (Hadamard).
func TestIsometry(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, in := range sizes {
		padded := 1
		for padded < in {
			padded *= 2
		}
		var all []*project.Projection
		for _, more := range []int{0, 1, 9, 40} {
			all = append(all, fit(t, project.Orthogonal{Dim: max(1, in+more), Seed: 5}, in),
				fit(t, project.Hadamard{Dim: padded + more, Seed: 5}, in))
		}
		for _, p := range all {
			x, y := normals(r, in), normals(r, in)
			px, py := make([]float64, p.Out()), make([]float64, p.Out())
			p.Apply(px, x)
			p.Apply(py, y)
			want, got := 0.0, 0.0
			for i := range x {
				want += x[i] * y[i]
			}
			for j := range px {
				got += px[j] * py[j]
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: inner product %v, want %v", p, got, want)
			}
		}
	}
}

// TestDensity counts the entries that are not 0, which are binomial; 5 standard
// deviations are allowed. Signs are half of each.
func TestDensity(t *testing.T) {
	for _, c := range []struct {
		recipe  project.Sparse
		in      int
		density float64
	}{
		{project.NewAchlioptas(300, 1), 500, 1.0 / 3},
		{project.NewSparse(300, 2), 500, 1 / math.Sqrt(500)},
		{project.NewSparse(65, 3), 2500, 0.02},
		{project.Sparse{Dim: 100, Density: 0.75, Seed: 4}, 300, 0.75},
		{project.Sparse{Dim: 100, Density: 1, Seed: 5}, 100, 1},
		{project.Sparse{Dim: 1000, Density: 1e-4, Seed: 6}, 1000, 1e-4},
		{project.Sparse{Dim: 100, Density: 1e-300, Seed: 7}, 100, 0},
	} {
		p := fit(t, c.recipe, c.in)
		want := 1 / math.Sqrt(c.density*float64(p.Out()))
		plus, minus := 0.0, 0.0
		for _, a := range p.Matrix().Data {
			switch {
			case a == 0:
			case math.Abs(math.Abs(a)-want) > 1e-15*want:
				t.Fatalf("%v: entry %v, want 0 or ±%v", p, a, want)
			case a > 0:
				plus++
			default:
				minus++
			}
		}
		n := float64(p.In()) * float64(p.Out())
		if math.Abs(plus+minus-n*c.density) > 5*math.Sqrt(n*c.density*(1-c.density)) {
			t.Errorf("%v: density %v, want %v", p, (plus+minus)/n, c.density)
		}
		if math.Abs(plus-minus) > 5*math.Sqrt(plus+minus) {
			t.Errorf("%v: %v positive and %v negative entries", p, plus, minus)
		}
	}
}

// TestHadamardMatrix holds that A is H with a sign for each row, scaled: H has
// the entries (-1)^popcount(i&k). Where all columns of H are picked, column 0 of A
// has the signs; where some are, two columns of A differ by a column of H.
func TestHadamardMatrix(t *testing.T) {
	sign := func(i, k int) float64 { return float64(1 - 2*(bits.OnesCount(uint(i&k))%2)) }
	for _, in := range sizes[1:] {
		padded := 1
		for padded < in {
			padded *= 2
		}
		for _, out := range []int{1, min(3, padded), padded, padded + 2} {
			p := fit(t, project.Hadamard{Dim: out, Seed: uint64(in)}, in)
			a := p.Matrix()
			picked := min(out, padded)
			scale := 1 / math.Sqrt(float64(picked))
			for j := range out {
				// fits reports whether column j is column 0 times column k of H.
				fits := func(k int) bool {
					for i := range in {
						if math.Abs(a.Row(i)[j]-a.Row(i)[0]*sign(i, k)) > 1e-16 {
							return false
						}
					}
					return true
				}
				k := j
				switch {
				case j >= picked:
					for i := range in {
						if a.Row(i)[j] != 0 {
							t.Fatalf("%v: entry (%d, %d) is %v, want 0", p, i, j, a.Row(i)[j])
						}
					}
					continue
				case picked < padded:
					for k = 0; k < padded && !fits(k); k++ {
					}
				}
				if k == padded || !fits(k) || math.Abs(math.Abs(a.Row(in - 1)[j])-scale) > 1e-16 {
					t.Fatalf("%v: column %d is not one of H with signs, scaled by %v", p, j, scale)
				}
			}
		}
	}
}

// TestHadamardSigns counts the signs and the picks over many seeds; 5 standard
// deviations are allowed.
func TestHadamardSigns(t *testing.T) {
	const in, trials = 5000, 20
	plus := 0.0
	for s := range trials {
		a := fit(t, project.Hadamard{Dim: 1 << 13, Seed: uint64(s)}, in)
		image := make([]float64, a.Out())
		x := make([]float64, in)
		for i := range x {
			x[i] = 1
		}
		a.Apply(image, x)
		// Coordinate 0 is the sum of the signs over √N.
		plus += (math.Round(image[0]*math.Sqrt(1<<13)) + in) / 2
	}
	const n = in * trials
	if math.Abs(plus-n/2) > 5*math.Sqrt(n)/2 {
		t.Errorf("%v of %d signs are positive", plus, n)
	}
	// A vector of one coordinate 0 has equal images; of coordinate i the image
	// is negative, relative to that, where bit i of the pick is set.
	const seeds = 2000
	var set [3]float64
	for s := range uint64(seeds) {
		a := fit(t, project.Hadamard{Dim: 3, Seed: s}, 8).Matrix()
		for b := range set {
			for j := range 3 {
				if a.Row(0)[j]*a.Row(1 << b)[j]*a.Row(0)[0]*a.Row(1 << b)[0] < 0 {
					set[b]++
				}
			}
		}
	}
	// Of two other picks without replacement, 4 of 7 differ from the first in
	// a given bit.
	for b, count := range set {
		if want := 2.0 * seeds * 4 / 7; math.Abs(count-want) > 5*math.Sqrt(2*seeds) {
			t.Errorf("bit %d of the picks differs %v times, want %v", b, count, want)
		}
	}
}
