package main

import "github.com/mmcloughlin/avo/operand"

// Cosine and sine of the same argument, times a factor: one reduction and both
// polynomials of cos.go serve both. The quadrant k of the sine is reduced with
// the offset 0. That of the cosine alone has the offset 1, which would round a
// tie of a·2/π to another k; there are none: 2/π rounded to the format has an
// odd significand of 24 or 52 bits and more, which would have to divide 2k+1,
// so that a were far above the limit.
func emitSinCos(t *target, _ op) {
	unroll := 1
	if t.wide {
		unroll = 2
	}
	sine := &trig{sine: true, left: t.GP64()}
	x := t.Load(t.Param("x").Base(), t.GP64())
	cos := t.Load(t.Param("cos").Base(), t.GP64())
	sin := t.Load(t.Param("sin").Base(), t.GP64())
	n := t.Load(t.Param("x").Len(), t.GP64())
	t.XORQ(sine.left, sine.left)
	block := unroll * t.lanes()

	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(block)))
	t.JLT(operand.LabelRef("tail"))
	in := t.vecs(unroll)
	for i, v := range in {
		t.load(v, operand.Mem{Base: x, Disp: i * t.width()})
	}
	c, s := sine.both(t, in)
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
	t.TESTQ(n, n)
	t.JZ(operand.LabelRef("done"))
	tail := t.tail(n, unroll)
	in = t.vecs(unroll)
	for i, v := range in {
		tail.load(v, operand.Mem{Base: x, Disp: i * t.width()}, i)
	}
	c, s = sine.both(t, in)
	for i := range in {
		tail.store(operand.Mem{Base: cos, Disp: i * t.width()}, c[i], i)
		tail.store(operand.Mem{Base: sin, Disp: i * t.width()}, s[i], i)
	}

	t.Label("done")
	t.TESTL(sine.left.As32(), sine.left.As32())
	r := t.GP8()
	t.SETNE(r)
	t.Store(r, t.ReturnIndex(0))
	t.VZEROUPPER()
	t.RET()
}

// both returns a·cos(x) and a·sin(x), and x in place of both above the limit.
func (c *trig) both(t *target, x []vec) (cos, sin []vec) {
	a, abs := t.vecs(len(x)), t.absBits()
	for i := range x {
		t.and(a[i], x[i], abs)
	}
	q, r, s := c.reduce(t, a)
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
		t.collect(c.left, far)
	}
	return cos, sin
}

// sinCosPolys returns cos(r+s) and sin(r+s), by the operations of trigPolys.
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
