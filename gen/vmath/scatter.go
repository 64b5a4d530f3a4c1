package main

import "github.com/mmcloughlin/avo/operand"

// scatterLanes is how many rows go side by side: 64 bytes, one line of cache.
const scatterLanes = 8

// emitScatterAdd adds products of all pairs of two lists into a table. An element of
// the lists and of the table is scatterLanes numbers. The product is rounded
// before the sum.
func emitScatterAdd(t *target, _ op) {
	sum := t.Load(t.Param("sum").Base(), t.GP64())
	from := t.Load(t.Param("from").Base(), t.GP64())
	to := t.Load(t.Param("to").Base(), t.GP64())
	x := t.Load(t.Param("x").Base(), t.GP64())
	y := t.Load(t.Param("y").Base(), t.GP64())
	outer := t.Load(t.Param("from").Len(), t.GP64())
	inner := t.Load(t.Param("to").Len(), t.GP64())
	vectors := scatterLanes * 8 / t.width()

	t.TESTQ(inner, inner)
	t.JZ(operand.LabelRef("done"))
	t.Label("outer")
	t.TESTQ(outer, outer)
	t.JZ(operand.LabelRef("done"))
	a := t.vecs(vectors)
	for i, v := range a {
		t.load(v, operand.Mem{Base: x, Disp: i * t.width()})
	}
	base, z, k := t.GP64(), t.GP64(), t.GP64()
	t.MOVQ(operand.Mem{Base: from}, base)
	t.LEAQ(operand.Mem{Base: sum, Index: base, Scale: 8}, base)
	t.MOVQ(y, z)
	t.XORQ(k, k)

	t.Label("inner")
	at := t.GP64()
	t.MOVQ(operand.Mem{Base: to, Index: k, Scale: 8}, at)
	for i := range vectors {
		p, q := t.vec(), t.vec()
		t.load(p, operand.Mem{Base: z, Disp: i * t.width()})
		t.mul(p, p, a[i])
		place := operand.Mem{Base: base, Index: at, Scale: 8, Disp: i * t.width()}
		t.load(q, place)
		t.add(q, q, p)
		t.store(place, q)
	}
	t.ADDQ(operand.U32(scatterLanes*8), z)
	t.INCQ(k)
	t.CMPQ(k, inner)
	t.JLT(operand.LabelRef("inner"))

	t.ADDQ(operand.U32(scatterLanes*8), x)
	t.ADDQ(operand.U32(8), from)
	t.DECQ(outer)
	t.JMP(operand.LabelRef("outer"))
	t.Label("done")
	t.VZEROUPPER()
	t.RET()
}

var scatterOps = []op{{
	name:   "scatterAdd",
	only:   64,
	params: []param{{"sum", "[]float64"}, {"from", "[]int"}, {"to", "[]int"}, {"x", "[]float64"}, {"y", "[]float64"}},
	doc: []string{
		"for k, f := range from {",
		"\tfor l, t := range to {",
		"\t\tfor i := range 8 {",
		"\t\t\tsum[f+t+i] += float64(x[8*k+i] * y[8*l+i])",
		"\t\t}",
		"\t}",
		"}",
	},
	emit: emitScatterAdd,
}}
