package main

import "github.com/mmcloughlin/avo/operand"

// widen emits the conversion of float32 to float64, four vectors at a time and
// then one by one.
func widen(t *target, _ op) {
	const unroll = 4
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	x := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("dst").Len(), t.GP64())
	lanes := t.width() / 8
	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(unroll*lanes)))
	t.JLT(operand.LabelRef("tail"))
	for i := range unroll {
		v := t.vec()
		t.VCVTPS2PD(operand.Mem{Base: x, Disp: i * t.width() / 2}, v)
		t.VMOVUPD(v, operand.Mem{Base: dst, Disp: i * t.width()})
	}
	t.ADDQ(operand.U32(uint32(unroll*t.width()/2)), x)
	t.ADDQ(operand.U32(uint32(unroll*t.width())), dst)
	t.SUBQ(operand.U32(uint32(unroll*lanes)), n)
	t.JMP(operand.LabelRef("block"))

	t.Label("tail")
	t.TESTQ(n, n)
	t.JZ(operand.LabelRef("done"))
	one := t.XMM()
	t.VXORPS(one, one, one)
	t.VCVTSS2SD(operand.Mem{Base: x}, one, one)
	t.VMOVSD(one, operand.Mem{Base: dst})
	t.ADDQ(operand.U32(4), x)
	t.ADDQ(operand.U32(8), dst)
	t.DECQ(n)
	t.JMP(operand.LabelRef("tail"))
	t.Label("done")
	t.VZEROUPPER()
	t.RET()
}

var widenOps = []op{{
	name:   "widen",
	only:   32,
	params: []param{{"dst", "[]float64"}, {"x", "[]float32"}},
	doc:    []string{"for i := range dst {", "\tdst[i] = float64(x[i])", "}"},
	emit:   widen,
}}
