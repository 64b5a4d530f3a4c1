package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	group = 64 // bytes that are looked at together
	lanes = 16 // of which so many at a time become places
)

// ends emits the places of two bytes in a text: each sixteen bytes have a bit of a mask for each of them,
// by which a vector of places is compressed. What is written behind those is overwritten by the next.
func ends(c *build.Context) {
	function(c, "endsAVX512", "func(ends []int32, text []byte, base int, comma byte) (count, read int)",
		"endsAVX512 writes base and the place of each comma and end of a line in the first bytes of a text to ends,",
		"and returns how many there are, and how much was read: 64 bytes at a time as long as there are 80 ends",
		"left. It writes up to 16 behind those there are.")
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

	commas, lines, step := c.ZMM(), c.ZMM(), c.ZMM()
	c.VPBROADCASTB(comma, commas)
	c.VPBROADCASTB(constant(c, '\n'), lines)
	c.VPBROADCASTD(constant(c, group), step)
	list := make([]uint64, group/2)
	for i := range list {
		list[i] = uint64(2*i) | uint64(2*i+1)<<32
	}
	numbers := words(c, "numbers", list)
	var place [group / lanes]reg.VecVirtual
	first := c.ZMM()
	c.VPBROADCASTD(base.As32(), first)
	for k := range place {
		place[k] = c.ZMM()
		c.VPADDD(numbers.Offset(4*lanes*k), first, place[k])
	}

	c.Label("next")
	c.CMPQ(to, room)
	c.JHI(operand.LabelRef("done"))
	c.SUBQ(operand.U32(group), left)
	c.JLT(operand.LabelRef("done"))
	found, other := c.K(), c.K()
	c.VMOVDQU64(operand.Mem{Base: text}, first)
	c.VPCMPEQB(commas, first, found)
	c.VPCMPEQB(lines, first, other)
	c.KORQ(found, other, found)
	bits, some, count := c.GP64(), c.K(), c.GP64()
	c.KMOVQ(found, bits)
	for k := range place {
		c.KMOVW(bits.As32(), some)
		got := c.ZMM()
		c.VPCOMPRESSD_Z(place[k], some, got)
		c.VMOVDQU32(got, operand.Mem{Base: to})
		c.VPADDD(step, place[k], place[k])
		c.MOVWLZX(bits.As16(), count.As32())
		c.POPCNTL(count.As32(), count.As32())
		c.LEAQ(operand.Mem{Base: to, Index: count, Scale: 4}, to)
		if k < len(place)-1 {
			c.SHRQ(operand.U8(lanes), bits)
		}
	}
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

// constant returns a number in a register.
func constant(c *build.Context, n uint32) reg.Register {
	r := c.GP32()
	c.MOVL(operand.U32(n), r)
	return r
}
