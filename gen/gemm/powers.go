package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// exp2Poly is 2^r to a part of 1.3e-7 where |r| ≤ 1/2: the polynomial of degree 5 whose coefficients in float32
// are best, found around those of the best polynomial.
var exp2Poly = []float64{
	0x1.000002p+0, 0x1.62e42ap-1, 0x1.ebf8fcp-3, 0x1.c6b712p-5, 0x1.3d0c24p-7, 0x1.5c08dep-10,
}

// powers is what both of the functions that sum powers have in common: a row's exponents are in registers, and
// what their powers add up to goes to memory.
type powers struct {
	terms reg.Register // beta, w and v of the strip, one after the other
	poly  Mem
}

const (
	powerLanes = 16
	powerCols  = 3 * powerLanes // of a strip
)

// at returns where the h-th vector of a strip's terms is.
func (p powers) at(term, h int) Mem {
	return Mem{Base: p.terms, Disp: 4 * (term*powerCols + h*powerLanes)}
}

// add adds the powers of a row's exponents e, by their weights, to its two sums. It spoils e.
func (p powers) add(e []reg.VecVirtual, row Mem) {
	n, z := make([]reg.VecVirtual, len(e)), make([]reg.VecVirtual, len(e))
	for h := range e {
		n[h], z[h] = ZMM(), ZMM()
		VRNDSCALEPS(Imm(0), e[h], n[h])
		VSUBPS(n[h], e[h], e[h])
	}
	coefficient := func(k int) Mem { return p.poly.Offset(4 * k) }
	last := len(exp2Poly) - 1
	for h := range e {
		VBROADCASTSS(coefficient(last), z[h])
	}
	for k := last - 1; k >= 0; k-- {
		for h := range e {
			VFMADD213PS_BCST(coefficient(k), e[h], z[h])
		}
	}
	for h := range e {
		VSCALEFPS(n[h], z[h], z[h])
	}
	for k := range 2 {
		sum, m := ZMM(), row.Offset(4*powerLanes*k)
		VMOVUPS(m, sum)
		for h := range e {
			VFMADD231PS(p.at(1+k, h), z[h], sum)
		}
		VMOVUPS(sum, m)
	}
}

// exp2Table writes the coefficients.
func exp2Table() Mem {
	m := GLOBL("exp2Poly", RODATA|NOPTR)
	for k, c := range exp2Poly {
		DATA(4*k, F32(float32(c)))
	}
	return m
}

// powersDense writes the sums of tiles of eight rows, whose exponents stay in registers.
func powersDense(poly Mem) {
	const rows, vectors = 8, 3
	TEXT("powers8x48", NOSPLIT, "func(k, tiles int, a, b, alpha, terms, sums []float32)")
	Pragma("noescape")
	Doc("powers8x48 is the powersFunc for tiles of 8 rows and 48 columns.")
	k := Load(Param("k"), GP64())
	tiles := Load(Param("tiles"), GP64())
	a := Load(Param("a").Base(), GP64())
	b := Load(Param("b").Base(), GP64())
	alpha := Load(Param("alpha").Base(), GP64())
	p := powers{terms: Load(Param("terms").Base(), GP64()), poly: poly}
	sums := Load(Param("sums").Base(), GP64())
	var e [rows][]reg.VecVirtual
	for i := range e {
		e[i] = avx512.registers(vectors)
	}
	vb, va := avx512.registers(vectors), avx512.registers(2)
	start, left := GP64(), GP64()

	Label("tile")
	for h, v := range vb {
		VMOVUPS(p.at(0, h), v)
	}
	for i := range rows {
		for h, v := range vb {
			VADDPS_BCST(Mem{Base: alpha, Disp: 4 * i}, v, e[i][h])
		}
	}
	MOVQ(b, start)
	MOVQ(k, left)
	TESTQ(left, left)
	JZ(LabelRef("powers"))
	Label("step")
	for h, v := range vb {
		VMOVUPS(Mem{Base: b, Disp: 64 * h}, v)
	}
	for i := range rows {
		VBROADCASTSS(Mem{Base: a, Disp: 4 * i}, va[i%2])
		for h, v := range vb {
			VFMADD231PS(va[i%2], v, e[i][h])
		}
	}
	ADDQ(Imm(4*rows), a)
	ADDQ(U32(4*powerCols), b)
	DECQ(left)
	JNZ(LabelRef("step"))
	Label("powers")
	MOVQ(start, b)
	for i := range rows {
		p.add(e[i], Mem{Base: sums, Disp: 8 * powerLanes * i})
	}
	ADDQ(Imm(4*rows), alpha)
	ADDQ(U32(8*powerLanes*rows), sums)
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// powersThin writes the sums of rows of few values.
func powersThin(poly Mem) {
	TEXT("powersThin48", NOSPLIT,
		"func(rows int, start, at []int32, value, b, alpha, terms, sums []float32)")
	Pragma("noescape")
	Doc("powersThin48 is the thinPowersFunc for strips of 48 columns.")
	rows := Load(Param("rows"), GP64())
	start := Load(Param("start").Base(), GP64())
	at := Load(Param("at").Base(), GP64())
	value := Load(Param("value").Base(), GP64())
	b := Load(Param("b").Base(), GP64())
	alpha := Load(Param("alpha").Base(), GP64())
	p := powers{terms: Load(Param("terms").Base(), GP64()), poly: poly}
	sums := Load(Param("sums").Base(), GP64())
	beta, e, va := avx512.registers(3), avx512.registers(3), ZMM()
	for h, v := range beta {
		VMOVUPS(p.at(0, h), v)
	}
	i, end, off := GP64(), GP64(), GP64()
	MOVLQSX(Mem{Base: start}, i)
	Label("row")
	for h, v := range beta {
		VADDPS_BCST(Mem{Base: alpha}, v, e[h])
	}
	MOVLQSX(Mem{Base: start, Disp: 4}, end)
	CMPQ(i, end)
	JGE(LabelRef("powers"))
	Label("value")
	MOVLQSX(Mem{Base: at, Index: i, Scale: 4}, off)
	VBROADCASTSS(Mem{Base: value, Index: i, Scale: 4}, va)
	for h, v := range e {
		VFMADD231PS(Mem{Base: b, Index: off, Scale: 4, Disp: 64 * h}, va, v)
	}
	INCQ(i)
	CMPQ(i, end)
	JLT(LabelRef("value"))
	Label("powers")
	p.add(e, Mem{Base: sums})
	ADDQ(Imm(4), start)
	ADDQ(Imm(4), alpha)
	ADDQ(U32(8*powerLanes), sums)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
