package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Cosine and sine, of a = |x| ≤ limit. With k = round(a·2/π) and r + s =
// a - k·π/2, s small beside r or r tiny,
//
//	cos(x) = cos(r+s), -sin(r+s), -cos(r+s), sin(r+s)  for k mod 4 = 0, 1, 2, 3
//	sin(r+s) ≈ r + (s·(1 - z/2) + r·z·S(z))            z = r²
//	cos(r+s) ≈ 1 - z/2 + (z²·C(z) - r·s)
//
// π/2 is the sum of three numbers. The fused a - k·P1 is exact, as both are
// multiples of the last place of P1 where a ≥ 1, of half of it where a < 1, and
// the difference is below 0.8. k·P2 is the sum h + l of two numbers; r is the
// rounded a - k·P1 - h, and s collects its error, l, and k·P3. (a - k·P1) - r
// - h is without error even where h is the larger, since a - k·P1 is a
// multiple of the last place of h.
//
// What is left of π/2 beyond P1 + P2 + P3, times k, is below 2^-58 for float32
// and 2^-133 for float64. Multiples of π/2 keep a distance from the numbers of
// the format below the limit: by the continued fractions of 2^e·2/π, r is above
// 2^-28 and 2^-61.
//
// For float32 S has degree 2 with a relative error below 4.3e-9 (0.07 ulp) and
// C degree 2 with 1.3e-10; for float64 both have degree 5, with 3.8e-18 (0.04
// ulp) and 5.7e-20: minimax with coefficients in the format, by
//
//	fpminimax(sin(x), [|3,5,7|], [|SG...|], [1b-30;0.789], relative, x)
//	fpminimax(cos(x), [|4,6,8|], [|SG...|], [1b-30;0.789], relative, 1-x^2/2)
//	fpminimax(sin(x), [|3,5,…,13|], [|D...|], [1b-40;0.7855], relative, x)
//	fpminimax(cos(x), [|4,6,…,14|], [|D...|], [1b-40;0.7855], relative, 1-x^2/2)
//
// in Sollya 8. 0.789 is π/4 plus what the rounding of 2/π to float32 can add
// for a = limit.
var (
	sinPoly32 = []float64{-0x1.555544p-3, 0x1.1106dap-7, -0x1.99267ap-13}
	cosPoly32 = []float64{0x1.55554ap-5, -0x1.6c0c22p-10, 0x1.99e512p-16}
	sinPoly64 = []float64{
		-0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf222ep-13,
		0x1.71de355f05599p-19, -0x1.ae5e5471f55p-26, 0x1.5d8e3511cda67p-33,
	}
	cosPoly64 = []float64{
		0x1.555555555554bp-5, -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3eep-16,
		-0x1.27e4f7f19d4b2p-22, 0x1.1ee9dbd0d86a6p-29, -0x1.8fa681e385241p-37,
	}
	halfPi32 = [3]float64{0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50}
	halfPi64 = [3]float64{0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}
)

const (
	cosLimit32 = 1 << 17
	cosLimit64 = 1 << 30
)

// emitSinCos emits cosine and sine of the same argument, times a factor: one
// reduction and both polynomials serve both. Elements above the limit are left as
// they are, and reported in a general register.
func emitSinCos(t *target, _ op) {
	unroll := 1
	if t.wide {
		unroll = 2
	}
	left := t.GP64()
	x := t.Load(t.Param("x").Base(), t.GP64())
	cos := t.Load(t.Param("cos").Base(), t.GP64())
	sin := t.Load(t.Param("sin").Base(), t.GP64())
	n := t.Load(t.Param("x").Len(), t.GP64())
	t.XORQ(left, left)
	block := unroll * t.lanes()

	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(block)))
	t.JLT(operand.LabelRef("tail"))
	in := t.vecs(unroll)
	for i, v := range in {
		t.load(v, operand.Mem{Base: x, Disp: i * t.width()})
	}
	c, s := sinCos(t, in, left)
	for i := range in {
		t.store(operand.Mem{Base: cos, Disp: i * t.width()}, c[i])
		t.store(operand.Mem{Base: sin, Disp: i * t.width()}, s[i])
	}
	t.ADDQ(operand.U32(uint32(unroll*t.width())), x)
	t.ADDQ(operand.U32(uint32(unroll*t.width())), cos)
	t.ADDQ(operand.U32(uint32(unroll*t.width())), sin)
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JMP(operand.LabelRef("block"))

	t.Label("tail")
	t.CMPQ(n, operand.U32(0))
	t.JLE(operand.LabelRef("done"))
	tail := t.tail(n, 1)
	in = t.vecs(1)
	tail.load(in[0], operand.Mem{Base: x}, 0)
	c, s = sinCos(t, in, left)
	tail.store(operand.Mem{Base: cos}, c[0], 0)
	tail.store(operand.Mem{Base: sin}, s[0], 0)
	t.ADDQ(operand.U32(uint32(t.width())), x)
	t.ADDQ(operand.U32(uint32(t.width())), cos)
	t.ADDQ(operand.U32(uint32(t.width())), sin)
	t.SUBQ(operand.U32(uint32(t.lanes())), n)
	t.JMP(operand.LabelRef("tail"))

	t.Label("done")
	t.TESTL(left.As32(), left.As32())
	r := t.GP8()
	t.SETNE(r)
	t.Store(r, t.ReturnIndex(0))
	t.VZEROUPPER()
	t.RET()
}

// sinCos returns a·cos(x) and a·sin(x), and x in place of both above the limit.
func sinCos(t *target, x []vec, left reg.GPVirtual) (cos, sin []vec) {
	a, abs := t.vecs(len(x)), t.absBits()
	for i := range x {
		t.and(a[i], x[i], abs)
	}
	q, r, s := reduceTrig(t, a)
	cos, sin = sinCosPolys(t, r, s)
	for i := range x {
		odd, first := t.vec(), t.vec()
		t.shl(odd, q[i], t.bits-1)
		t.copyTo(first, sin[i])
		swap := t.signs(odd)
		t.where(swap, sin[i], cos[i])
		t.where(swap, cos[i], first)
	}
	sign, factor := t.signBit(), t.arg("a")
	limit := t.con(by[float64](t, cosLimit32, cosLimit64))
	for i := range x {
		// Bit 1 of the quadrant is the sign of the sine, bit 1 of the next
		// quadrant that of the cosine: the exclusive or of bits 0 and 1.
		low, high := t.vec(), t.vec()
		t.shl(low, q[i], t.bits-1)
		t.shl(high, q[i], t.bits-2)
		t.xor(low, low, high)
		t.and(low, low, sign)
		t.xor(cos[i], cos[i], low)
		t.xor(high, high, x[i])
		t.and(high, high, sign)
		t.xor(sin[i], sin[i], high)
		t.mul(cos[i], cos[i], factor)
		t.mul(sin[i], sin[i], factor)
		t.and(r[i], x[i], t.absBits())
		far := t.compare(r[i], greater, limit)
		t.where(far, cos[i], x[i])
		t.where(far, sin[i], x[i])
		t.collect(left, far)
	}
	return cos, sin
}

// reduce replaces a by k·π/2 less, the sum r + s, and returns the quadrant in
// the low bits of q.
func reduceTrig(t *target, a []vec) (q, r, s []vec) {
	n := len(a)
	q, r, s = t.vecs(n), t.vecs(n), t.vecs(n)
	k := t.vecs(n)
	magic, twoOverPi := t.con(t.magic(0)), t.con(2/math.Pi)
	for i := range a {
		t.copyTo(q[i], magic)
		t.addMul(q[i], a[i], twoOverPi)
		t.sub(k[i], q[i], magic)
	}
	parts := by(t, halfPi32, halfPi64)
	p1 := t.con(parts[0])
	for i := range a {
		t.subMul(a[i], k[i], p1)
	}
	p2, p3 := t.con(parts[1]), t.con(parts[2])
	for i := range a {
		h, l := t.vec(), t.vec()
		t.mul(h, k[i], p2)
		t.copyTo(l, k[i])
		t.mulSub(l, p2, h)
		t.sub(r[i], a[i], h)
		t.sub(s[i], a[i], r[i])
		t.sub(s[i], s[i], h)
		t.sub(s[i], s[i], l)
		t.subMul(s[i], k[i], p3)
	}
	return q, r, s
}

// sinCosPolys returns cos(r+s) and sin(r+s).
func sinCosPolys(t *target, r, s []vec) (cos, sin []vec) {
	n := len(r)
	z, w := t.vecs(n), t.vecs(n)
	half, one := t.con(0.5), t.con(1)
	for i := range r {
		t.mul(z[i], r[i], r[i])
		t.copyTo(w[i], one)
		t.subMul(w[i], z[i], half)
	}
	cos = t.poly(z, by(t, cosPoly32, cosPoly64))
	for i := range r {
		// e = 1 - w - z/2, the error of w.
		e, square := t.vec(), t.vec()
		t.sub(e, one, w[i])
		t.subMul(e, z[i], half)
		t.mul(square, z[i], z[i])
		t.horner(cos[i], square, e)
		t.subMul(cos[i], r[i], s[i])
		t.add(cos[i], cos[i], w[i])
	}
	sin = t.poly(z, by(t, sinPoly32, sinPoly64))
	for i := range r {
		t.mul(z[i], z[i], r[i])
		t.mul(sin[i], sin[i], z[i])
		t.addMul(sin[i], s[i], w[i])
		t.add(sin[i], sin[i], r[i])
	}
	return cos, sin
}

var sinCosOps = []op{
	{
		name:   "sinCos",
		params: []param{{"sin", "[]F"}, {"cos", "[]F"}, {"x", "[]F"}, {"a", "F"}},
		result: "bool",
		doc: []string{
			"left := false",
			"for i, v := range x {",
			"\tif math.Abs(float64(v)) > limit { // 1<<17 for float32, 1<<30 for float64",
			"\t\tcos[i], sin[i], left = v, v, true",
			"\t} else {",
			"\t\tcos[i] = a * F(math.Cos(float64(v)))",
			"\t\tsin[i] = a * F(math.Sin(float64(v)))",
			"\t}",
			"}",
			"return left",
		},
		emit: emitSinCos,
	},
}
