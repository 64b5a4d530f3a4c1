package vmath_test

import (
	"math"
	"math/big"
	"testing"
)

// A pair is the unevaluated sum hi + lo, |lo| ≤ ulp(hi)/2: about 104 bits.
// The references below are series in pairs, with constants from decimal
// digits; their relative error is below 2^-95, nothing beside an ulp.
type pair struct{ hi, lo float64 }

func sum2(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

func product2(a, b float64) pair {
	p := a * b
	return pair{p, math.FMA(a, b, -p)}
}

func (p pair) add(q pair) pair {
	s, t := sum2(p.hi, q.hi), sum2(p.lo, q.lo)
	s = sum2(s.hi, s.lo+t.hi)
	return sum2(s.hi, s.lo+t.lo)
}

func (p pair) neg() pair { return pair{-p.hi, -p.lo} }

func (p pair) mul(q pair) pair {
	s := product2(p.hi, q.hi)
	return sum2(s.hi, s.lo+(p.hi*q.lo+p.lo*q.hi))
}

func (p pair) div(q pair) pair {
	a := p.hi / q.hi
	r := p.add(q.mul(pair{-a, 0}))
	b := r.hi / q.hi
	r = r.add(q.mul(pair{-b, 0}))
	return sum2(a, b).add(pair{r.hi / q.hi, 0})
}

// digits splits a decimal number into n float64, largest first.
func digits(s string, n int) []float64 {
	rest, _, err := big.ParseFloat(s, 10, 400, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	parts := make([]float64, n)
	for i := range parts {
		parts[i], _ = rest.Float64()
		rest.Sub(rest, big.NewFloat(parts[i]).SetPrec(400))
	}
	return parts
}

var (
	ln2 = digits("0.6931471805599453094172321214581765680755001343602552541206"+
		"80009493393621969694715605863326996418687", 3)
	halfPi = digits("1.5707963267948966192313216916397514420985846996875529104874"+
		"72296153908203143104499314017412671058534", 4)
)

// inverseFactorial holds 1/n!.
var inverseFactorial = func() (f [36]pair) {
	f[0] = pair{1, 0}
	for n := 1; n < len(f); n++ {
		f[n] = f[n-1].div(pair{float64(n), 0})
	}
	return f
}()

// series returns the sum of sign^i·z^i/(first+step·i)!.
func series(z pair, first, step int, sign float64) pair {
	s := pair{}
	for n := first + (len(inverseFactorial)-1-first)/step*step; n >= first; n -= step {
		s = s.mul(pair{z.hi * sign, z.lo * sign}).add(inverseFactorial[n])
	}
	return s
}

// multiple returns x - k·(parts), accurate where the difference is small.
func multiple(x, k float64, parts []float64) pair {
	r := pair{math.FMA(-k, parts[0], x), 0} // exact, see the generator
	for _, p := range parts[1:] {
		r = r.add(product2(-k, p))
	}
	return r
}

// A value is m·2^e.
type value struct {
	m pair
	e int
}

func refExp(x float64) value {
	x = max(-760, min(760, x)) // over- and underflow are far inside
	k := math.RoundToEven(x / math.Ln2)
	return value{series(multiple(x, k, ln2), 0, 1, 1), int(k)}
}

// refExpm1 is for x ≥ 0.
func refExpm1(x float64) pair {
	if x < 0.5 {
		return series(pair{x, 0}, 1, 1, 1).mul(pair{x, 0})
	}
	v := refExp(x)
	p := pair{math.Ldexp(v.m.hi, v.e), math.Ldexp(v.m.lo, v.e)}
	return p.add(pair{-1, 0})
}

func refLog(x float64) value {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := sum2(m, -1).div(sum2(m, 1))
	z, y := s.mul(s), pair{}
	for n := 51; n > 0; n -= 2 {
		y = y.mul(z).add(pair{1, 0}.div(pair{float64(n), 0}))
	}
	y = y.mul(s).mul(pair{2, 0})
	k := float64(e)
	for i := len(ln2) - 1; i >= 0; i-- {
		y = y.add(product2(k, ln2[i]))
	}
	return value{y, 0}
}

func refTanh(x float64) value {
	a := math.Abs(x)
	if a < 1e-150 {
		return value{pair{x, 0}, 0}
	}
	t := pair{1, 0}
	if a < 40 {
		e := refExpm1(2 * a)
		t = e.div(e.add(pair{2, 0}))
	}
	if x < 0 {
		t = t.neg()
	}
	return value{t, 0}
}

// refSinShifted returns sin(x + shift·π/2) for |x| ≤ 2^30.
func refSinShifted(x float64, shift int) value {
	k := math.RoundToEven(x * (2 / math.Pi))
	r := multiple(x, k, halfPi)
	q := (int(k) + shift) & 3
	z := r.mul(r)
	var y pair
	switch {
	case q&1 == 1:
		y = series(z, 0, 2, -1)
	case math.Abs(x) < 1e-150:
		y = r
	default:
		y = series(z, 1, 2, -1).mul(r)
	}
	if q&2 != 0 {
		y = y.neg()
	}
	return value{y, 0}
}

func refSin(x float64) value { return refSinShifted(x, 0) }
func refCos(x float64) value { return refSinShifted(x, 1) }

// ulps64 returns |got - want| in units of the last place of want.
func ulps64(got float64, want value) float64 {
	m := want.m
	if got == 0 && m.hi == 0 {
		return 0
	}
	_, e := math.Frexp(m.hi)
	e += want.e
	if math.IsInf(got, 0) {
		// An infinity stands for 2^1024, where the next number would be.
		if e > 1024 && math.Signbit(got) == math.Signbit(m.hi) {
			return 0
		}
		got = math.Copysign(math.Ldexp(1, 1023), got)
		return math.Abs(math.Ldexp(math.Ldexp(got, -want.e)*2-m.hi-m.lo, want.e-971))
	}
	last := max(e-53, -1074)
	d := (math.Ldexp(got, -want.e) - m.hi) - m.lo
	return math.Abs(math.Ldexp(d, want.e-last))
}

// ulps32 is ulps64 for float32, with a want in float64.
func ulps32(got float32, want float64) float64 {
	_, e := math.Frexp(want)
	if math.IsInf(float64(got), 0) {
		if (e > 128 || math.IsInf(want, 0)) && (got > 0) == (want > 0) {
			return 0
		}
		return math.Abs(math.Ldexp(math.Copysign(0x1p128, float64(got))-want, -104))
	}
	if want == 0 {
		return math.Ldexp(math.Abs(float64(got)), 149)
	}
	last := max(e-24, -149)
	return math.Abs(math.Ldexp(float64(got)-want, -last))
}

// golden holds values of the functions as m·2^e, from mpmath 1.4.1 with 400
// bits. Among the arguments are those where the functions turn hard: the ends
// of the range, neighbours of 1, neighbours of multiples of π/2.
var golden = []struct {
	name string
	x    float64
	m    pair
	e    int
}{
	{"Exp", 1e-300, pair{0x1p+0, 0}, 0},
	{"Exp", 0.34657359027997264, pair{0x1.6a09e667f3bccp+0, 0x1.f68d3de197eeap-54}, 0},
	{"Exp", 1.0, pair{0x1.5bf0a8b145769p+0, 0x1.4d57ee2b1013ap-54}, 1},
	{"Exp", -20.5, pair{0x1.57a3afeed00abp+0, 0x1.3f4d19cefc8abp-54}, -30},
	{"Exp", 88.72283905206835, pair{0x1.fffffdffffff5p+0, 0x1.0d8768b722976p-54}, 127},
	{"Exp", 709.782712893384, pair{0x1.fffffffffff2ap+0, 0x1.b0e263400d16p-56}, 1023},
	{"Exp", -708.3964185322641, pair{0x1.000000000007cp+0, -0x1.0c013e41c0952p-54}, -1022},
	{"Exp", -745.1332191019411, pair{0x1.00000000001bfp+0, -0x1.cf9c6a6b90c7bp-55}, -1075},
	{"Exp", -700.25, pair{0x1.af5fe9a485c8ep+0, 0x1.5bfda61764fecp-54}, -1011},
	{"Log", 5e-324, pair{-0x1.74385446d71c3p+0, -0x1.8e569fa8ee781p-54}, 9},
	{"Log", 1e-310, pair{-0x1.64e69394d9508p+0, -0x1.35918fe61c196p-56}, 9},
	{"Log", 1.0000000000000002, pair{0x1.fffffffffffffp+0, 0x1.5555555555554p-105}, -53},
	{"Log", 0.9999999999999999, pair{-0x1p+0, -0x1p-54}, -53},
	{"Log", 0.7071067811865475, pair{-0x1.62e42fefa39f1p+0, 0x1.8d8f957c3d43cp-55}, -2},
	{"Log", 1.414213562373095, pair{0x1.62e42fefa39eep+0, -0x1.8d6e518e495a3p-54}, -2},
	{"Log", 1e+300, pair{0x1.5963447f87fb5p+0, 0x1.abccc0710fcd4p-55}, 9},
	{"Log", 0.5000000000000001, pair{-0x1.62e42fefa39edp+0, -0x1.abc9e3b398047p-55}, -1},
	{"Log", 3.0, pair{0x1.193ea7aad030bp+0, -0x1.a256f99caabebp-54}, 0},
	{"Tanh", 1e-200, pair{0x1.87e92154ef7acp+0, 0}, -665},
	{"Tanh", 1e-08, pair{0x1.5798ee2308c3ap+0, -0x1.9ca58cce0be35p-55}, -27},
	{"Tanh", 0.1, pair{0x1.983d7795f413ap+0, 0x1.0562af1da747bp-54}, -4},
	{"Tanh", 0.5624999999999999, pair{0x1.05086f2f6d4b6p+0, -0x1.ff812a4a9922p-56}, -1},
	{"Tanh", 0.5625, pair{0x1.05086f2f6d4b7p+0, -0x1.8a0a7d907e654p-54}, -1},
	{"Tanh", 1.0, pair{0x1.85efab514f394p+0, 0x1.5618caf8a4f11p-54}, -1},
	{"Tanh", 5.0, pair{0x1.fff419668df11p+0, 0x1.a800b7186cb57p-55}, -1},
	{"Tanh", 19.06, pair{0x1.fffffffffffffp+0, 0x1.fe69b67ca73ffp-54}, -1},
	{"Tanh", -0.75, pair{-0x1.45323e552f228p+0, -0x1.39d5832bf78fbp-55}, -1},
	{"Cos", 1e-09, pair{0x1p+1, -0x1.2725dd1d243acp-60}, -1},
	{"Cos", 0.7853981633974483, pair{0x1.6a09e667f3bcdp+0, -0x1.ec4c7696139d5p-55}, -1},
	{"Cos", 1.5707963267948966, pair{0x1.1a62633145c07p+0, -0x1.f1976b7ed8fbcp-56}, -54},
	{"Cos", 3.0, pair{-0x1.fae04be85e5d2p+0, -0x1.83effc17efb54p-54}, -1},
	{"Cos", 100000.0, pair{-0x1.ffac3841b3da7p+0, -0x1.b085bf2c1a978p-55}, -1},
	{"Cos", 835805151.0419843, pair{0x1.ae711654343adp+0, 0x1.507762788b322p-54}, -38},
	{"Cos", 574294682.4292161, pair{-0x1p+1, 0x1.5c8a08f321892p-73}, -1},
	{"Cos", 1000000000.0, pair{0x1.acff8c7364234p+0, -0x1.f8b0e8a7df5a3p-54}, -1},
	{"Cos", -2.5, pair{-0x1.9a2f7ef858b7dp+0, -0x1.587cfaa17e973p-55}, -1},
	{"Sin", 1e-09, pair{0x1.12e0be826d695p+0, -0x1.a68cd9e985016p-63}, -30},
	{"Sin", 0.7853981633974483, pair{0x1.6a09e667f3bccp+0, 0x1.7a7fb8d4bd43fp-54}, -1},
	{"Sin", 1.5707963267948966, pair{0x1p+1, -0x1.377ce858a5d48p-108}, -1},
	{"Sin", 3.0, pair{0x1.210386db6d55bp+0, 0x1.3c7205d08d063p-54}, -3},
	{"Sin", 100000.0, pair{0x1.24daa9c527e96p+0, 0x1.c767d8e3e1ca8p-55}, -5},
	{"Sin", 835805151.0419843, pair{0x1p+1, -0x1.69e00c7bcbdf3p-75}, -1},
	{"Sin", 574294682.4292161, pair{0x1.a66f959d79a6dp+0, 0x1.892b66fd79b5bp-54}, -37},
	{"Sin", 1000000000.0, pair{0x1.1778cae83c69bp+0, 0x1.c7b04e0a2a2ddp-57}, -1},
	{"Sin", -2.5, pair{-0x1.326af0dcfcab1p+0, 0x1.fd42734161659p-54}, -1},
}

func TestReference(t *testing.T) {
	for _, g := range golden {
		for _, f := range functions {
			if f.name != g.name {
				continue
			}
			got := f.ref(g.x)
			d := pair{math.Ldexp(got.m.hi, got.e-g.e), math.Ldexp(got.m.lo, got.e-g.e)}.add(g.m.neg())
			if r := math.Abs(d.hi / g.m.hi); !(r < 0x1p-92) {
				t.Errorf("%s(%v): relative error 2^%.1f", g.name, g.x, math.Log2(r))
			}
		}
	}
}
