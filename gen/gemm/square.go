package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// squares writes the sum of squares of so many rows at once. The sum over one
// row is a chain of multiply-adds, each waiting for the one before; eight
// chains side by side keep the units busy.
func squares(f float, rows int) {
	name := fmt.Sprintf("squares%d%s", rows, f.short)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, x []%[1]s, ld int, dst []%[1]s)", f.name))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s adds the squares of %d rows to dst, with fused multiply-adds:", name, rows),
		"",
		fmt.Sprintf("\tfor r := range %d {", rows),
		fmt.Sprintf("\t\tsum := %s(0)", f.name),
		"\t\tfor p := range k {",
		"\t\t\tsum = fma(x[r*ld+p], x[r*ld+p], sum)",
		"\t\t}",
		"\t\tdst[r] += sum",
		"\t}",
		"",
		"It checks no bounds; k must be positive.",
	)
	k := Load(Param("k"), GP64())
	low := Load(Param("x").Base(), GP64())
	ld := Load(Param("ld"), GP64())
	dst := Load(Param("dst").Base(), GP64())
	SHLQ(Imm(uint64(log2(f.size))), ld)
	ld3 := GP64()
	high := GP64()
	if rows > 1 {
		LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
		LEAQ(Mem{Base: low, Index: ld, Scale: 4}, high)
	}
	sum := make([]reg.VecVirtual, rows)
	for r := range sum {
		sum[r] = XMM()
		VXORPS(sum[r], sum[r], sum[r])
	}
	x := [4]reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
	Label("loop")
	for r := range rows {
		m := Mem{Base: low}
		if r >= 4 {
			m.Base = high
		}
		switch r % 4 {
		case 1:
			m.Index, m.Scale = ld, 1
		case 2:
			m.Index, m.Scale = ld, 2
		case 3:
			m.Index, m.Scale = ld3, 1
		}
		f.moveScalar(m, x[r%4])
		f.fmaScalar(x[r%4], x[r%4], sum[r])
	}
	ADDQ(Imm(uint64(f.size)), low)
	if rows > 1 {
		ADDQ(Imm(uint64(f.size)), high)
	}
	DECQ(k)
	JNZ(LabelRef("loop"))
	for r := range rows {
		m := Mem{Base: dst, Disp: r * f.size}
		f.addScalar(m, sum[r], sum[r])
		f.moveScalar(sum[r], m)
	}
	RET()
}
