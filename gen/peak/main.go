// Command peak writes the loops that measure how many fused multiply-adds a core
// does a second: independent ones on registers, nothing else.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// chains is how many independent chains of multiply-adds run: more than the
// latency times the units of any core, and as many as leave two registers.
const chains = 12

func loop(name, doc string, fma func(a, b, c Op), zero func(r reg.VecVirtual), vector func() reg.VecVirtual) {
	TEXT(name, NOSPLIT, "func(n int)")
	Pragma("noescape")
	Doc(doc)
	n := Load(Param("n"), GP64())
	x, y := vector(), vector()
	zero(x)
	zero(y)
	var sum []reg.VecVirtual
	for range chains {
		s := vector()
		zero(s)
		sum = append(sum, s)
	}
	Label("loop")
	for _, s := range sum {
		fma(x, y, s)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("amd64,!purego")
	xorY := func(r reg.VecVirtual) { VXORPS(r, r, r) }
	xorZ := func(r reg.VecVirtual) { VPXORQ(r, r, r) }
	y, z := func() reg.VecVirtual { return YMM() }, func() reg.VecVirtual { return ZMM() }
	loop("fma32AVX2", "fma32AVX2 does n·12·8 multiply-adds of float32.", func(a, b, c Op) { VFMADD231PS(a, b, c) }, xorY,
		y)
	loop("fma64AVX2", "fma64AVX2 does n·12·4 multiply-adds of float64.", func(a, b, c Op) { VFMADD231PD(a, b, c) }, xorY,
		y)
	loop("fma32AVX512", "fma32AVX512 does n·12·16 multiply-adds of float32.", func(a, b, c Op) { VFMADD231PS(a, b, c) },
		xorZ, z)
	loop("fma64AVX512", "fma64AVX512 does n·12·8 multiply-adds of float64.", func(a, b, c Op) { VFMADD231PD(a, b, c) },
		xorZ, z)
	Generate()
}
