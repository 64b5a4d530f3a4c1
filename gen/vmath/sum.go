package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// laneBytes is the size of the partial sums of a reduction: 64 of float32, 32
// of float64, in eight vectors of AVX2 or four of AVX-512.
const laneBytes = 256

// reduction emits a sum over blocks of lanes. Element i goes to lane
// i mod lanes, products are rounded before they are added, and the lanes are
// folded in halves: lane j gets lane j + lanes/2, then j + lanes/4, and so on.
// At last 0 is added, which makes -0 into +0; so lanes past the end of a tail
// may or may not take part.
//
// meet makes a term of two elements, in place of the first; it is nil for a sum of one slice.
func reduction(meet func(t *target) func(v, w vec), in ...string) func(t *target, o op) {
	return func(t *target, _ op) {
		var met func(v, w vec)
		if meet != nil {
			met = meet(t)
		}
		vectors := laneBytes / t.width()
		block := laneBytes / t.size()
		ptr := make([]reg.Register, len(in))
		for s, name := range in {
			ptr[s] = t.Load(t.Param(name).Base(), t.GP64())
		}
		n := t.Load(t.Param(in[0]).Len(), t.GP64())
		acc := make([]vec, vectors)
		for i := range acc {
			acc[i] = t.zero()
		}
		step := func(load func(dst vec, m operand.Mem, i int)) {
			for i := range acc {
				v := t.vec()
				load(v, operand.Mem{Base: ptr[0], Disp: i * t.width()}, i)
				if met != nil {
					w := t.vec()
					load(w, operand.Mem{Base: ptr[1], Disp: i * t.width()}, i)
					met(v, w)
				}
				t.add(acc[i], acc[i], v)
			}
		}
		t.Label("block")
		t.CMPQ(n, operand.U32(uint32(block)))
		t.JLT(operand.LabelRef("tail"))
		step(func(dst vec, m operand.Mem, _ int) { t.load(dst, m) })
		for _, p := range ptr {
			t.ADDQ(operand.U32(laneBytes), p)
		}
		t.SUBQ(operand.U32(uint32(block)), n)
		t.JMP(operand.LabelRef("block"))
		t.Label("tail")
		t.TESTQ(n, n)
		t.JZ(operand.LabelRef("fold"))
		step(t.tail(n, vectors).load)
		t.Label("fold")
		t.fold(acc)
	}
}

// product is v·w.
func product(t *target) func(v, w vec) { return func(v, w vec) { t.mul(v, v, w) } }

// signed is v with the sign of b - w for a factor, and 0 where that is 0. What is past the end is 0 in v already.
func signed(t *target) func(v, w vec) {
	b, zero, bit := t.arg("b"), t.zero(), t.signBit()
	return func(v, w vec) {
		t.sub(w, b, w)
		none := t.compare(w, equal, zero)
		t.and(w, w, bit)
		t.xor(v, v, w)
		t.where(none, v, zero)
	}
}

// fold adds up the lanes of the accumulators and returns from the function.
func (t *target) fold(acc []vec) {
	for h := len(acc) / 2; h > 0; h /= 2 {
		for i := range h {
			t.add(acc[i], acc[i], acc[i+h])
		}
	}
	y := acc[0].AsY()
	if t.wide {
		upper := t.YMM()
		t.VEXTRACTF64X4(operand.U8(1), acc[0], upper)
		by(t, t.VADDPS, t.VADDPD)(upper, y, y)
	}
	x, upper := acc[0].AsX(), t.XMM()
	t.VEXTRACTF128(operand.U8(1), y, upper)
	by(t, t.VADDPS, t.VADDPD)(upper, x, x)
	if t.bits == 32 {
		t.VMOVHLPS(x, x, upper)
		t.VADDPS(upper, x, x)
		t.VMOVSHDUP(x, upper)
		t.VADDSS(upper, x, x)
	} else {
		t.VUNPCKHPD(x, x, upper)
		t.VADDSD(upper, x, x)
	}
	zero := t.XMM()
	t.VXORPS(zero, zero, zero)
	by(t, t.VADDSS, t.VADDSD)(zero, x, x)
	t.VZEROUPPER()
	t.Store(x, t.ReturnIndex(0))
	t.RET()
}

// finite emits the search for the first block with a NaN or an infinity: 0
// times a number is 0 where the number is finite and NaN elsewhere.
func finite(t *target, _ op) {
	const vectors = 4
	block := vectors * t.lanes()
	ptr := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("x").Len(), t.GP64())
	done := t.GP64()
	t.XORQ(done, done)
	zero := t.zero()
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JLT(operand.LabelRef("end"))
	t.Label("block")
	acc := t.vecs(vectors)
	for i := range acc {
		t.load(acc[i], operand.Mem{Base: ptr, Disp: i * t.width()})
		t.mul(acc[i], acc[i], zero)
	}
	t.add(acc[0], acc[0], acc[1])
	t.add(acc[2], acc[2], acc[3])
	t.add(acc[0], acc[0], acc[2])
	found := t.GP64()
	t.XORL(found.As32(), found.As32())
	t.collect(found, t.compare(acc[0], unordered, acc[0]))
	t.JNZ(operand.LabelRef("end"))
	t.ADDQ(operand.U32(uint32(block)), done)
	t.ADDQ(operand.U32(uint32(vectors*t.width())), ptr)
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JGE(operand.LabelRef("block"))
	t.Label("end")
	t.VZEROUPPER()
	t.Store(done, t.ReturnIndex(0))
	t.RET()
}

var sumOps = []op{
	{
		name:   "dot",
		params: []param{{"x", "[]F"}, {"y", "[]F"}},
		result: "F",
		doc: []string{
			"var lane [256 / unsafe.Sizeof(x[0])]F",
			"for i := range x {", "\tlane[i%len(lane)] += F(x[i] * y[i])", "}",
			"return fold(lane[:])",
		},
		emit: reduction(product, "x", "y"),
	},
	{
		name:   "signDot",
		params: []param{{"x", "[]F"}, {"y", "[]F"}, {"b", "F"}},
		result: "F",
		doc: []string{
			"var lane [256 / unsafe.Sizeof(x[0])]F",
			"for i := range x {", "\tlane[i%len(lane)] += x[i] * sign(b-y[i]) // 0 where that is 0", "}",
			"return fold(lane[:])",
		},
		emit: reduction(signed, "x", "y"),
	},
	{
		name:   "sum",
		params: []param{{"x", "[]F"}},
		result: "F",
		doc: []string{
			"var lane [256 / unsafe.Sizeof(x[0])]F",
			"for i := range x {", "\tlane[i%len(lane)] += x[i]", "}",
			"return fold(lane[:])",
		},
		emit: reduction(nil, "x"),
	},
	{
		name:   "finitePrefix",
		params: []param{{"x", "[]F"}},
		result: "int",
		doc: []string{
			"n := 0",
			"for n+block <= len(x) && finitePlain(x[n:n+block]) < 0 {",
			"\tn += block // 128 bytes at AVX2, 256 at AVX-512",
			"}",
			"return n",
		},
		emit: finite,
	},
}
