package vmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestRows(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testRows[float32])
		t.Run("float64", testRows[float64])
	})
}

// testRows compares the row forms with their formulas, bit for bit: those with
// a transcendental function by means of Exp and of TanhScale without a scale.
func testRows[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, n := range sizes() {
		s, y := ordinary[F](r, n), ordinary[F](r, n)
		for j := range s {
			switch r.IntN(12) {
			case 0:
				s[j] = F(math.NaN())
			case 1:
				y[j] = F(math.NaN())
			case 2:
				s[j] = F(math.Inf(1 - 2*r.IntN(2)))
			}
		}
		a, b := F(r.Float64()*4-2), F(r.Float64()-0.5)
		dist := func(j int) F {
			d := (a + y[j]) - F(2*s[j])
			if d < 0 {
				return 0
			}
			return d
		}
		// apply returns f of the elements of a row.
		apply := func(f func(dst, x []F), u func(j int) F) []F {
			w := make([]F, n)
			for j := range w {
				w[j] = u(j)
			}
			if f != nil {
				f(w, w)
			}
			return w
		}
		affine := func(j int) F { return F(a*s[j]) + b }
		power := func(p int) func(j int) F {
			return func(j int) F {
				w, u := F(1), affine(j)
				for m := p; m > 0; m >>= 1 {
					if m&1 == 1 {
						w *= u
					}
					u *= u
				}
				return w
			}
		}
		tests := []struct {
			name string
			call func(row []F)
			want []F
		}{
			{"ExpScale", func(row []F) { vmath.ExpScale(row, a, b) }, apply(vmath.Exp[F], affine)},
			{"TanhScale", func(row []F) { vmath.TanhScale(row, a, b) }, apply(tanh[F], affine)},
			{"Distance2Row", func(row []F) { vmath.Distance2Row(row, a, y) }, apply(nil, dist)},
			{"RBFRow", func(row []F) { vmath.RBFRow(row, a, y, 0.3) },
				apply(vmath.Exp[F], func(j int) F { return F(-F(0.3) * dist(j)) })},
			{"PowInt 0", func(row []F) { vmath.PowInt(row, a, b, 0) }, apply(nil, func(int) F { return 1 })},
			{"PowInt 1", func(row []F) { vmath.PowInt(row, a, b, 1) }, apply(nil, affine)},
			{"PowInt 6", func(row []F) { vmath.PowInt(row, a, b, 6) }, apply(nil, power(6))},
			{"PowInt 21", func(row []F) { vmath.PowInt(row, a, b, 21) }, apply(nil, power(21))},
			{"Distance1Row", func(row []F) { vmath.Distance1Row(row, []F{a}, y, len(row)) },
				apply(nil, func(j int) F { return s[j] + max(a-y[j], y[j]-a) })},
			{"ScaleRow", func(row []F) { vmath.ScaleRow(row, a, y) }, apply(nil, func(j int) F { return s[j] * F(a*y[j]) })},
			{"Axpy", func(row []F) { vmath.Axpy(row, a, y) }, apply(nil, func(j int) F { return s[j] + F(a*y[j]) })},
			{"Scale", func(row []F) { vmath.Scale(row, a) }, apply(nil, func(j int) F { return s[j] * a })},
		}
		for _, tt := range tests {
			row := append([]F(nil), s...)
			tt.call(row)
			for j, v := range row {
				if !same(v, tt.want[j]) {
					t.Fatalf("%s of %d: element %d is %v, want %v", tt.name, n, j, v, tt.want[j])
				}
			}
		}
	}
}

// TestDistanceOfEqual checks that a vector is at distance 0 from itself and has
// kernel 1 with itself, where the inner product and the norms are one number.
func TestDistanceOfEqual(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(6, 6))
		for _, n := range sizes() {
			for range 20 {
				xx := math.Ldexp(1+r.Float64(), r.IntN(200)-100)
				row, rbf, yy := make([]float64, n), make([]float64, n), make([]float64, n)
				for j := range row {
					row[j], rbf[j], yy[j] = xx, xx, xx
				}
				vmath.Distance2Row(row, xx, yy)
				vmath.RBFRow(rbf, xx, yy, 1e9)
				for j := range row {
					if row[j] != 0 || rbf[j] != 1 {
						t.Fatalf("n = %d, norm² %v: distance %v, kernel %v", n, xx, row[j], rbf[j])
					}
				}
			}
		}
	})
}

// TestChiSquaredRow compares the distances of a point to many with the sum as it stands, zeros on
// both sides, numbers below the normal ones and NaN among the coordinates.
func TestChiSquaredRow(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", func(t *testing.T) { testChiSquaredRow[float32](t, 0x1p-126) })
		t.Run("float64", func(t *testing.T) { testChiSquaredRow(t, 0x1p-1022) })
	})
}

func testChiSquaredRow[F vmath.Float](t *testing.T, least F) {
	r := rand.New(rand.NewPCG(8, 2))
	mixed := func(n int) []F {
		v := ordinary[F](r, n)
		for i := range v {
			switch r.IntN(6) {
			case 0:
				v[i] = 0
			case 1:
				v[i] = least / 4
			case 2:
				if r.IntN(20) == 0 {
					v[i] = F(math.NaN())
				}
			}
		}
		return v
	}
	for _, n := range sizes() {
		for _, d := range []int{0, 1, 2, 7, 30} {
			stride := n + r.IntN(20)
			a, y, row := mixed(d), mixed(max(0, (d-1)*stride+n)), ordinary[F](r, n)
			want := append([]F(nil), row...)
			for k, v := range a {
				for j := range want {
					b := y[k*stride+j]
					size := max(v, -v) + max(b, -b)
					if size < least {
						size = least
					}
					want[j] += F((v - b) * ((v - b) / size))
				}
			}
			vmath.ChiSquaredRow(row, a, y, stride)
			for j, v := range row {
				if !same(v, want[j]) {
					t.Fatalf("%d coordinates, %d points: distance %d is %v, want %v", d, n, j, v, want[j])
				}
			}
		}
	}
}

// TestDistance1Row compares the distances of a point to many with the sum as it stands.
func TestDistance1Row(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testDistance1Row[float32])
		t.Run("float64", testDistance1Row[float64])
	})
}

func testDistance1Row[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, n := range sizes() {
		for _, d := range []int{0, 1, 2, 7, 30} {
			stride := n + r.IntN(20)
			a, y, row := ordinary[F](r, d), ordinary[F](r, max(0, (d-1)*stride+n)), ordinary[F](r, n)
			want := append([]F(nil), row...)
			for k, v := range a {
				for j := range want {
					want[j] += max(v-y[k*stride+j], y[k*stride+j]-v)
				}
			}
			vmath.Distance1Row(row, a, y, stride)
			for j, v := range row {
				if v != want[j] {
					t.Fatalf("%d coordinates, %d points: distance %d is %v, want %v", d, n, j, v, want[j])
				}
			}
		}
	}
}

func TestClose(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testClose[float32])
		t.Run("float64", testClose[float64])
	})
}

// testClose puts one pair at each place that is close, among pairs that are not for one reason
// or another, and looks past it for a second.
func testClose[F vmath.Float](t *testing.T) {
	const near, least, xx = 0x1p-5, 40, 8
	nan, inf := F(math.NaN()), F(math.Inf(1))
	far := [][2]F{{1.5, 32}, {0, 31.5}, {nan, 100}, {3, nan}, {inf, inf}, {inf, 50}, {-1, -100}, {-inf, nan}}
	for _, n := range sizes() {
		row, yy := make([]F, n+2), make([]F, n+2)
		for i := range row {
			row[i], yy[i] = far[i%len(far)][0], far[i%len(far)][1]
		}
		row[0], row[n+1], yy[0], yy[n+1] = 0, 0, 100, 100
		d, y := row[1:n+1], yy[1:n+1]
		if got := vmath.Close(d, y, xx, near, least); got != -1 {
			t.Fatalf("Close of %d is %d, want -1", n, got)
		}
		for i := range d {
			for _, c := range [][2]F{{1.25, 32}, {0, 32}, {-inf, 40}, {-1, 100}, {3, 100}, {7, inf}} {
				old, last := [2]F{d[i], y[i]}, [2]F{d[n-1], y[n-1]}
				d[n-1], y[n-1] = 0, 1000
				d[i], y[i] = c[0], c[1]
				if got := vmath.Close(d, y, xx, near, least); got != i {
					t.Fatalf("Close of %d with %v at %d is %d", n, c, i, got)
				}
				d[n-1], y[n-1] = last[0], last[1]
				d[i], y[i] = old[0], old[1]
			}
		}
	}
}
