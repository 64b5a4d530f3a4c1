package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// endsOfBytes emits what ends does, with places of bytes that are compressed all at once: of 64 bytes mostly
// sixteen or fewer are ends, which then are added to the place of the first byte.
func endsOfBytes(c *build.Context) {
	function(c, "endsVBMI2", "func(ends []int32, text []byte, base int, comma byte) (count, read int)",
		"endsVBMI2 is endsAVX512, but that it writes up to 64 behind those there are.")
	to := c.Load(c.Param("ends").Base(), c.GP64())
	text := c.Load(c.Param("text").Base(), c.GP64())
	left := c.Load(c.Param("text").Len(), c.GP64())
	base, comma := c.GP64(), c.GP32()
	c.Load(c.Param("base"), base)
	c.Load(c.Param("comma"), comma)
	room, begin, from := c.GP64(), c.GP64(), c.GP64()
	c.Load(c.Param("ends").Len(), room)
	c.MOVQ(to, begin)
	c.MOVQ(text, from)
	c.LEAQ(operand.Mem{Base: to, Index: room, Scale: 4, Disp: -4 * (group + lanes)}, room) // the last place for a group

	commas, lines, step, first, places := c.ZMM(), c.ZMM(), c.ZMM(), c.ZMM(), c.ZMM()
	c.VPBROADCASTB(comma, commas)
	c.VPBROADCASTB(constant(c, '\n'), lines)
	c.VPBROADCASTD(constant(c, group), step)
	c.VPBROADCASTD(base.As32(), first)
	list := make([]uint64, group/8)
	for k := range group {
		list[k/8] |= uint64(k) << (k % 8 * 8)
	}
	c.VMOVDQU64(words(c, "places", list), places)

	c.Label("next")
	c.CMPQ(to, room)
	c.JHI(operand.LabelRef("done"))
	c.SUBQ(operand.U32(group), left)
	c.JLT(operand.LabelRef("done"))
	bytes, found, other, bits, got := c.ZMM(), c.K(), c.K(), c.GP64(), c.ZMM()
	c.VMOVDQU64(operand.Mem{Base: text}, bytes)
	c.VPCMPEQB(commas, bytes, found)
	c.VPCMPEQB(lines, bytes, other)
	c.KORQ(found, other, found)
	c.KMOVQ(found, bits)
	c.POPCNTQ(bits, bits)
	c.VPCOMPRESSB_Z(places, found, got)
	put := func(k int) {
		part, wide := got.AsX(), c.ZMM()
		if k > 0 {
			part = c.XMM()
			c.VEXTRACTI32X4(operand.U8(k), got, part)
		}
		c.VPMOVZXBD(part, wide)
		c.VPADDD(first, wide, wide)
		c.VMOVDQU32(wide, operand.Mem{Base: to, Disp: 4 * lanes * k})
	}
	put(0)
	for k := 1; k < group/lanes; k++ {
		c.CMPQ(bits, operand.U8(lanes*k))
		c.JBE(operand.LabelRef("put"))
		put(k)
	}
	c.Label("put")
	c.VPADDD(step, first, first)
	c.LEAQ(operand.Mem{Base: to, Index: bits, Scale: 4}, to)
	c.ADDQ(operand.U32(group), text)
	c.JMP(operand.LabelRef("next"))

	c.Label("done")
	c.VZEROUPPER()
	c.SUBQ(begin, to)
	c.SHRQ(operand.U8(2), to)
	c.SUBQ(from, text)
	c.Store(to, c.ReturnIndex(0))
	c.Store(text, c.ReturnIndex(1))
	c.RET()
}
