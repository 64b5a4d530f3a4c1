package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gatherPrefix emits gathers of one vector each, as far as whole ones go, at AVX2, and at
// AVX-512, where a gather waits for each of its elements, compressions of what is
// kept of one vector of x after the other. What lies behind the elements of one is
// overwritten by the next.
func gatherPrefix(t *target, _ op) {
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	n := t.Load(t.Param("dst").Len(), t.GP64())
	scale := t.arg("a")
	x := t.Load(t.Param("x").Base(), t.GP64())
	done := t.GP64()
	t.XORQ(done, done)
	if t.wide {
		t.compressions(dst, n, scale, x, done)
	} else {
		t.gathers(dst, n, scale, x, done)
	}
	t.Label("done")
	t.VZEROUPPER()
	t.Store(done, t.ReturnIndex(0))
	t.RET()
}

func (t *target) gathers(dst, n reg.Register, scale vec, x, done reg.Register) {
	index := t.Load(t.Param("index").Base(), t.GP64())
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
}

func (t *target) compressions(dst, n reg.Register, scale vec, x, done reg.Register) {
	kept := t.Load(t.Param("kept").Base(), t.GP64())
	left := t.Load(t.Param("x").Len(), t.GP64())
	t.SUBQ(operand.U32(uint32(t.lanes())), n) // the last place that a vector fits
	t.JLT(operand.LabelRef("done"))
	t.Label("vector")
	t.SUBQ(operand.U32(uint32(t.lanes())), left)
	t.JLT(operand.LabelRef("done"))
	bits, mask, got := t.GP64(), t.K(), t.vec()
	if t.bits == 32 {
		t.MOVWLZX(operand.Mem{Base: kept}, bits.As32())
		t.KMOVW(bits.As32(), mask)
	} else {
		t.MOVBLZX(operand.Mem{Base: kept}, bits.As32())
		t.KMOVB(bits.As32(), mask)
	}
	by(t, t.VMULPS, t.VMULPD)(operand.Mem{Base: x}, scale, got)
	by(t, t.VCOMPRESSPS_Z, t.VCOMPRESSPD_Z)(got, mask, got)
	t.store(operand.Mem{Base: dst, Index: done, Scale: uint8(t.size())}, got)
	t.POPCNTL(bits.As32(), bits.As32())
	t.ADDQ(bits, done)
	t.ADDQ(operand.U32(uint32(t.width())), x)
	t.ADDQ(operand.U32(uint32(t.lanes()/8)), kept)
	t.CMPQ(done, n)
	t.JLE(operand.LabelRef("vector"))
}

// gather emits dst[l] = x[index[l]] for the lanes l of one vector at AVX2, index of
// int32.
func (t *target) gather(dst vec, x reg.Register, index operand.Mem) {
	at := t.vec()
	switch { // the indices of eight bytes take half a vector
	case t.bits == 32:
		t.VMOVDQU(index, at)
	default:
		at = t.XMM()
		t.VMOVDQU(index, at)
	}
	t.xor(dst, dst, dst) // what it held must not be waited for
	from := operand.Mem{Base: x, Index: at, Scale: uint8(t.size())}
	all := t.vec()
	t.VPCMPEQD(all, all, all)
	by(t, t.VGATHERDPS, t.VGATHERDPD)(all, from, dst)
}

var gatherOps = []op{{
	name:   "gatherPrefix",
	result: "int",
	params: []param{{"dst", "[]F"}, {"a", "F"}, {"x", "[]F"}, {"index", "[]int32"}, {"kept", "[]uint64"}},
	doc: []string{
		"n := … // as many as whole vectors have",
		"for l := range n {", "\tdst[l] = a * x[index[l]]", "}",
		"return n",
	},
	emit: gatherPrefix,
}}
