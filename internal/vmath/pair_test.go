package vmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestPairs(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testPairs[float32])
		t.Run("float64", testPairs[float64])
	})
}

// guarded returns n numbers with NaN on both sides.
func guarded[F vmath.Float](n int, value func() F) []F {
	const guard = 8
	b := make([]F, n+2*guard)
	for i := range b {
		b[i] = F(math.NaN())
	}
	s := b[guard : guard+n : guard+n]
	for i := range s {
		s[i] = value()
	}
	return s
}

// testPairs compares with loops written from the formulas, bit for bit: values that
// come more than once, so that there are ties, bounds that are reached, none that can
// grow or fall, NaN, and gains that hardly are numbers.
func testPairs[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	few := func() float64 { return float64(r.IntN(5)) - 2 }
	for _, n := range append(sizes(), 511, 512, 513, 1000) {
		for _, kind := range []string{"normal", "few", "shut", "nan", "tiny"} {
			value := r.NormFloat64
			switch kind {
			case "few":
				value = few
			case "tiny": // gains around the least that counts
				value = func() float64 { return 1e-150 * r.NormFloat64() }
			}
			bound := func(inf int) func() float64 {
				return func() float64 {
					if kind == "shut" || r.IntN(3) == 0 {
						return math.Inf(inf)
					}
					return 0
				}
			}
			f, own := guarded(n, value), guarded(n, func() float64 { return 1 + math.Abs(value()) })
			ki, kj := guarded(n, func() F { return F(value()) }), guarded(n, func() F { return F(value()) })
			grow, fall := guarded(n, bound(-1)), guarded(n, bound(1))
			if kind == "nan" && n > 0 {
				f[r.IntN(n)] = math.NaN()
			}
			delta := value()

			best, top, bottom := -1, math.Inf(-1), math.Inf(1)
			want := make([]float64, n)
			for k := range want {
				want[k] = f[k] - float64(delta*float64(ki[k]-kj[k]))
				if v := want[k] + grow[k]; v >= top {
					best, top = k, v
				}
				if v := want[k] + fall[k]; v < bottom {
					bottom = v
				}
			}
			i, high, low := vmath.PairFollow(new(vmath.Lanes), f, delta, ki, kj, grow, fall)
			if i != best || high != top || low != bottom {
				t.Fatalf("%s of %d: %d, %v, %v, want %d, %v, %v", kind, n, i, high, low, best, top, bottom)
			}
			for k := range want {
				if !same(f[k], want[k]) {
					t.Fatalf("%s of %d: slope %d is %v, want %v", kind, n, k, f[k], want[k])
				}
			}

			const least, floor = 1e-12, 1e-300
			partner, most, mine := -1, floor, 1+math.Abs(value())
			for k := range want {
				d := top - (f[k] + fall[k])
				bend := (mine + own[k]) - 2*float64(ki[k])
				if bend < least {
					bend = least
				}
				if q := d * math.Abs(d) / bend; q >= most {
					partner, most = k, q
				}
			}
			if j := vmath.PairPartner(new(vmath.Lanes), f, ki, own, fall, top, mine, least, floor); j != partner {
				t.Fatalf("%s of %d: the partner is %d, want %d", kind, n, j, partner)
			}
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	const n = 2048
	r := rand.New(rand.NewPCG(3, 9))
	f, own, grow, fall := guarded(n, r.NormFloat64), guarded(n, func() float64 { return 1 }),
		make([]float64, n), make([]float64, n)
	ki, kj := guarded(n, r.Float32), guarded(n, r.Float32)
	b.Run("follow", func(b *testing.B) {
		for b.Loop() {
			vmath.PairFollow(new(vmath.Lanes), f, 1e-9, ki, kj, grow, fall)
		}
	})
	b.Run("partner", func(b *testing.B) {
		for b.Loop() {
			vmath.PairPartner(new(vmath.Lanes), f, ki, own, fall, 3, 1, 1e-12, 1e-300)
		}
	})
}
