package kerftest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Orthogonal checks a back end whose Bound is a compute.Orthogonaliser: pivots and the rank are those of the
// naive factorisation, and the inverse makes the identity of K. It does nothing for other back ends.
func Orthogonal(t *testing.T, b compute.Backend) {
	bound, err := b.Bind(gauss, vectors(rand.New(rand.NewPCG(1, 1)), 3, 2, "dense"), run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := bound.(compute.Orthogonaliser); !ok {
		return
	}
	rng := rand.New(rand.NewPCG(11, 12))
	for _, m := range []int{1, 2, 31, 33, 127, 128, 129, 255, 257, 300, 390} {
		checkOrthogonal(t, b, "generic", gauss, vectors(rng, m, 4, "dense"), 1e-7)
	}
	checkOrthogonal(t, b, "smooth", kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.01}},
		vectors(rng, 300, 2, "dense"), 1e-7)
	repeated, far := vectors(rng, 310, 4, "sparse").(data.Slice[data.Vector]), make(data.Slice[data.Vector], 310)
	which := rng.Perm(len(repeated))
	for range 150 {
		which[rng.IntN(len(which))] = which[rng.IntN(len(which))]
	}
	all := slices.Clone(repeated)
	for i, w := range which { // values between others than these are 0: all parts are alike, and places decide
		repeated[i], far[i] = all[w], data.Dense(1e4*float64(w), 1)
	}
	checkOrthogonal(t, b, "repeated", gauss, repeated, 1e-7)
	checkOrthogonal(t, b, "far apart", gauss, far, 1e-7)
	dot := kernel.Form{Pair: kernel.Dot, Map: kernel.Scalar{A: 1}}
	thin := vectors(rng, 200, 5, "dense").(data.Slice[data.Vector])
	thin[0], thin[130] = data.Dense(0, 0, 0, 0, 0), data.Dense(0, 0, 0, 0, 0)
	checkOrthogonal(t, b, "of few dimensions", dot, thin, 1e-9)
	none := data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 0)}
	checkOrthogonal(t, b, "nothing", dot, none, 1e-9)

	huge := slices.Clone(thin)
	huge[140] = data.Dense(1e200, 0, 0, 0, 1)
	tanh := kernel.Form{Pair: kernel.Dot, Map: kernel.Scalar{Op: kernel.Tanh, A: 1, B: 1}}
	for _, c := range []struct {
		name string
		form kernel.Form
		y    data.Slice[data.Vector]
	}{
		{"negative", kernel.Form{Pair: kernel.Dot, Map: kernel.Scalar{A: -1}}, thin},
		{"a distance", kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{A: 1}}, thin},
		{"not finite", dot, huge},
		{"negative beyond the first", tanh, thin[1:130]},
	} {
		if pivot, _, err := orthogonalise(t, b, c.form, c.y, 1e-9); !errors.Is(err, compute.ErrNotPSD) {
			t.Errorf("%s: %v, rank %d", c.name, err, len(pivot))
		}
	}
}

// gauss is a kernel whose matrices are of full rank.
var gauss = kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.5}}

func orthogonalise(
	t *testing.T, b compute.Backend, form kernel.Form, y data.Source[data.Vector], tolerance float64,
) ([]int, *data.Matrix, error) {
	t.Helper()
	bound, err := b.Bind(form, y, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	return bound.(compute.Orthogonaliser).Orthogonalise(context.Background(), run.Control{}, tolerance, 1e-10)
}

// checkOrthogonal allows for rounding of K, of which at most 1/tolerance comes out, m² terms each.
func checkOrthogonal(
	t *testing.T, b compute.Backend, name string, form kernel.Form, y data.Source[data.Vector], tolerance float64,
) {
	t.Helper()
	m := y.Len()
	k := data.NewMatrix(m, m)
	for i := range m {
		for j := range m {
			k.Row(i)[j], _ = value(form, y.At(i), y.At(j), 0)
		}
	}
	want := naivePivots(k, tolerance)
	pivot, inverse, err := orthogonalise(t, b, form, y, tolerance)
	if err != nil {
		t.Fatalf("%s, m=%d: %v", name, m, err)
	}
	if !slices.Equal(pivot, want) {
		t.Fatalf("%s, m=%d: pivots\n%v, want\n%v", name, m, pivot, want)
	}
	if inverse.Rows != len(want) || inverse.Cols != len(want) {
		t.Fatalf("%s, m=%d: the inverse is %d×%d", name, m, inverse.Rows, inverse.Cols)
	}
	rank, slack := len(want), float64(m*m)*0x1p-50/tolerance
	half := data.NewMatrix(rank, rank)
	for i := range rank {
		for j, a := range inverse.Row(i) {
			if j > i && a != 0 {
				t.Fatalf("%s, m=%d: the inverse is no triangle", name, m)
			}
			for q := range rank {
				half.Row(i)[q] += a * k.Row(pivot[j])[pivot[q]]
			}
		}
	}
	for i := range rank {
		for j := range rank {
			sum, one := 0.0, 0.0
			for q, a := range inverse.Row(j) {
				sum += a * half.Row(i)[q]
			}
			if i == j {
				one = 1
			}
			if !(math.Abs(sum-one) <= slack) {
				t.Fatalf("%s, m=%d: the product of images %d and %d is %v", name, m, i, j, sum)
			}
		}
	}
}

// naivePivots takes what every pivot spans off the whole matrix, and changes places of rows and columns.
func naivePivots(k *data.Matrix, tolerance float64) (pivot []int) {
	m := k.Rows
	a, order := data.NewMatrix(m, m), make([]int, m)
	copy(a.Data, k.Data)
	for i := range order {
		order[i] = i
	}
	for s := range m {
		best, most := s, math.Inf(-1)
		for i := s; i < m; i++ {
			whole := k.Row(order[i])[order[i]]
			if part := a.Row(order[i])[order[i]] / whole; whole > 0 && part > most {
				best, most = i, part
			}
		}
		if !(most > max(tolerance, float64(m)*0x1p-52)) {
			return pivot
		}
		order[s], order[best] = order[best], order[s]
		p := order[s]
		pivot = append(pivot, p)
		d := a.Row(p)[p]
		for _, i := range order[s+1:] {
			for _, j := range order[s+1:] {
				a.Row(i)[j] -= a.Row(i)[p] * a.Row(j)[p] / d
			}
		}
	}
	return pivot
}
