package main

import "github.com/mmcloughlin/avo/operand"

// weaveColumns is how many columns are woven into rows.
const weaveColumns = 4

// weave emits columns that are shifted and scaled and put side by side, four rows at a time: as many
// vectors as there are columns are turned into rows. It ends before four rows of which a number is
// not finite.
func weave(t *target, _ op) {
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	stride := t.Load(t.Param("stride"), t.GP64())
	fit := t.Load(t.Param("fit").Base(), t.GP64())
	rows := t.Load(t.Param("a").Len(), t.GP64())
	var from [weaveColumns]operand.Mem
	done := t.GP64()
	center, spread := t.halves(weaveColumns), t.halves(weaveColumns)
	for k, name := range []string{"a", "b", "c", "d"} {
		from[k] = operand.Mem{Base: t.Load(t.Param(name).Base(), t.GP64()), Index: done, Scale: 8}
		t.VBROADCASTSD(operand.Mem{Base: fit, Disp: 8 * k}, center[k])
		t.VBROADCASTSD(operand.Mem{Base: fit, Disp: 8 * (weaveColumns + k)}, spread[k])
	}
	t.SHLQ(operand.U8(3), stride)
	t.XORQ(done, done)
	t.SUBQ(operand.U8(weaveColumns), rows)

	t.Label("block")
	t.CMPQ(done, rows)
	t.JGT(operand.LabelRef("end"))
	x, zero := t.halves(weaveColumns), t.halves(weaveColumns)
	for k := range x {
		t.VMOVUPD(from[k], x[k])
		t.VSUBPD(center[k], x[k], x[k])
		t.VDIVPD(spread[k], x[k], x[k])
		t.VSUBPD(x[k], x[k], zero[k]) // NaN where it is not finite
	}
	t.VADDPD(zero[0], zero[1], zero[1])
	t.VADDPD(zero[2], zero[3], zero[3])
	t.VADDPD(zero[1], zero[3], zero[3])
	t.VCMPPD(unordered, zero[3], zero[3], zero[3])
	odd := t.GP32()
	t.VMOVMSKPD(zero[3], odd)
	t.TESTL(odd, odd)
	t.JNZ(operand.LabelRef("end"))

	pair := t.halves(weaveColumns) // columns 0 and 1 of even rows, of odd rows, and 2 and 3
	for k := 0; k < weaveColumns; k += 2 {
		t.VUNPCKLPD(x[k+1], x[k], pair[k])
		t.VUNPCKHPD(x[k+1], x[k], pair[k+1])
	}
	for i := range weaveColumns {
		row := t.YMM()
		half := operand.U8(0x20)
		if i >= 2 {
			half = operand.U8(0x31)
		}
		t.VPERM2F128(half, pair[2+i%2], pair[i%2], row)
		t.VMOVUPD(row, operand.Mem{Base: dst})
		t.ADDQ(stride, dst)
	}
	t.ADDQ(operand.U8(weaveColumns), done)
	t.JMP(operand.LabelRef("block"))
	t.Label("end")
	t.VZEROUPPER()
	t.Store(done, t.ReturnIndex(0))
	t.RET()
}

// halves returns vectors of 32 bytes, at both levels.
func (t *target) halves(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = t.YMM()
	}
	return v
}

var weaveOps = []op{{
	name: "weave",
	only: 64,
	params: []param{
		{"dst", "[]float64"}, {"stride", "int"},
		{"a", "[]float64"}, {"b", "[]float64"}, {"c", "[]float64"}, {"d", "[]float64"}, {"fit", "[]float64"},
	},
	result: "int",
	doc: []string{
		"for i = 0; i+4 <= len(a); i++ { // four at a time, as long as all of these are finite",
		"\tfor k, x := range [4]float64{a[i], b[i], c[i], d[i]} {",
		"\t\tdst[stride*i+k] = (x - fit[k]) / fit[4+k]",
		"\t}",
		"}",
		"return i",
	},
	emit: weave,
}}
