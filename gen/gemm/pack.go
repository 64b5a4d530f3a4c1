package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An interleaver is the frame of the packing functions: it opens the function
// for so many rows and gives the addresses of the rows.
type interleaver struct {
	float
	rows    int
	k       reg.Register // columns left
	row     [8]Mem       // the current column of each row
	dst     reg.Register // where the current column goes
	w       reg.Register // bytes from a column to the next in dst
	advance func(columns int)
}

// interleaveFunc opens the function that packs rows rows of f. Up to eight rows
// are addressed by two base registers with one and three strides.
func interleaveFunc(f float, rows int) *interleaver {
	name := fmt.Sprintf("interleave%d%s", rows, f.short)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, src []%[1]s, ld int, dst []%[1]s, w int)", f.name))
	Pragma("noescape")
	Doc(
		fmt.Sprintf("%s writes %d rows of src column by column:", name, rows),
		"",
		"\tfor p := range k {",
		fmt.Sprintf("\t\tfor r := range %d {", rows),
		"\t\t\tdst[p*w+r] = src[r*ld+p]",
		"\t\t}",
		"\t}",
		"",
		"It checks no bounds.",
	)
	p := &interleaver{float: f, rows: rows}
	p.k = Load(Param("k"), GP64())
	low := Load(Param("src").Base(), GP64())
	ld := Load(Param("ld"), GP64())
	p.dst = Load(Param("dst").Base(), GP64())
	p.w = Load(Param("w"), GP64())
	shift := Imm(uint64(log2(f.size)))
	SHLQ(shift, ld)
	SHLQ(shift, p.w)
	ld3 := GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	high := GP64()
	LEAQ(Mem{Base: low, Index: ld, Scale: 4}, high)
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
		p.row[r] = m
	}
	p.advance = func(columns int) {
		ADDQ(Imm(uint64(columns*f.size)), low)
		if rows > 4 {
			ADDQ(Imm(uint64(columns*f.size)), high)
		}
	}
	return p
}

// blocks writes the loop over blocks of so many columns.
func (p *interleaver) blocks(columns int, body func()) {
	Label("block")
	CMPQ(p.k, Imm(uint64(columns)))
	JLT(LabelRef("rest"))
	body()
	p.advance(columns)
	SUBQ(Imm(uint64(columns)), p.k)
	JMP(LabelRef("block"))
}

// rest writes the loop over the columns that are left, and closes the function.
func (p *interleaver) rest() {
	Label("rest")
	TESTQ(p.k, p.k)
	JZ(LabelRef("done"))
	Label("column")
	x := [4]reg.VecVirtual{XMM(), XMM(), XMM(), XMM()}
	for r := range p.rows {
		p.moveScalar(p.row[r], x[r%4])
		p.moveScalar(x[r%4], Mem{Base: p.dst, Disp: r * p.size})
	}
	p.advance(1)
	ADDQ(p.w, p.dst)
	DECQ(p.k)
	JNZ(LabelRef("column"))
	Label("done")
	VZEROUPPER()
	RET()
}

// transpose8 loads eight columns of up to eight rows, four rows of zeros where
// there are only six, and returns them column by column. The halves of a
// vector hold columns c and c+4 on the way, so that no lane is crossed.
func (p *interleaver) transpose8() [8]reg.VecVirtual {
	// In v[r], the low half has columns 0–3 of row r and the high half those
	// of row r+4; in v[r+4], columns 4–7 of the same rows.
	var v, t, out [8]reg.VecVirtual
	for r := range 4 {
		for h, disp := range []int{0, 16} {
			x := YMM()
			m := p.row[r]
			m.Disp = disp
			VMOVUPS(m, x.AsX())
			if r+4 < p.rows {
				m = p.row[r+4]
				m.Disp = disp
				VINSERTF128(Imm(1), m, x, x)
			}
			v[r+4*h] = x
		}
	}
	for h := range 2 {
		i := 4 * h
		for j := range 2 {
			t[i+2*j], t[i+2*j+1] = YMM(), YMM()
			VUNPCKLPS(v[i+2*j+1], v[i+2*j], t[i+2*j])
			VUNPCKHPS(v[i+2*j+1], v[i+2*j], t[i+2*j+1])
		}
		for j := range 4 {
			out[i+j] = YMM()
		}
		VUNPCKLPD(t[i+2], t[i], out[i])
		VUNPCKHPD(t[i+2], t[i], out[i+1])
		VUNPCKLPD(t[i+3], t[i+1], out[i+2])
		VUNPCKHPD(t[i+3], t[i+1], out[i+3])
	}
	return out
}

func interleave8() {
	p := interleaveFunc(float32s, 8)
	p.blocks(8, func() {
		for _, v := range p.transpose8() {
			VMOVUPS(v, Mem{Base: p.dst})
			ADDQ(p.w, p.dst)
		}
	})
	p.rest()
}

func interleave6() {
	p := interleaveFunc(float32s, 6)
	p.blocks(8, func() {
		for _, v := range p.transpose8() {
			VMOVUPS(v.AsX(), Mem{Base: p.dst})
			VEXTRACTF128(Imm(1), v, v.AsX())
			VMOVLPS(v.AsX(), Mem{Base: p.dst, Disp: 16})
			ADDQ(p.w, p.dst)
		}
	})
	p.rest()
}

func interleave4() {
	p := interleaveFunc(float64s, 4)
	p.blocks(4, func() {
		// The low half of v[r] has two columns of row r, the high half the
		// same columns of row r+2.
		for _, disp := range []int{0, 16} {
			var v [2]reg.VecVirtual
			for r := range 2 {
				v[r] = YMM()
				m := p.row[r]
				m.Disp = disp
				VMOVUPD(m, v[r].AsX())
				m = p.row[r+2]
				m.Disp = disp
				VINSERTF128(Imm(1), m, v[r], v[r])
			}
			lo, hi := YMM(), YMM()
			VUNPCKLPD(v[1], v[0], lo)
			VUNPCKHPD(v[1], v[0], hi)
			VMOVUPD(lo, Mem{Base: p.dst})
			VMOVUPD(hi, Mem{Base: p.dst, Index: p.w, Scale: 1})
			LEAQ(Mem{Base: p.dst, Index: p.w, Scale: 2}, p.dst)
		}
	})
	p.rest()
}

func interleave2() {
	p := interleaveFunc(float64s, 2)
	p.blocks(2, func() {
		x, y, lo, hi := XMM(), XMM(), XMM(), XMM()
		VMOVUPD(p.row[0], x)
		VMOVUPD(p.row[1], y)
		VUNPCKLPD(y, x, lo)
		VUNPCKHPD(y, x, hi)
		VMOVUPD(lo, Mem{Base: p.dst})
		VMOVUPD(hi, Mem{Base: p.dst, Index: p.w, Scale: 1})
		LEAQ(Mem{Base: p.dst, Index: p.w, Scale: 2}, p.dst)
	})
	p.rest()
}
