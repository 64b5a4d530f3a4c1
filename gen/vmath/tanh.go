package main

// The hyperbolic tangent, of |x|; the sign of x is put on at the end.
//
//	tanh(x) = 1 - 2/(exp(2x) + 1)    for x ≥ 9/16
//	tanh(x) ≈ x + x·z·P(z), z = x²   for x < 9/16
//
// In the first case the quotient is below 1/2, and its errors count half or
// less. P has degree 4 for float32, where the relative error of the whole is
// below 1.4e-9 (0.03 ulp), and degree 10 for float64, 1.0e-18 (0.01 ulp):
// minimax with coefficients in the format, by
//
//	fpminimax(tanh(x), [|3,5,…,11|], [|SG...|], [1b-20;0.5625], relative, x)
//	fpminimax(tanh(x), [|3,5,…,23|], [|D...|], [1b-20;0.5625], relative, x)
//
// in Sollya 8.
var (
	tanhPoly32 = []float64{-0x1.555548p-2, 0x1.110c64p-3, -0x1.b9075ap-5, 0x1.58226p-6, -0x1.94bf44p-8}
	tanhPoly64 = []float64{
		-0x1.555555555554bp-2, 0x1.1111111110268p-3, -0x1.ba1ba1b9328e8p-5, 0x1.664f4848be627p-6,
		-0x1.226e2cf24e8b5p-7, 0x1.d6d2456e24304p-9, -0x1.7d8b7e03a37b1p-10, 0x1.346000c7ef1b8p-11,
		-0x1.e8048a1554aa7p-13, 0x1.5962f46968033p-14, -0x1.3d05af557da5fp-16,
	}
)

// tanhSmall is where the polynomial ends.
const tanhSmall = 0.5625

// tanh returns tanh(x) and leaves x as it is.
func (t *target) tanh(x []vec) []vec {
	y := t.tanhLarge(x)
	abs := t.absBits()
	a, z := t.vecs(len(x)), t.vecs(len(x))
	for i := range x {
		t.and(a[i], x[i], abs)
		t.mul(z[i], a[i], a[i])
	}
	p := t.poly(z, by(t, tanhPoly32, tanhPoly64))
	for i := range x {
		t.mul(z[i], z[i], a[i])
		t.horner(p[i], z[i], a[i])
	}
	limit := t.con(tanhSmall)
	for i := range x {
		t.where(t.compare(a[i], less, limit), y[i], p[i])
	}
	sign := t.signBit()
	for i := range x {
		s := t.vec()
		t.and(s, x[i], sign)
		t.or(y[i], y[i], s)
	}
	return y
}

// tanhLarge returns 1 - 2/(exp(2|x|) + 1). |x| is cut to where the result is 1.
func (t *target) tanhLarge(x []vec) []vec {
	cut := 10.0 // 1 - tanh(9.02) < 2^-25
	if t.bits == 64 {
		cut = 20 // 1 - tanh(19.07) < 2^-54
	}
	abs, limit := t.absBits(), t.con(cut)
	r := t.vecs(len(x))
	for i := range x {
		t.and(r[i], x[i], abs)
		t.min(r[i], limit, r[i])
		t.add(r[i], r[i], r[i])
	}
	// 0 ≤ k < 64 here: 2^k is a normal number, and its product exact.
	u, k := t.expReduce(r, t.bias())
	e := t.poly(r, by(t, expPoly32, expPoly64))
	for i := range e {
		if t.wide {
			by(t, t.VSCALEFPS, t.VSCALEFPD)(k[i], e[i], e[i])
		} else {
			t.shl(u[i], u[i], t.mantissa())
			t.mul(e[i], e[i], u[i])
		}
	}
	one, two := t.con(1), t.con(2)
	for i := range e {
		t.add(e[i], e[i], one)
		t.div(e[i], two, e[i])
		t.sub(e[i], one, e[i])
	}
	return e
}

var tanhOps = []op{
	{
		name:   "tanhScale",
		params: []param{{"row", "[]F"}, {"a", "F"}, {"b", "F"}},
		doc:    []string{"for j, s := range row {", "\trow[j] = F(math.Tanh(float64(F(a*s) + b)))", "}"},
		emit: elementwise{
			in: []string{"row"}, out: "row", unroll: [2]int{3, 4},
			body: func(t *target, in [][]vec) []vec {
				t.affine(in[0])
				return t.tanh(in[0])
			},
		}.emit,
	},
}
