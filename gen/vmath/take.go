package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// take emits gathers of one vector each, as far as whole ones go.
func take(t *target, _ op) {
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	n := t.Load(t.Param("dst").Len(), t.GP64())
	index := t.Load(t.Param("index").Base(), t.GP64())
	scale := t.arg("a")
	x := t.Load(t.Param("x").Base(), t.GP64())
	done := t.GP64()
	t.XORQ(done, done)
	t.SUBQ(operand.U32(uint32(t.lanes())), n)
	t.JLT(operand.LabelRef("done"))
	t.Label("vector")
	got := t.vec()
	t.gather(got, x, operand.Mem{Base: index})
	t.mul(got, got, scale)
	t.store(operand.Mem{Base: dst}, got)
	t.ADDQ(operand.U32(uint32(t.width())), dst)
	t.ADDQ(operand.U32(uint32(4*t.lanes())), index)
	t.ADDQ(operand.U32(uint32(t.lanes())), done)
	t.SUBQ(operand.U32(uint32(t.lanes())), n)
	t.JGE(operand.LabelRef("vector"))
	t.Label("done")
	t.VZEROUPPER()
	t.Store(done, t.ReturnIndex(0))
	t.RET()
}

// gather emits dst[l] = x[index[l]] for the lanes l of one vector, index of int32.
func (t *target) gather(dst vec, x reg.Register, index operand.Mem) {
	at := t.vec()
	switch { // the indices of eight bytes take half a vector
	case t.bits == 32 && t.wide:
		t.VMOVDQU32(index, at)
	case t.bits == 32:
		t.VMOVDQU(index, at)
	case t.wide:
		at = t.YMM()
		t.VMOVDQU32(index, at)
	default:
		at = t.XMM()
		t.VMOVDQU(index, at)
	}
	t.xor(dst, dst, dst) // what it held must not be waited for
	from := operand.Mem{Base: x, Index: at, Scale: uint8(t.size())}
	emit := by(t, t.VGATHERDPS, t.VGATHERDPD)
	if t.wide {
		all := t.K()
		t.KXNORW(all, all, all)
		emit(from, all, dst)
		return
	}
	all := t.vec()
	t.VPCMPEQD(all, all, all)
	emit(all, from, dst)
}

var takeOps = []op{{
	name:   "takePrefix",
	result: "int",
	params: []param{{"dst", "[]F"}, {"a", "F"}, {"x", "[]F"}, {"index", "[]int32"}},
	doc: []string{
		"n := len(dst) / lanes * lanes // whole vectors",
		"for l := range n {", "\tdst[l] = a * x[index[l]]", "}",
		"return n",
	},
	emit: take,
}}
