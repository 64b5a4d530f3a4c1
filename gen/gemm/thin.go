package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// thin writes the products of rows of few values with a strip.
//
// A row waits for its sums from value to value; rows are so short that the next
// ones begin meanwhile.
func thin(f float, s set) {
	cols := s.wide * s.width / f.size
	name := fmt.Sprintf("thin%d%s", cols, f.short)
	TEXT(name, NOSPLIT, fmt.Sprintf(
		"func(rows int, start, at []int32, value, b, c []%[1]s, ldc int, add bool)", f.name))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s is the thinFunc for strips of %d columns.", name, cols))
	rows := Load(Param("rows"), GP64())
	start := Load(Param("start").Base(), GP64())
	at := Load(Param("at").Base(), GP64())
	value := Load(Param("value").Base(), GP64())
	b := Load(Param("b").Base(), GP64())
	c := Load(Param("c").Base(), GP64())
	ldc := Load(Param("ldc"), GP64())
	add := Load(Param("add"), GP8())
	SHLQ(Imm(uint64(log2(f.size))), ldc)

	e, end, off := GP64(), GP64(), GP64()
	sum, va := s.registers(s.wide), s.vector()
	MOVLQSX(Mem{Base: start}, e)
	Label("row")
	for _, v := range sum {
		s.zero(v)
	}
	MOVLQSX(Mem{Base: start, Disp: 4}, end)
	CMPQ(e, end)
	JGE(LabelRef("store"))
	Label("value")
	MOVLQSX(Mem{Base: at, Index: e, Scale: 4}, off)
	f.broadcast(Mem{Base: value, Index: e, Scale: uint8(f.size)}, va)
	for h, v := range sum {
		f.fma(Mem{Base: b, Index: off, Scale: uint8(f.size), Disp: h * s.width}, va, v)
	}
	INCQ(e)
	CMPQ(e, end)
	JLT(LabelRef("value"))
	Label("store")
	TESTB(add, add)
	JZ(LabelRef("set"))
	for h, v := range sum {
		pick(f, VADDPS, VADDPD)(Mem{Base: c, Disp: h * s.width}, v, v)
	}
	Label("set")
	for h, v := range sum {
		f.move(v, Mem{Base: c, Disp: h * s.width})
	}
	ADDQ(Imm(4), start)
	ADDQ(ldc, c)
	DECQ(rows)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
