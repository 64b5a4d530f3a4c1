package main

import "github.com/mmcloughlin/avo/operand"

// stream emits a copy by stores that go around the cache, four vectors at a time. dst is aligned to
// 64 bytes, and its length a multiple of 256.
func stream(t *target, _ op) {
	const unroll = 4
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	x := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("dst").Len(), t.GP64())
	t.SHLQ(operand.U8(uint8(t.bits/32+1)), n)
	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(unroll*t.width())))
	t.JLT(operand.LabelRef("done"))
	for i := range unroll {
		v := t.vec()
		t.VMOVUPS(operand.Mem{Base: x, Disp: i * t.width()}, v)
		t.VMOVNTPS(v, operand.Mem{Base: dst, Disp: i * t.width()})
	}
	t.ADDQ(operand.U32(uint32(unroll*t.width())), x)
	t.ADDQ(operand.U32(uint32(unroll*t.width())), dst)
	t.SUBQ(operand.U32(uint32(unroll*t.width())), n)
	t.JMP(operand.LabelRef("block"))
	t.Label("done")
	t.SFENCE()
	t.VZEROUPPER()
	t.RET()
}

var streamOps = []op{{
	name:   "stream",
	params: []param{{"dst", "[]F"}, {"x", "[]F"}},
	doc:    []string{"copy(dst, x)"},
	emit:   stream,
}}
