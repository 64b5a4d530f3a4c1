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

// interleaveFunc opens the function that packs rows rows of f.
func interleaveFunc(f float, rows int) *interleaver {
	name := fmt.Sprintf("interleave%d%s", rows, f.short)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k int, src []%[1]s, ld int, dst []%[1]s, w int)", f.name))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is interleave of kernels for %d rows. It checks no bounds.", name, rows))
	p := &interleaver{float: f, rows: rows}
	p.k = Load(Param("k"), GP64())
	low := Load(Param("src").Base(), GP64())
	ld := Load(Param("ld"), GP64())
	p.dst = Load(Param("dst").Base(), GP64())
	p.w = Load(Param("w"), GP64())
	shift := Imm(uint64(log2(f.size)))
	SHLQ(shift, ld)
	SHLQ(shift, p.w)
	p.row, p.advance = rowsFrom(f, low, ld, rows)
	return p
}

// rowsFrom returns the addresses of up to eight rows, ld bytes apart, and a
// function that moves them on by so many elements. It takes two base registers
// and one and three strides.
func rowsFrom(f float, base, ld reg.Register, rows int) (row [8]Mem, advance func(columns int)) {
	ld3, high := GP64(), GP64()
	LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	LEAQ(Mem{Base: base, Index: ld, Scale: 4}, high)
	for r := range rows {
		m := Mem{Base: base}
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
		row[r] = m
	}
	return row, func(columns int) {
		ADDQ(Imm(uint64(columns*f.size)), base)
		if rows > 4 {
			ADDQ(Imm(uint64(columns*f.size)), high)
		}
	}
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

// transpose loads four columns of up to eight rows and returns them column by
// column; rows past the last are zero.
func (p *interleaver) transpose() [4]reg.VecVirtual {
	// The low half of v[r] has the columns of row r, the high half those of
	// row r+4, so that nothing crosses from one half to the other.
	var v, t, out [4]reg.VecVirtual
	for r := range v {
		v[r] = YMM()
		VMOVUPS(p.row[r], v[r].AsX())
		if r+4 < p.rows {
			VINSERTF128(Imm(1), p.row[r+4], v[r], v[r])
		}
	}
	for i := range t {
		t[i], out[i] = YMM(), YMM()
	}
	VUNPCKLPS(v[1], v[0], t[0])
	VUNPCKHPS(v[1], v[0], t[1])
	VUNPCKLPS(v[3], v[2], t[2])
	VUNPCKHPS(v[3], v[2], t[3])
	VUNPCKLPD(t[2], t[0], out[0])
	VUNPCKHPD(t[2], t[0], out[1])
	VUNPCKLPD(t[3], t[1], out[2])
	VUNPCKHPD(t[3], t[1], out[3])
	return out
}

func interleave8() {
	p := interleaveFunc(float32s, 8)
	p.blocks(4, func() {
		for _, v := range p.transpose() {
			VMOVUPS(v, Mem{Base: p.dst})
			ADDQ(p.w, p.dst)
		}
	})
	p.rest()
}

func interleave6() {
	p := interleaveFunc(float32s, 6)
	p.blocks(4, func() {
		for _, v := range p.transpose() {
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

// deal writes the packer of columns: a row of src holds w elements of every
// strip at one step of depth.
func deal(f float, w int) {
	name := fmt.Sprintf("deal%d%s", w, f.short)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(k, strips int, src []%[1]s, ld int, dst []%[1]s)", f.name))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is the dealFunc for strips of width %d.", name, w))
	k := Load(Param("k"), GP64())
	strips := Load(Param("strips"), GP64())
	src := Load(Param("src").Base(), GP64())
	ld := Load(Param("ld"), GP64())
	dst := Load(Param("dst").Base(), GP64())
	SHLQ(Imm(uint64(log2(f.size))), ld)
	stride, rows := GP64(), GP64()
	IMUL3Q(U32(w*f.size), k, stride)
	MOVQ(k, rows)

	Label("row")
	from, to, left := GP64(), GP64(), GP64()
	MOVQ(src, from)
	MOVQ(dst, to)
	MOVQ(strips, left)
	Label("strip")
	y, x := avx2.registers(4), [2]reg.VecVirtual{XMM(), XMM()}
	at := 0
	for i := 0; at+32 <= w*f.size; i++ {
		VMOVUPS(Mem{Base: from, Disp: at}, y[i%4])
		VMOVUPS(y[i%4], Mem{Base: to, Disp: at})
		at += 32
	}
	if at+16 <= w*f.size {
		VMOVUPS(Mem{Base: from, Disp: at}, x[0])
		VMOVUPS(x[0], Mem{Base: to, Disp: at})
		at += 16
	}
	if at < w*f.size {
		VMOVSD(Mem{Base: from, Disp: at}, x[1])
		VMOVSD(x[1], Mem{Base: to, Disp: at})
	}
	ADDQ(U32(w*f.size), from)
	ADDQ(stride, to)
	DECQ(left)
	JNZ(LabelRef("strip"))
	ADDQ(ld, src)
	ADDQ(U32(w*f.size), dst)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
