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

// Tiles checks that a tiler computes what its contract says. budget is the
// relative error that it may make: of Σ|a||b| for an inner product, of the
// value for what is computed from it.
func Tiles(t *testing.T, b compute.Tiler, budget float64) {
	for _, form := range forms() {
		for _, storage := range []string{"dense", "sparse", "wide", "mixed"} {
			t.Run(fmt.Sprintf("%v/%s", form, storage), func(t *testing.T) { compareTiles(t, b, form, storage, budget) })
		}
	}
}

// forms returns a form of every shape.
func forms() []kernel.Form {
	var all []kernel.Form
	for _, pair := range []kernel.Pair{kernel.Dot, kernel.Distance2, kernel.L1, kernel.Tanimoto} {
		for _, normalized := range []bool{false, true} {
			all = append(all,
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Identity, A: 1}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Identity, A: 0.5, B: 2}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Exp, A: -0.3}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Power, A: 0.5, B: 1, P: 3}, Normalized: normalized},
				kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Tanh, A: 0.5, B: 0.25}, Normalized: normalized},
			)
		}
	}
	for _, pair := range []kernel.Pair{kernel.Min, kernel.ChiSquared} {
		all = append(all,
			kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Identity, A: 1}},
			kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Exp, A: -0.3}},
			kernel.Form{Pair: pair, Map: kernel.Scalar{Op: kernel.Power, A: 0.5, B: 1, P: 3}, Normalized: true},
		)
	}
	for _, f := range []kernel.Scalar{
		{Op: kernel.Matern, A: 0.5, P: 0.5}, {Op: kernel.Matern, A: 0.5, P: 1.5}, {Op: kernel.Matern, A: 0.5, P: 2.5},
		{Op: kernel.Stretched, A: 0.5, P: 0.35}, {Op: kernel.Stretched, A: 0.5, P: 1},
		{Op: kernel.Power, A: 0.5, B: 1, P: -1.5}, {Op: kernel.Power, A: 0.5, B: 1, P: -2},
	} {
		all = append(all, kernel.Form{Pair: kernel.Distance2, Map: f})
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

func compareTiles(t *testing.T, b compute.Tiler, form kernel.Form, storage string, budget float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range []struct{ n, m, d int }{
		{1, 1, 0}, {2, 5, 1}, {7, 17, 8}, {15, 33, 33}, {85, 20, 5}, {3, 300, 9},
	} {
		x, y := vectors(rng, size.n, size.d+size.n%2, storage), vectors(rng, size.m, size.d, storage)
		if !b.Supports(form, y) {
			continue
		}
		c := b.Columns(y, form)
		if c.Len() != size.m {
			t.Fatalf("%d columns, want %d", c.Len(), size.m)
		}
		whole := tile64(t, c, x, 0, size.m)
		for i := range size.n {
			for j := range size.m {
				compareTile(t, whole[i*size.m+j], form, x.At(i), y.At(j), budget)
			}
		}
		parts(t, c, x, whole)
		if size.m < 100 {
			selfTile(t, c, form, y)
		}
	}
}

// tile64 computes the columns j0 to j1-1 into a guarded slice.
func tile64(t *testing.T, c compute.Columns, x data.Source[data.Vector], j0, j1 int) []float64 {
	t.Helper()
	dst, check := guarded(t, x.Len()*(j1-j0))
	r := c.Rows(x)
	r.Tile64(dst, j1-j0, j0, j1)
	r.Release()
	check()
	return dst
}

// parts checks that a value does not depend on which others are computed with
// it, nor on the precision it is stored in.
func parts(t *testing.T, c compute.Columns, x data.Source[data.Vector], whole []float64) {
	t.Helper()
	m := c.Len()
	j0, j1 := m/3, m-m/4
	part := tile64(t, c, x, j0, j1)
	r := c.Rows(data.Range[data.Vector]{Of: x, Lo: x.Len() - 1, Hi: x.Len()})
	defer r.Release()
	last, single := make([]float64, m), make([]float32, m)
	r.Tile64(last, m, 0, m)
	r.Tile32(single, m, 0, m)
	for i := range x.Len() {
		for j := j0; j < j1; j++ {
			if part[i*(j1-j0)+j-j0] != whole[i*m+j] {
				t.Fatalf("(%d,%d) is %v in one tile and %v in another", i, j, whole[i*m+j], part[i*(j1-j0)+j-j0])
			}
		}
	}
	for j := range m {
		if want := whole[(x.Len()-1)*m+j]; last[j] != want || single[j] != float32(want) {
			t.Fatalf("column %d of the last row alone is %v, in single precision %v, want %v", j, last[j], single[j], want)
		}
	}
}

// selfTile checks a block against itself: symmetric to the bit, and exactly the
// value of distance zero on the diagonal.
func selfTile(t *testing.T, c compute.Columns, form kernel.Form, y data.Source[data.Vector]) {
	t.Helper()
	n := y.Len()
	dst := tile64(t, c, y, 0, n)
	for i := range n {
		for j := range i {
			if dst[i*n+j] != dst[j*n+i] {
				t.Fatalf("K(%d,%d) = %v and K(%d,%d) = %v", i, j, dst[i*n+j], j, i, dst[j*n+i])
			}
		}
		want := form.Map.At(0)
		distance := form.Pair == kernel.Distance2 || form.Pair == kernel.L1 || form.Pair == kernel.ChiSquared
		if distance && !form.Normalized && dst[i*n+i] != want && dst[i*n+i] != float64(float32(want)) {
			t.Fatalf("K(x,x) = %v at distance 0, want exactly %v", dst[i*n+i], want)
		}
	}
}

// compareTile compares one value of a tile with the formula.
func compareTile(t *testing.T, got float64, form kernel.Form, x, y data.Vector, budget float64) {
	t.Helper()
	if want, slack := value(form, x, y, budget); !(math.Abs(got-want) <= slack) {
		t.Fatalf("%v of %v and %v is %v, want %v within %v", form, x, y, got, want, slack)
	}
}

// value returns K(x, y) by the formula, and how far a computed value may be off. The
// error of a squared distance is that of the inner products and norms it is made
// from, and the scalar function passes it on with its slope.
func value(form kernel.Form, x, y data.Vector, budget float64) (want, slack float64) {
	size := x.Norm2() + y.Norm2()
	pair := form.Pair.At(x, y)
	want = form.Map.At(pair)
	step := 64 * budget * (size + 1)
	slack = math.Abs(form.Map.At(pair+step)-want) + math.Abs(form.Map.At(pair-step)-want) + 64*budget*math.Abs(want)
	if form.Normalized {
		xx, yy := form.Map.At(form.Pair.At(x, x)), form.Map.At(form.Pair.At(y, y))
		want = kernel.Cosine(want, xx, yy)
		if xx > 0 && yy > 0 {
			slack = slack/math.Sqrt(xx*yy) + 64*budget*math.Abs(want)
		}
	}
	return want, slack
}
