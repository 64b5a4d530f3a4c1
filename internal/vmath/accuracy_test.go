package vmath_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

var (
	points = flag.Int("points", 1<<14, "float64 arguments of each kind in the accuracy test")
	stride = flag.Uint64("stride", 4099, "step through all float32 arguments in the accuracy test")
)

// A function is one of the elementwise functions, with its references.
type function struct {
	name   string
	f32    func(dst, x []float32)
	f64    func(dst, x []float64)
	scalar func(float64) float64 // from package math, to judge float32 by
	ref    func(float64) value   // for finite arguments in the domain
	domain func(x float64) bool  // where ref applies; elsewhere scalar counts
	points []float64             // of which multiples and neighbours matter
	max32  float64               // bound on the error in ulp at the vector levels
	max64  float64
	plain  float64 // and of plain Go in float64
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

var functions = []function{
	{
		name: "Exp", f32: vmath.Exp[float32], f64: vmath.Exp[float64], scalar: math.Exp, ref: refExp, domain: finite,
		points: []float64{
			math.Ln2 / 2, 1, 88, 128 * math.Ln2, 126 * math.Ln2, 149 * math.Ln2, 150 * math.Ln2, 89, 104,
			708, 710, 746, 1022 * math.Ln2, 1024 * math.Ln2, 1074 * math.Ln2, 1075 * math.Ln2,
		},
		max32: 1.0, max64: 1.0, plain: 1.3,
	},
	{
		name: "Log", f32: vmath.Log[float32], f64: vmath.Log[float64], scalar: math.Log, ref: refLog,
		domain: func(x float64) bool { return x > 0 && finite(x) },
		points: []float64{1, math.Sqrt2, math.Sqrt2 / 2, 2, 0.5, 0x1p-126, 0x1p-1022, 0x1p-149, math.MaxFloat32,
			math.MaxFloat64},
		max32: 1.0, max64: 1.0, plain: 1.0,
	},
	{
		name: "Tanh", f32: tanh[float32], f64: tanh[float64], scalar: math.Tanh, ref: refTanh, domain: finite,
		points: []float64{0.5625, 0.625, 9.02, 10, 19.07, 20, 22, 0.25, 1},
		max32:  1.6, max64: 1.6, plain: 1.6,
	},
	{
		name: "Cos", f32: cos[float32], f64: cos[float64], scalar: math.Cos, ref: refCos,
		domain: func(x float64) bool { return math.Abs(x) <= 1<<30 },
		points: []float64{math.Pi / 4, math.Pi / 2, math.Pi, 1 << 17, 1 << 30, 1e5, 1e9},
		max32:  1.0, max64: 1.0, plain: 1.0,
	},
	{
		name: "Sin", f32: sin[float32], f64: sin[float64], scalar: math.Sin, ref: refSin,
		domain: func(x float64) bool { return math.Abs(x) <= 1<<30 },
		points: []float64{math.Pi / 4, math.Pi / 2, math.Pi, 1 << 17, 1 << 30, 1e5, 1e9},
		max32:  1.0, max64: 1.0, plain: 1.0,
	},
}

// levels returns those that the machine has.
func levels() []vmath.Level {
	var all []vmath.Level
	for l := vmath.Plain; l <= vmath.Best(); l++ {
		all = append(all, l)
	}
	return all
}

// atLevels runs the test at every level.
func atLevels(t *testing.T, f func(t *testing.T)) {
	for _, l := range levels() {
		t.Run(l.String(), func(t *testing.T) {
			defer vmath.Limit(l)()
			f(t)
		})
	}
}

// same reports whether two numbers have the same bits, all NaN counting as one.
func same[F vmath.Float](a, b F) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b && math.Signbit(float64(a)) == math.Signbit(float64(b))
}

// worst keeps the largest error and where it was.
type worst struct{ ulp, x float64 }

func (w *worst) see(ulp, x float64) {
	if ulp > w.ulp || math.IsNaN(ulp) {
		*w = worst{ulp, x}
	}
}

func (w worst) judge(t *testing.T, l vmath.Level, limit float64) {
	t.Helper()
	t.Logf("%v: %.3f ulp at %v", l, w.ulp, w.x)
	if !(w.ulp <= limit) {
		t.Errorf("%v: error above %v ulp", l, limit)
	}
}

// A survey32 measures a function on chunks of float32 arguments at every level.
type survey32 struct {
	function
	want []float64   // from package math: 2^-28 ulp of float32, or less, off
	got  [][]float32 // by level
	max  []worst     // by level
}

func newSurvey32(f function, chunk int) *survey32 {
	s := &survey32{function: f, want: make([]float64, chunk), max: make([]worst, len(levels()))}
	for range levels() {
		s.got = append(s.got, make([]float32, chunk))
	}
	return s
}

func (s *survey32) see(t *testing.T, x []float32) {
	for i, v := range x {
		s.want[i] = s.scalar(float64(v))
	}
	for l := range s.got {
		restore := vmath.Limit(vmath.Level(l))
		s.f32(s.got[l][:len(x)], x)
		restore()
		for i, y := range s.got[l][:len(x)] {
			w := s.want[i]
			switch {
			case l > 1 && !same(y, s.got[1][i]):
				t.Fatalf("%v of %v is %v, not %v as at avx2", vmath.Level(l), x[i], y, s.got[1][i])
			case y != y || w != w || y == 0 && w == 0:
				if !same(y, float32(w)) {
					t.Fatalf("%v of %v is %v, want %v", vmath.Level(l), x[i], y, w)
				}
			default:
				s.max[l].see(ulps32(y, w), float64(x[i]))
			}
		}
	}
}

// TestAccuracy32 goes through the bit patterns of float32 in steps of -stride;
// -stride 1 takes all.
func TestAccuracy32(t *testing.T) {
	const chunk = 1 << 14
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			s := newSurvey32(f, chunk)
			x := make([]float32, 0, chunk)
			for b := uint64(0); b < 1<<32; b += *stride {
				if x = append(x, math.Float32frombits(uint32(b))); len(x) == chunk {
					s.see(t, x)
					x = x[:0]
				}
			}
			s.see(t, x)
			for _, p := range f.points {
				s.see(t, neighbours32(p))
			}
			for l, w := range s.max {
				limit := f.max32
				if l == 0 {
					limit = 0.501 // rounded from float64
				}
				w.judge(t, vmath.Level(l), limit)
			}
		})
	}
}

// neighbours32 returns the numbers around ± p and its small multiples.
func neighbours32(p float64) []float32 {
	var list []float32
	for k := 1.0; k <= 64; k++ {
		b := math.Float32bits(float32(k * p))
		for d := -8; d <= 8; d++ {
			v := math.Float32frombits(uint32(int(b) + d))
			list = append(list, v, -v)
		}
	}
	return list
}

// arguments64 draws float64 arguments: of all exponents, of the range where the
// function is neither constant nor overflows, and around its points.
func arguments64(f function, n int) []float64 {
	r := rand.New(rand.NewPCG(1, uint64(len(f.name))))
	var x []float64
	for range n {
		x = append(x, math.Float64frombits(r.Uint64()))
		x = append(x, math.Ldexp(r.Float64()-0.5, r.IntN(40)-20))
		x = append(x, (r.Float64()-0.5)*1500, (r.Float64()-0.5)*45, (r.Float64()-0.5)*4)
		x = append(x, math.Ldexp(1+r.Float64(), r.IntN(2100)-1074))
		// Multiples of π/2 and of ln 2, rounded.
		x = append(x, math.Pi/2*float64(r.IntN(1<<29)), math.Ln2/2*float64(r.IntN(4400)-2200))
		// Neighbours of 1.
		x = append(x, 1+math.Ldexp(r.Float64()-0.5, -r.IntN(52)))
	}
	for _, p := range f.points {
		for k := 1.0; k <= 64; k++ {
			b := math.Float64bits(k * p)
			for d := -8; d <= 8; d++ {
				v := math.Float64frombits(uint64(int64(b) + int64(d)))
				x = append(x, v, -v)
			}
		}
	}
	return x
}

func TestAccuracy64(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			x := arguments64(f, *points)
			want := make([]value, len(x))
			for i, v := range x {
				if f.domain(v) {
					want[i] = f.ref(v)
				}
			}
			first := make([]float64, len(x))
			for l, level := range levels() {
				restore := vmath.Limit(level)
				got := make([]float64, len(x))
				f.f64(got, x)
				restore()
				max := worst{}
				for i, v := range x {
					if l == 1 {
						first[i] = got[i]
					} else if l > 1 && !same(got[i], first[i]) {
						t.Fatalf("%v of %v is %v, not %v as at avx2", level, v, got[i], first[i])
					}
					if !f.domain(v) {
						if w := f.scalar(v); !same(got[i], w) {
							t.Fatalf("%v of %v is %v, want %v", level, v, got[i], w)
						}
						continue
					}
					max.see(ulps64(got[i], want[i]), v)
				}
				limit := f.max64
				if l == 0 {
					limit = f.plain
				}
				max.judge(t, level, limit)
			}
		})
	}
}
