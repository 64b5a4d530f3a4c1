package bound_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/bound"
)

// monomials counts those of degree at most c in d variables, one by one.
func monomials(d, c int) int {
	if d == 0 {
		return 1
	}
	n := 0
	for i := 0; i <= c; i++ {
		n += monomials(d-1, c-i)
	}
	return n
}

func TestPolynomialDim(t *testing.T) {
	for d := 1; d <= 6; d++ {
		for c := 1; c <= 6; c++ {
			if got, err := bound.PolynomialDim(d, c); err != nil || got != monomials(d, c) {
				t.Errorf("%d coordinates, degree %d: %d, %v, want %d", d, c, got, err, monomials(d, c))
			}
		}
	}
	for _, c := range [][2]int{{0, 1}, {1, 0}, {1 << 40, 1 << 10}} {
		if _, err := bound.PolynomialDim(c[0], c[1]); err == nil {
			t.Errorf("%v was taken", c)
		}
	}
}

// TestMinimumEigenvalue: λ is one where G - λI is singular and all pivots before are
// positive, for a λ a little below.
func TestMinimumEigenvalue(t *testing.T) {
	positive := func(n int, shift float64) bool {
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				a[i][j] = float64(min(i, j) + 1)
			}
			a[i][i] -= shift
		}
		for k := range n {
			if a[k][k] <= 0 {
				return false
			}
			for i := k + 1; i < n; i++ {
				f := a[i][k] / a[k][k]
				for j := k; j < n; j++ {
					a[i][j] -= f * a[k][j]
				}
			}
		}
		return true
	}
	for _, n := range []int{1, 2, 3, 10, 40} {
		v, err := bound.MinimumEigenvalue(n)
		if err != nil || !positive(n, v*(1-1e-9)) || positive(n, v*(1+1e-9)) {
			t.Errorf("%d: %v, %v", n, v, err)
		}
	}
}

func TestSmallFormulas(t *testing.T) {
	if v, err := bound.InterleavedDegree(5); v != 4 || err != nil {
		t.Error(v, err)
	}
	if v, err := bound.BasketMargin(5, 10); math.Abs(1/(v*v)-231) > 1e-9 || err != nil {
		t.Error(v, err)
	}
	if v, err := bound.SubstringSquare(4); v != 10 || err != nil { // a, b, c, d, ab, bc, cd, abc, bcd, abcd
		t.Error(v, err)
	}
	if v, err := bound.SpreadMargin(4, 0); v != 0.5 || err != nil { // four axes
		t.Error(v, err)
	}
	_, a := bound.InterleavedDegree(0)
	_, b := bound.BasketMargin(0, 1)
	_, c := bound.SubstringSquare(0)
	_, d := bound.SpreadMargin(3, 1)
	_, e := bound.SpreadMargin(3, math.NaN())
	_, f := bound.MinimumEigenvalue(0)
	for i, err := range []error{a, b, c, d, e, f} {
		if err == nil {
			t.Errorf("fault %d was taken", i)
		}
	}
}
