package vmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// sizes straddle the edges of vectors and blocks.
func sizes() []int {
	var n []int
	for i := range 71 {
		n = append(n, i)
	}
	return append(n, 95, 96, 97, 127, 128, 129, 255, 256, 257, 300)
}

// maxSize is the largest of sizes.
const maxSize = 300

// An elementwise function at one precision.
type elementwise[F vmath.Float] struct {
	name string
	call func(dst, x []F)
}

func elementwises[F vmath.Float]() []elementwise[F] {
	row := func(f func(row []F)) func(dst, x []F) {
		return func(dst, x []F) {
			copy(dst, x)
			f(dst)
		}
	}
	yy := make([]F, maxSize)
	for i := range yy {
		yy[i] = 1.25
	}
	return []elementwise[F]{
		{"Exp", vmath.Exp[F]},
		{"Log", vmath.Log[F]},
		{"Tanh", tanh[F]},
		{"Cos", cos[F]},
		{"Sin", sin[F]},
		{"ExpScale", row(func(r []F) { vmath.ExpScale(r, 0.75, -0.5) })},
		{"TanhScale", row(func(r []F) { vmath.TanhScale(r, 0.75, -0.5) })},
		{"Distance2Row", row(func(r []F) { vmath.Distance2Row(r, 1.5, yy[:len(r)]) })},
		{"RBFRow", row(func(r []F) { vmath.RBFRow(r, 1.5, yy[:len(r)], 0.7) })},
		{"PowInt", row(func(r []F) { vmath.PowInt(r, 0.75, -0.5, 5) })},
		{"Distance1Row", row(func(r []F) { vmath.Distance1Row(r, []F{1.5}, yy[:len(r)], len(r)) })},
		{"ScaleRow", row(func(r []F) { vmath.ScaleRow(r, 1.5, yy[:len(r)]) })},
		{"Axpy", row(func(r []F) { vmath.Axpy(r, 1.5, yy[:len(r)]) })},
		{"Scale", row(func(r []F) { vmath.Scale(r, 0.7) })},
	}
}

// tanh is TanhScale of 1·x - 0, which is x, its sign of zero included.
func tanh[F vmath.Float](dst, x []F) {
	copy(dst, x)
	vmath.TanhScale(dst, 1, F(math.Copysign(0, -1)))
}

func cos[F vmath.Float](dst, x []F) { vmath.SinCos(make([]F, len(x)), dst, x, 1) }
func sin[F vmath.Float](dst, x []F) { vmath.SinCos(dst, make([]F, len(x)), x, 1) }

// specialValues are worth a look at every place.
func specialValues[F vmath.Float]() []F {
	inf, nan := math.Inf(1), math.NaN()
	list := []float64{
		0, math.Copysign(0, -1), 1, -1, inf, -inf, nan, 0.5625, -0.5625, 20, -20, 1e5, 1e9, -1e9, 1e12, 1e30, -1e30,
		88, 89, -87.5, -103, -104, -105, 709, 709.7, 710, -708.5, -744, -745, -746, 1e-30, math.Pi / 2, 1e-320, -1e-320,
		1e-44,
		math.MaxFloat64, math.MaxFloat32, 0x1p-126, 0x1p-1022,
	}
	var x []F
	for _, v := range list {
		x = append(x, F(v))
	}
	return x
}

// ordinary draws numbers that no function finds special.
func ordinary[F vmath.Float](r *rand.Rand, n int) []F {
	x := make([]F, n)
	for i := range x {
		x[i] = F(r.Float64()*40 - 15)
	}
	return x
}

// one returns f(x) of a slice of one element.
func one[F vmath.Float](f elementwise[F], x F) F {
	dst := []F{F(math.NaN())}
	f.call(dst, []F{x})
	return dst[0]
}

func TestPlace(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testPlace[float32])
		t.Run("float64", testPlace[float64])
	})
}

// testPlace checks that a result does not depend on its index, on the length,
// the alignment and on whether the call is in place; that nothing outside is
// written; and that everything inside is.
func testPlace[F vmath.Float](t *testing.T) {
	const guard = 9
	r := rand.New(rand.NewPCG(2, 2))
	pool := append(specialValues[F](), ordinary[F](r, 150)...)
	for _, f := range elementwises[F]() {
		want := make([]F, len(pool))
		for i, x := range pool {
			want[i] = one(f, x)
		}
		buf, src := make([]F, maxSize+3*guard), make([]F, maxSize+3*guard)
		for _, n := range sizes() {
			lo := guard + r.IntN(guard)
			first := r.IntN(len(pool))
			for i := range buf {
				buf[i], src[i] = F(math.NaN()), F(i)+0.25
			}
			x := src[lo : lo+n]
			for i := range x {
				x[i] = pool[(first+i)%len(pool)]
			}
			off := guard + r.IntN(guard)
			f.call(buf[off:off+n:off+n], x)
			for i := range x {
				if k := (first + i) % len(pool); !same(buf[off+i], want[k]) {
					t.Fatalf("%s(%v) at %d of %d is %v, alone %v", f.name, pool[k], i, n, buf[off+i], want[k])
				}
			}
			for i, v := range buf {
				if (i < off || i >= off+n) && v == v {
					t.Fatalf("%s of %d wrote %v outside, at %d", f.name, n, v, i-off)
				}
			}
			f.call(x, x)
			for i, v := range src {
				switch {
				case i < lo || i >= lo+n:
					if v != F(i)+0.25 {
						t.Fatalf("%s of %d in place wrote %v outside, at %d", f.name, n, v, i-lo)
					}
				case !same(v, buf[off+i-lo]):
					t.Fatalf("%s of %d in place gave %v, not %v", f.name, n, v, buf[off+i-lo])
				}
			}
		}
	}
}

func TestSpecialLanes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testSpecialLanes[float32])
		t.Run("float64", testSpecialLanes[float64])
	})
}

// testSpecialLanes puts every special value at every place of a full block and
// a tail, among ordinary ones, which it must not disturb.
func testSpecialLanes[F vmath.Float](t *testing.T) {
	x := ordinary[F](rand.New(rand.NewPCG(3, 3)), 67)
	dst, calm := make([]F, len(x)), make([]F, len(x))
	for _, f := range elementwises[F]() {
		f.call(calm, x)
		for _, s := range specialValues[F]() {
			want := one(f, s)
			for p := range x {
				old := x[p]
				x[p] = s
				f.call(dst, x)
				x[p] = old
				for i, v := range dst {
					if w := calm[i]; i != p && !same(v, w) {
						t.Fatalf("%s: %v at %d changed the result at %d from %v to %v", f.name, s, p, i, w, v)
					}
				}
				if !same(dst[p], want) {
					t.Fatalf("%s(%v) at %d is %v, alone %v", f.name, s, p, dst[p], want)
				}
			}
		}
	}
}

// TestSpecialValues compares with the special cases that package math states.
func TestSpecialValues(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	tests := []struct {
		name    string
		x, want float64
	}{
		{"Exp", inf, inf}, {"Exp", -inf, 0}, {"Exp", nan, nan}, {"Exp", 0, 1}, {"Exp", negZero, 1},
		{"Exp", 1e9, inf}, {"Exp", -1e9, 0}, {"Exp", 1e-320, 1},
		{"Log", inf, inf}, {"Log", 0, -inf}, {"Log", negZero, -inf}, {"Log", -1, nan}, {"Log", -inf, nan},
		{"Log", -1e-40, nan}, {"Log", nan, nan}, {"Log", 1, 0},
		{"Tanh", inf, 1}, {"Tanh", -inf, -1}, {"Tanh", nan, nan}, {"Tanh", 0, 0}, {"Tanh", negZero, negZero},
		{"Tanh", 1e-40, 1e-40}, {"Tanh", -1e-310, -1e-310}, {"Tanh", 100, 1}, {"Tanh", -1e30, -1},
		{"Cos", inf, nan}, {"Cos", -inf, nan}, {"Cos", nan, nan}, {"Cos", 0, 1}, {"Cos", negZero, 1}, {"Cos", 1e-40, 1},
		{"Sin", inf, nan}, {"Sin", -inf, nan}, {"Sin", nan, nan}, {"Sin", 0, 0}, {"Sin", negZero, negZero},
		{"Sin", 1e-40, 1e-40}, {"Sin", -1e-310, -1e-310},
	}
	atLevels(t, func(t *testing.T) {
		for _, tt := range tests {
			for _, f := range functions {
				if f.name != tt.name {
					continue
				}
				d64, d32 := []float64{7}, []float32{7}
				f.f64(d64, []float64{tt.x})
				f.f32(d32, []float32{float32(tt.x)})
				if !same(d64[0], tt.want) {
					t.Errorf("%s(%v) in float64 is %v, want %v", f.name, tt.x, d64[0], tt.want)
				}
				if float32(tt.x) == 0 && tt.x != 0 {
					continue
				}
				if !same(d32[0], float32(tt.want)) {
					t.Errorf("%s(%v) in float32 is %v, want %v", f.name, tt.x, d32[0], tt.want)
				}
			}
		}
	})
}

func TestSymmetry(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testSymmetry[float32])
		t.Run("float64", testSymmetry[float64])
	})
}

// testSymmetry checks that sine and tanh are odd and cosine is even, exactly,
// and that no cosine or sine is above 1.
func testSymmetry[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	n := 4000
	x, y := make([]F, n), make([]F, n)
	for i := range x {
		x[i] = F(math.Ldexp(r.Float64(), r.IntN(60)-30))
		y[i] = -x[i]
	}
	a, b := make([]F, n), make([]F, n)
	for _, f := range []struct {
		name string
		call func(dst, x []F)
		sign F
		peak F
	}{
		{"Cos", cos[F], 1, 1}, {"Sin", sin[F], -1, 1}, {"Tanh", tanh[F], -1, 1},
	} {
		f.call(a, x)
		f.call(b, y)
		for i := range a {
			if !same(a[i], f.sign*b[i]) || !(a[i] <= f.peak && a[i] >= -f.peak) {
				t.Fatalf("%s(±%v) is %v and %v", f.name, x[i], a[i], b[i])
			}
		}
	}
}

func TestLengths(t *testing.T) {
	a, b := make([]float32, 3), make([]float32, 4)
	for name, f := range map[string]func(){
		"Exp":          func() { vmath.Exp(a, b) },
		"Log":          func() { vmath.Log(a, b) },
		"SinCos":       func() { vmath.SinCos(a, a, b, 1) },
		"RBFRow":       func() { vmath.RBFRow(a, 1, b, 1) },
		"Distance2Row": func() { vmath.Distance2Row(a, 1, b) },
		"Close":        func() { vmath.Close(a, b, 1, 1, 1) },
		"ScaleRow":     func() { vmath.ScaleRow(a, 1, b) },
		"Axpy":         func() { vmath.Axpy(a, 1, b) },
		"Dot":          func() { vmath.Dot(a, b) },
		"PowInt":       func() { vmath.PowInt(a, 1, 0, -1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			f()
		}()
	}
}

// TestAllocations checks that the generic fronts do not allocate.
func TestAllocations(t *testing.T) {
	var x, y [100]float32
	if n := testing.AllocsPerRun(10, func() {
		vmath.Exp(x[:], y[:])
		vmath.RBFRow(x[:], 1, y[:], 1)
		vmath.Axpy(x[:], vmath.Dot(x[:], y[:]), y[:])
		vmath.SinCos(x[:50], x[50:], y[:50], 1)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLimit(t *testing.T) {
	for _, l := range levels() {
		restore := vmath.Limit(l)
		if vmath.Active() != l {
			t.Errorf("limit %v: active %v", l, vmath.Active())
		}
		restore()
		if vmath.Active() != vmath.Best() {
			t.Errorf("after limit %v: active %v", l, vmath.Active())
		}
	}
}
