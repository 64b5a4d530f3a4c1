package kerftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
)

// edges are sizes that straddle the blocks of any back end.
var edges = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65}

// Backend checks that a back end computes what its contract says. budget is the
// relative error that it may make: of Σ|a||b| for an inner product, of the
// value for what is computed from it.
func Backend(t *testing.T, b compute.Backend, budget float64) {
	t.Run("Mul", func(t *testing.T) { backendMul(t, b, budget) })
	t.Run("MulLower", func(t *testing.T) { backendMulLower(t, b, budget) })
	for _, form := range forms() {
		if !b.Supports(form) {
			continue
		}
		for _, storage := range []string{"dense", "sparse", "wide", "mixed"} {
			t.Run(fmt.Sprintf("Tile/%v/%s", form, storage), func(t *testing.T) { backendTile(t, b, form, storage, budget) })
		}
	}
}

// forms returns a form of every shape.
func forms() []kernel.Form {
	var all []kernel.Form
	for _, pair := range []kernel.Pair{kernel.Dot, kernel.Distance2} {
		for _, normalized := range []bool{false, true} {
			all = append(all,
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Identity, A: 1}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Identity, A: 0.5, B: 2}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Exp, A: -0.3}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Power, A: 0.5, B: 1, P: 3}, Normalized: normalized},
			)
		}
	}
	return all
}

// guarded returns a slice of n NaN with guard values around it, and a check
// that the guards are untouched.
func guarded(t *testing.T, n int) ([]float64, func()) {
	t.Helper()
	const guard = 12345.678
	all := make([]float64, n+16)
	for i := range all {
		all[i] = guard
	}
	in := all[8 : 8+n : 8+n]
	for i := range in {
		in[i] = math.NaN()
	}
	return in, func() {
		t.Helper()
		for i, v := range all {
			if (i < 8 || i >= 8+n) && v != guard {
				t.Fatalf("wrote %v outside of the destination, %d from its start", v, i-8)
			}
		}
	}
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func backendMul(t *testing.T, b compute.Backend, budget float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rows := range edges {
		for _, cols := range edges {
			for _, depth := range []int{0, 1, 7, 33} {
				pad := (rows + cols) % 3
				a, c := random(rng, rows*(depth+pad)), random(rng, cols*(depth+pad))
				dst, check := guarded(t, rows*(cols+pad))
				b.Mul(dst, cols+pad, a, depth+pad, rows, c, depth+pad, cols, depth)
				check()
				for i := range rows {
					for j := range cols {
						compareDot(t, dst[i*(cols+pad)+j], a[i*(depth+pad):][:depth], c[j*(depth+pad):][:depth], budget)
					}
					for j := cols; j < cols+pad; j++ {
						if !math.IsNaN(dst[i*(cols+pad)+j]) {
							t.Fatalf("wrote between the rows of the destination")
						}
					}
				}
			}
		}
	}
}

func backendMulLower(t *testing.T, b compute.Backend, budget float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 2, 3, 64, 65} {
		for _, n := range edges {
			a, l := random(rng, rows*n), random(rng, n*n)
			for i := range n {
				clear(l[i*n+i+1 : (i+1)*n])
			}
			dst, check := guarded(t, rows*n)
			b.MulLower(dst, n, a, n, rows, l, n)
			check()
			for i := range rows {
				for j := range n {
					compareDot(t, dst[i*n+j], a[i*n:][:j+1], l[j*n:][:j+1], budget)
				}
			}
		}
	}
}

// compareDot compares with the sum in the order of the definition.
func compareDot(t *testing.T, got float64, x, y []float64, budget float64) {
	t.Helper()
	want, size := 0.0, 0.0
	for k, a := range x {
		want += a * y[k]
		size += math.Abs(a * y[k])
	}
	if !(math.Abs(got-want) <= budget*size) {
		t.Fatalf("inner product of %d terms is %v, want %v", len(x), got, want)
	}
}

// vectors returns n random vectors in the given storage. The first two are
// equal and the last is zero.
func vectors(rng *rand.Rand, n, d int, storage string) data.Source[data.Vector] {
	out := make(data.Slice[data.Vector], n)
	for i := range out {
		v := random(rng, d)
		dense := storage == "dense" || storage == "mixed" && i%2 == 0
		if i == n-1 {
			clear(v)
		}
		if dense {
			out[i] = data.Dense(v...)
			continue
		}
		var index []int32
		var value []float64
		for j, a := range v {
			if rng.IntN(3) == 0 && a != 0 {
				at := int32(j)
				if storage == "wide" {
					at = int32(j * 40)
				}
				index, value = append(index, at), append(value, a)
			}
		}
		out[i], _ = data.Sparse(index, value)
	}
	if n > 1 {
		out[1] = out[0]
	}
	return out
}

func backendTile(t *testing.T, b compute.Backend, form kernel.Form, storage string, budget float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 7, 8, 9, 33, 64} {
		for _, m := range []int{1, 3, 4, 5, 17, 33} {
			for _, d := range []int{0, 1, 5, 8, 33} {
				x, y := vectors(rng, n, d+n%2, storage), vectors(rng, m, d, storage)
				for _, shift := range [][]float64{nil, compute.Shift(y, form)} {
					panel := compute.Pack(y, form, shift)
					ld := m + n%3
					dst, check := guarded(t, n*ld)
					b.Tile(dst, ld, panel.Rows(x, form), panel, form)
					check()
					for i := range n {
						for j := range m {
							compareTile(t, dst[i*ld+j], form, x.At(i), y.At(j), budget)
						}
					}
				}
				selfTile(t, b, form, y)
			}
		}
	}
}

// selfTile checks a block against itself: symmetric to the bit, and exactly the
// value of distance zero on the diagonal.
func selfTile(t *testing.T, b compute.Backend, form kernel.Form, y data.Source[data.Vector]) {
	t.Helper()
	n := y.Len()
	panel := compute.Pack(y, form, compute.Shift(y, form))
	dst := make([]float64, n*n)
	b.Tile(dst, n, panel.Rows(y, form), panel, form)
	for i := range n {
		for j := range i {
			if dst[i*n+j] != dst[j*n+i] {
				t.Fatalf("K(%d,%d) = %v and K(%d,%d) = %v", i, j, dst[i*n+j], j, i, dst[j*n+i])
			}
		}
		if want := form.Map.At(0); form.Pair == kernel.Distance2 && !form.Normalized && dst[i*n+i] != want {
			t.Fatalf("K(x,x) = %v at distance 0, want exactly %v", dst[i*n+i], want)
		}
	}
}

// compareTile compares one value of a tile with the formula. The error of a
// squared distance is that of the inner products and norms it is made from,
// and the scalar function passes it on with its slope.
func compareTile(t *testing.T, got float64, form kernel.Form, x, y data.Vector, budget float64) {
	t.Helper()
	plain := form
	plain.Normalized = false
	size := x.Norm2() + y.Norm2()
	pair := x.Dot(y)
	if form.Pair == kernel.Distance2 {
		pair = x.Distance2(y)
	}
	want := form.Map.At(pair)
	step := 64 * budget * (size + 1)
	slack := math.Abs(form.Map.At(pair+step)-want) + math.Abs(form.Map.At(pair-step)-want) + 64*budget*math.Abs(want)
	if form.Normalized {
		xx, yy := form.Map.At(0), form.Map.At(0)
		if form.Pair == kernel.Dot {
			xx, yy = form.Map.At(x.Norm2()), form.Map.At(y.Norm2())
		}
		want = kernel.Cosine(want, xx, yy)
		if xx > 0 && yy > 0 {
			slack = slack/math.Sqrt(xx*yy) + 64*budget*math.Abs(want)
		}
	}
	if !(math.Abs(got-want) <= slack) {
		t.Fatalf("%v of %v and %v is %v, want %v within %v", form, x, y, got, want, slack)
	}
}
