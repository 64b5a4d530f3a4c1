package main

import "math"

// The natural logarithm. With x = 2^k·m, √½ ≤ m < √2, and f = m - 1 (exact),
//
//	log(x) = k·ln 2 + log(1 + f),  log(1 + f) ≈ f - f²/2 + f³·P(f).
//
// Near x = 1 k is 0 and the result is f plus a term that is small beside it.
//
// P has degree 7 for float32, where the relative error of log(1 + f) is below
// 8.0e-9 (0.14 ulp), and degree 19 for float64, 4.1e-18 (0.04 ulp), on
// [√½-1-2^-20, √2-1+2^-20]: minimax for the relative error, that is for the
// weight f³/log(1+f), by the exchange algorithm of Remez in 250 bits, each
// coefficient then rounded to the format.
var (
	logPoly32 = []float64{
		0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3, -0x1.547242p-3,
		0x1.22da16p-3, -0x1.0d854ep-3, 0x1.055b88p-3, -0x1.38b56ap-4,
	}
	logPoly64 = []float64{
		0x1.555555555556bp-2, -0x1.ffffffffffe7bp-3, 0x1.9999999994dcap-3, -0x1.555555556b1edp-3,
		0x1.249249275d263p-3, -0x1.fffffff3a54e4p-4, 0x1.c71c702e2fc59p-4, -0x1.99999aa0ddd79p-4,
		0x1.745d58cf86a09p-4, -0x1.555576b4cc8d6p-4, 0x1.3b0d78d3ed0f7p-4, -0x1.24894c2953f65p-4,
		0x1.116a005faebcfp-4, -0x1.00cfa4ab3ddd5p-4, 0x1.dc97bb0f28917p-5, -0x1.b45e7d681da00p-5,
		0x1.bbacd9743d572p-5, -0x1.0106bbf1c2adfp-4, 0x1.d2b0b5114459cp-5, -0x1.8dbe6b017814cp-6,
	}
)

// log returns log(x) and leaves x as it is.
func (t *target) log(x []vec) []vec {
	f, k := t.logReduce(x)
	p := t.poly(f, by(t, logPoly32, logPoly64))
	l1, l2 := t.ln2()
	// y = k·L1 + (f + (f³·P + k·L2 - f²/2)), where the two additions of the
	// inner bracket are fused with a product, and the last is exact for k = 0.
	ln2Low := t.con(l2)
	for i := range p {
		square := t.vec()
		t.mul(square, f[i], f[i])
		t.mul(square, square, f[i])
		t.mul(p[i], p[i], square)
		t.addMul(p[i], k[i], ln2Low)
	}
	half := t.con(0.5)
	for i := range p {
		h := t.vec()
		t.mul(h, f[i], half)
		t.subMul(p[i], h, f[i])
		t.add(p[i], p[i], f[i])
	}
	ln2High := t.con(l1)
	for i := range p {
		t.addMul(p[i], k[i], ln2High)
	}
	t.logSpecial(x, p)
	return p
}

// logReduce returns f and k. Subnormal x is multiplied by a power of two first.
func (t *target) logReduce(x []vec) (f, k []vec) {
	minNormal, shift := 0x1p-126, 25.0
	one, root, fraction := uint64(0x3f800000), uint64(math.Float32bits(math.Sqrt2/2)), uint64(1<<23-1)
	if t.bits == 64 {
		minNormal, shift = 0x1p-1022, 54
		one, root, fraction = 0x3ff<<52, math.Float64bits(math.Sqrt2/2), 1<<52-1
	}
	f, k = t.vecs(len(x)), t.vecs(len(x))
	for i := range x {
		t.copyTo(f[i], x[i])
		low := t.compare(x[i], less, t.con(minNormal))
		scaled := t.vec()
		t.mul(scaled, x[i], t.con(math.Ldexp(1, int(shift))))
		t.where(low, f[i], scaled)
		// An integer n < 2^mantissa in the low bits of 2^mantissa makes
		// 2^mantissa + n; what is taken off again is 2^mantissa + bias, and
		// the shift.
		offset := t.con(math.Ldexp(1, t.mantissa()) + t.bias())
		t.where(low, offset, t.con(math.Ldexp(1, t.mantissa())+t.bias()+shift))
		// Adding one - root carries into the exponent where m ≥ root.
		t.addInt(f[i], f[i], t.conBits(one-root))
		t.shr(k[i], f[i], t.mantissa())
		t.or(k[i], k[i], t.con(math.Ldexp(1, t.mantissa())))
		t.sub(k[i], k[i], offset)
		t.and(f[i], f[i], t.conBits(fraction))
		t.addInt(f[i], f[i], t.conBits(root))
		t.sub(f[i], f[i], t.con(1))
	}
	return f, k
}

// logSpecial puts right the logarithms y of the x that are not positive and
// finite.
func (t *target) logSpecial(x, y []vec) {
	inf := t.con(math.Inf(1))
	for i := range x {
		t.where(t.compare(x[i], notLess, inf), y[i], x[i]) // +Inf and NaN
	}
	zero, negInf := t.zero(), t.con(math.Inf(-1))
	for i := range x {
		t.where(t.compare(x[i], equal, zero), y[i], negInf)
	}
	nan := t.con(math.NaN())
	for i := range x {
		t.where(t.compare(x[i], less, zero), y[i], nan)
	}
}

var logOps = []op{{
	name:   "log",
	params: []param{{"dst", "[]F"}, {"x", "[]F"}},
	doc:    []string{"for i := range dst {", "\tdst[i] = F(math.Log(float64(x[i])))", "}"},
	emit: elementwise{
		in: []string{"x"}, out: "dst", unroll: [2]int{3, 4},
		body: func(t *target, in [][]vec) []vec { return t.log(in[0]) },
	}.emit,
}}
