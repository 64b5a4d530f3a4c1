package main

import "math"

// The exponential. With k = round(x/ln 2) and r = x - k·ln 2,
//
//	exp(x) = 2^k·exp(r),  exp(r) ≈ 1 + r + r²·Q(r),  |r| ≤ 0.3466.
//
// ln 2 is the sum of two numbers. The first product is a multiple of the last
// place of ln 2, as x is where |x| ≥ 1/2, and the difference is below 0.35, so
// the fused x - k·L1 is exact; x - k·L1 - k·L2 is rounded once.
//
// Q has degree 4 for float32, where the relative error of the whole is below
// 3.3e-9 (0.06 ulp), and degree 9 for float64, 3.8e-18 (0.04 ulp): minimax with
// coefficients in the format, by
//
//	fpminimax(exp(x), [|2,…,6|], [|SG...|], [-0.3466;0.3466], relative, 1+x)
//	fpminimax(exp(x), [|2,…,11|], [|D...|], [-0.3466;0.3466], relative, 1+x)
//
// in Sollya 8.
var (
	expPoly32 = []float64{1, 1, 0x1.fffffap-2, 0x1.555492p-3, 0x1.555a26p-5, 0x1.12397ep-7, 0x1.694c8ep-10}
	expPoly64 = []float64{
		1, 1, 0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506bcp-5, 0x1.1111111126b36p-7,
		0x1.6c16c18477083p-10, 0x1.a01a012fee99cp-13, 0x1.a019995efb00fp-16, 0x1.71df18ef76144p-19,
		0x1.28adfccb26cd8p-22, 0x1.ad92e899366cbp-26,
	}
)

// ln 2 = L1 + L2, nearest numbers of the format.
func (t *target) ln2() (l1, l2 float64) {
	if t.bits == 32 {
		return 0x1.62e43p-1, -0x1.05c61p-29
	}
	return 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
}

// exp replaces x by exp(x).
//
// x is cut to [lo, hi] first; exp(lo) rounds to 0 and exp(hi) to +Inf. NaN
// passes the cut and every later operation.
func (t *target) exp(x []vec) []vec {
	lo, hi := -104.0, 89.0 // exp(-103.98) < 2^-150, exp(88.73) > 2^128
	if t.bits == 64 {
		lo, hi = -746, 710 // exp(-745.14) < 2^-1075, exp(709.79) > 2^1024
	}
	cut := t.con(lo)
	for i := range x {
		t.max(x[i], cut, x[i])
	}
	cut = t.con(hi)
	for i := range x {
		t.min(x[i], cut, x[i])
	}
	u, k := t.expReduce(x, 2*t.bias())
	p := t.poly(x, by(t, expPoly32, expPoly64))
	if t.wide {
		for i := range p {
			by(t, t.VSCALEFPS, t.VSCALEFPD)(k[i], p[i], p[i])
		}
		return p
	}
	// u holds k + 2·bias. Of its halves the lower and upper, u1 = ⌊u/2⌋ and
	// u - u1, each is the exponent field of a power of two, 2^⌊k/2⌋ and
	// 2^⌈k/2⌉. The first product is exact, so that the second rounds once,
	// into the subnormal numbers too. The high bits of u are those of the
	// magic number; the shifts drop them.
	for i := range p {
		half := k[i]
		t.shr(half, u[i], 1)
		t.subInt(u[i], u[i], half)
		t.shl(half, half, t.mantissa())
		t.shl(u[i], u[i], t.mantissa())
		t.mul(p[i], p[i], half)
		t.mul(p[i], p[i], u[i])
	}
	return p
}

// expReduce replaces x by r and returns k, as a number and as an integer plus
// offset in the low bits of u.
func (t *target) expReduce(x []vec, offset float64) (u, k []vec) {
	u, k = t.vecs(len(x)), t.vecs(len(x))
	magic := t.con(t.magic(offset))
	log2e := t.con(math.Log2E)
	for i := range x {
		t.copyTo(u[i], magic)
		t.addMul(u[i], x[i], log2e)
	}
	for i := range x {
		t.sub(k[i], u[i], magic)
	}
	l1, l2 := t.ln2()
	for _, l := range []float64{l1, l2} {
		c := t.con(l)
		for i := range x {
			t.subMul(x[i], k[i], c)
		}
	}
	return u, k
}

// affine replaces s by a·s + b, rounded after the product and after the sum.
func (t *target) affine(s []vec) {
	a := t.arg("a")
	for i := range s {
		t.mul(s[i], s[i], a)
	}
	b := t.arg("b")
	for i := range s {
		t.add(s[i], s[i], b)
	}
}

var expOps = []op{
	{
		name:   "exp",
		params: []param{{"dst", "[]F"}, {"x", "[]F"}},
		doc:    []string{"for i := range dst {", "\tdst[i] = F(math.Exp(float64(x[i])))", "}"},
		emit: elementwise{
			in: []string{"x"}, out: "dst", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec { return t.exp(in[0]) },
		}.emit,
	},
	{
		name:   "expScale",
		params: []param{{"row", "[]F"}, {"a", "F"}, {"b", "F"}},
		doc:    []string{"for j, s := range row {", "\trow[j] = F(math.Exp(float64(F(a*s) + b)))", "}"},
		emit: elementwise{
			in: []string{"row"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				t.affine(in[0])
				return t.exp(in[0])
			},
		}.emit,
	},
	{
		name:   "rbfRow",
		params: []param{{"row", "[]F"}, {"xx", "F"}, {"yy", "[]F"}, {"a", "F"}},
		doc: []string{
			"for j, s := range row {",
			"\trow[j] = F(math.Exp(float64(a * max(0, (xx+yy[j])-2*s))))",
			"}",
		},
		emit: elementwise{
			in: []string{"row", "yy"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				d := t.distance2(in[0], in[1])
				a := t.arg("a")
				for i := range d {
					t.mul(d[i], d[i], a)
				}
				return t.exp(d)
			},
		}.emit,
	},
}
