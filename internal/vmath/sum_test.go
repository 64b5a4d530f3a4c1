package vmath_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestSums(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testSums[float32])
		t.Run("float64", testSums[float64])
	})
}

// laneSum adds terms in the documented order.
func laneSum[F vmath.Float](n int, term func(i int) F) F {
	lane := make([]F, 256/unsafe.Sizeof(F(0)))
	for i := range n {
		lane[i%len(lane)] += term(i)
	}
	for len(lane) > 1 {
		half := len(lane) / 2
		for j := range half {
			lane[j] += lane[j+half]
		}
		lane = lane[:half]
	}
	return lane[0] + 0
}

func testSums[F vmath.Float](t *testing.T) {
	const guard = 8
	r := rand.New(rand.NewPCG(7, 7))
	for _, n := range append(sizes(), 511, 512, 513, 1000) {
		bx, by := make([]F, n+2*guard), make([]F, n+2*guard)
		for i := range bx {
			bx[i], by[i] = F(math.NaN()), F(math.NaN())
		}
		off := r.IntN(guard)
		x, y := bx[off:off+n], by[guard-off:guard-off+n]
		var exact, size float64
		for i := range x {
			x[i], y[i] = F(r.NormFloat64()), F(r.NormFloat64())
			exact += float64(x[i]) * float64(y[i])
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		if got, want := vmath.Dot(x, y), laneSum(n, func(i int) F { return F(x[i] * y[i]) }); !same(got, want) {
			t.Fatalf("Dot of %d is %v, want %v", n, got, want)
		}
		for i := range y {
			if i%3 == 0 {
				y[i] = 0.25
			}
		}
		sign := func(i int) F { return x[i] * F(cmp.Compare(0.25, y[i])) }
		if got, want := vmath.SignDot(x, y, 0.25), laneSum(n, sign); !same(got, want) {
			t.Fatalf("SignDot of %d is %v, want %v", n, got, want)
		}
		if got, want := vmath.Sum(x), laneSum(n, func(i int) F { return x[i] }); !same(got, want) {
			t.Fatalf("Sum of %d is %v, want %v", n, got, want)
		}
		exact, size = 0, 0
		for i := range x {
			exact += float64(x[i]) * float64(y[i])
			size += math.Abs(float64(x[i]) * float64(y[i]))
		}
		// An element passes at most ⌈n/lanes⌉ + 7 roundings of half an ulp.
		ulp := 0x1p-23
		if unsafe.Sizeof(F(0)) == 8 {
			ulp = 0x1p-52
		}
		if d := math.Abs(float64(vmath.Dot(x, y)) - exact); d > size*ulp/2*float64(n/32+9)+size*0x1p-53*float64(n) {
			t.Fatalf("Dot of %d is off by %v", n, d)
		}
		if n == 0 {
			continue
		}
		i := r.IntN(n)
		x[i] = F(math.Inf(1))
		if s := vmath.Sum(x); !math.IsInf(float64(s), 1) {
			t.Fatalf("Sum of %d with an infinity at %d is %v", n, i, s)
		}
		x[i] = F(math.NaN())
		if s := vmath.Dot(x, y); s == s {
			t.Fatalf("Dot of %d with NaN at %d is %v", n, i, s)
		}
	}
}

// TestSumZero checks that sums of products that underflow to -0 are +0, with
// and without a tail.
func TestSumZero(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 31, 32, 33, 64, 65, 128, 130} {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], y[i] = 1e-200, -1e-200
			}
			if got := vmath.Dot(x, y); !same(got, 0) {
				t.Errorf("Dot of %d is %v", n, got)
			}
			vmath.Scale(x, math.Copysign(0, -1))
			if got := vmath.Sum(x); !same(got, 0) {
				t.Errorf("Sum of %d is %v", n, got)
			}
		}
	})
}

func TestFinite(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testFinite[float32])
		t.Run("float64", testFinite[float64])
	})
}

func testFinite[F vmath.Float](t *testing.T) {
	most := F(math.MaxFloat32)
	for _, n := range sizes() {
		buf := make([]F, n+2)
		for i := range buf {
			buf[i] = most * F(1-2*(i&1))
		}
		buf[0], buf[n+1] = F(math.NaN()), F(math.Inf(1))
		x := buf[1 : n+1]
		if got := vmath.Finite(x); got != -1 {
			t.Fatalf("Finite of %d is %d, want -1", n, got)
		}
		for i := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				old, last := x[i], x[n-1]
				x[n-1] = F(math.Inf(1))
				x[i] = F(bad)
				if got := vmath.Finite(x); got != i {
					t.Fatalf("Finite of %d with %v at %d is %d", n, bad, i, got)
				}
				x[n-1], x[i] = last, old
			}
		}
	}
}
