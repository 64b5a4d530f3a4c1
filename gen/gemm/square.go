package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// square writes the sum of squares of one row.
func square(f float) {
	name := "square" + f.short
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, x []%[1]s) %[1]s", f.name))
	Pragma("noescape")
	Doc(name + " is square of kernels. It checks no bounds.")
	k := Load(Param("k"), GP64())
	x := Load(Param("x").Base(), GP64())
	sum, v := XMM(), XMM()
	VXORPS(sum, sum, sum)
	Label("loop")
	f.moveScalar(Mem{Base: x}, v)
	f.fmaScalar(v, v, sum)
	ADDQ(Imm(uint64(f.size)), x)
	DECQ(k)
	JNZ(LabelRef("loop"))
	Store(sum, ReturnIndex(0))
	RET()
}

// squares writes the sums of squares of eight rows. The sum over one row is a
// chain of multiply-adds, each waiting for the one before; eight chains side by
// side keep the units busy.
func squares(f float) {
	const rows = 8
	name := "squares" + f.short
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, x []%[1]s, ld int, dst []%[1]s)", f.name))
	Pragma("noescape")
	Doc(name + " is squares of kernels. It checks no bounds.")
	k := Load(Param("k"), GP64())
	base := Load(Param("x").Base(), GP64())
	ld := Load(Param("ld"), GP64())
	dst := Load(Param("dst").Base(), GP64())
	SHLQ(Imm(uint64(log2(f.size))), ld)
	row, advance := rowsFrom(f, base, ld, rows)
	var sum [rows]reg.VecVirtual
	for r := range sum {
		sum[r] = XMM()
		VXORPS(sum[r], sum[r], sum[r])
	}
	v := [4]reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
	Label("loop")
	for r := range rows {
		f.moveScalar(row[r], v[r%4])
		f.fmaScalar(v[r%4], v[r%4], sum[r])
	}
	advance(1)
	DECQ(k)
	JNZ(LabelRef("loop"))
	for r := range rows {
		m := Mem{Base: dst, Disp: r * f.size}
		f.addScalar(m, sum[r], sum[r])
		f.moveScalar(sum[r], m)
	}
	RET()
}
