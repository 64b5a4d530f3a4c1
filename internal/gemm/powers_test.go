package gemm_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/gemm"
)

// powersOf returns the sums of the comment on Powers in float64, and those of the sizes of their terms.
func powersOf(a, b []float32, m, n, k int, alpha, beta, w []float32) (sum, size []float64) {
	sum, size = make([]float64, m), make([]float64, m)
	for i := range m {
		for j := range n {
			e := float64(alpha[i]) + float64(beta[j])
			for p := range k {
				e += float64(a[i*k+p]) * float64(b[j*k+p])
			}
			power := float64(w[j]) * math.Exp2(e)
			sum[i] += power
			size[i] += math.Abs(power)
		}
	}
	return sum, size
}

// TestPowers compares sums, of dense rows and of rows of few values, with those of the formula. Exponents are at most
// k+16 and summed up in k+1 roundings, of which each is at most of that much: 2^e is off by a part of
// (k+1)(k+16)·ln 2·u, to which 4u come for the power, and a sum by 512u.
func TestPowers(t *testing.T) {
	_, nr, kc, _, _ := gemm.Blocking[float32]()
	for _, k := range []int{1, 7, 8, 20, 33, 123, kc} {
		for _, n := range []int{1, 15, 16, 17, nr - 1, nr, nr + 1, 5*nr + 7} {
			testPowers(t, 1, n, k)
			testPowers(t, 8, n, k)
			testPowers(t, 21, n, k)
		}
	}
	testPowers(t, 9, 166*nr+5, 3) // more than one stretch
}

func testPowers(t *testing.T, m, n, k int) {
	t.Helper()
	y, beta := random[float32](2, n*k), random[float32](3, n)
	w, v, alpha := random[float32](4, n), random[float32](5, n), random[float32](6, m)
	for j := range beta {
		beta[j] *= 15
	}
	b := gemm.Pack(y, k, n, k)
	p := gemm.PackPowers(b, beta, w, v)
	if p == nil {
		if gemm.Current() == gemm.AVX512 {
			t.Fatalf("no sums of powers of %d rows of %d", n, k)
		}
		t.Skip("the level has no sums of powers")
	}
	var s gemm.PowerSums
	check := func(what string, a []float32, sum func(w, v []float64)) {
		got := [2][]float64{slices.Repeat([]float64{math.NaN()}, m+1), slices.Repeat([]float64{math.NaN()}, m+1)}
		sum(got[0], got[1])
		for side, weight := range [][]float32{w, v} {
			want, size := powersOf(a, y, m, n, k, alpha, beta, weight)
			for i := range m {
				off := (float64((k+1)*(k+16))*math.Ln2 + 4 + 512) * 0x1p-24 * size[i]
				if !(math.Abs(got[side][i]-want[i]) <= off) {
					t.Fatalf("%s, %d × %d × %d: sum %d of row %d is %v, want %v ± %v", what, m, n, k, side, i, got[side][i], want[i],
						off)
				}
			}
			if !math.IsNaN(got[side][m]) {
				t.Fatalf("%s, %d × %d × %d: wrote past the rows", what, m, n, k)
			}
		}
	}
	a := random[float32](1, m*k)
	var left gemm.Left[float32]
	left.Pack(a, k, m, k)
	check("dense", a, func(w, v []float64) { s.Sum(w, v, &left, alpha, p) })
	few := fewOf[float32](1, m, k)
	var thin gemm.Thin[float32]
	if !thin.Pack(few, k, m, k) {
		t.Fatal("rows have too many values")
	}
	check("thin", few, func(w, v []float64) { s.SumThin(w, v, &thin, alpha, p) })
}

// TestPower looks at single powers, and at what is no number.
func TestPower(t *testing.T) {
	one := []float32{1}
	var s gemm.PowerSums
	var left gemm.Left[float32]
	left.Pack([]float32{0}, 1, 1, 1)
	power := func(e float32) float64 {
		p := gemm.PackPowers(gemm.Pack(one, 1, 1, 1), []float32{e}, one, one)
		if p == nil {
			t.Skip("the level has no sums of powers")
		}
		var w, v [1]float64
		s.Sum(w[:], v[:], &left, []float32{0}, p)
		if w != v && w[0] == w[0] {
			t.Fatalf("2^%v is %v and %v", e, w, v)
		}
		return w[0]
	}
	worst := 0.0
	for e := float32(-126); e < 127; e += 0.00317 {
		want := math.Exp2(float64(e))
		worst = max(worst, math.Abs(power(e)-want)/want)
	}
	if worst > 4*0x1p-24 {
		t.Errorf("a power is off by a part of %.2f u", worst*0x1p24)
	}
	for _, e := range []float32{-200, -1e9, -math.MaxFloat32, float32(math.Inf(-1))} {
		if got := power(e); got != 0 {
			t.Errorf("2^%v is %v", e, got)
		}
	}
	if got := power(float32(math.NaN())); !math.IsNaN(got) {
		t.Errorf("2^NaN is %v", got)
	}
	if got := fmt.Sprint(power(0), power(-1), power(-149)); got != fmt.Sprint(power(0), 0.5*power(0), 0x1p-149) {
		t.Errorf("powers of whole numbers are %s", got)
	}
}
