package main

import "github.com/mmcloughlin/avo/operand"

// emitPrefetch emits a prefetch into the first level of cache for every line of x.
func emitPrefetch(t *target, _ op) {
	const line = 64
	x := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("x").Len(), t.GP64())
	t.SHLQ(operand.U8(uint8(t.bits/32+1)), n)
	t.Label("line")
	t.CMPQ(n, operand.U32(0))
	t.JLE(operand.LabelRef("done"))
	t.PREFETCHT0(operand.Mem{Base: x})
	t.ADDQ(operand.U32(line), x)
	t.SUBQ(operand.U32(line), n)
	t.JMP(operand.LabelRef("line"))
	t.Label("done")
	t.RET()
}

var prefetchOps = []op{{
	name:   "prefetch",
	params: []param{{"x", "[]F"}},
	doc:    []string{"for i := range x {", "\t_ = x[i]", "}"},
	emit:   emitPrefetch,
}}
