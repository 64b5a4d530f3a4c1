package main

import "github.com/mmcloughlin/avo/operand"

// narrow emits the conversion of float64 to float32, four vectors at a time and
// then one by one.
func narrow(t *target, _ op) {
	const unroll = 4
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	x := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("dst").Len(), t.GP64())
	lanes := t.width() / 8
	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(unroll*lanes)))
	t.JLT(operand.LabelRef("tail"))
	for i := range unroll {
		from := operand.Mem{Base: x, Disp: i * t.width()}
		to := operand.Mem{Base: dst, Disp: i * t.width() / 2}
		if t.wide {
			half := t.YMM()
			t.VCVTPD2PS(from, half)
			t.VMOVUPS(half, to)
		} else {
			half := t.XMM()
			t.VCVTPD2PSY(from, half)
			t.VMOVUPS(half, to)
		}
	}
	t.ADDQ(operand.U32(uint32(unroll*t.width())), x)
	t.ADDQ(operand.U32(uint32(unroll*t.width()/2)), dst)
	t.SUBQ(operand.U32(uint32(unroll*lanes)), n)
	t.JMP(operand.LabelRef("block"))

	t.Label("tail")
	t.TESTQ(n, n)
	t.JZ(operand.LabelRef("done"))
	one := t.XMM()
	t.VXORPS(one, one, one)
	t.VCVTSD2SS(operand.Mem{Base: x}, one, one)
	t.VMOVSS(one, operand.Mem{Base: dst})
	t.ADDQ(operand.U32(8), x)
	t.ADDQ(operand.U32(4), dst)
	t.DECQ(n)
	t.JMP(operand.LabelRef("tail"))
	t.Label("done")
	t.VZEROUPPER()
	t.RET()
}

var narrowOps = []op{{
	name:   "narrow",
	only:   32,
	params: []param{{"dst", "[]float32"}, {"x", "[]float64"}},
	doc:    []string{"for i := range dst {", "\tdst[i] = float32(x[i])", "}"},
	emit:   narrow,
}}
