package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// columns emits the transposition of eight rows, eight columns at a time. The last columns may be among those
// before as well.
func columns(c *build.Context) {
	function(c, "columnsAVX512", "func(to [][]float64, at int, few []float64)",
		"columnsAVX512 is columnsPlain for eight rows of eight numbers or more.")
	to := c.Load(c.Param("to").Base(), c.GP64())
	width := c.Load(c.Param("to").Len(), c.GP64())
	at := c.Load(c.Param("at"), c.GP64())
	few := c.Load(c.Param("few").Base(), c.GP64())
	column, left, stride := c.GP64(), c.GP64(), c.GP64()
	c.MOVQ(width, left)
	c.MOVQ(width, stride)
	c.SHLQ(operand.U8(3), stride)

	c.Label("next")
	row := c.GP64()
	c.MOVQ(few, row)
	var v, pair [rows]vec
	for k := range v {
		v[k] = c.ZMM()
		c.VMOVUPD(operand.Mem{Base: row}, v[k])
		c.ADDQ(stride, row)
	}
	for k := 0; k < rows; k += 2 { // pairs of numbers of even columns, and of odd ones
		pair[k], pair[k+1] = c.ZMM(), c.ZMM()
		c.VUNPCKLPD(v[k+1], v[k], pair[k])
		c.VUNPCKHPD(v[k+1], v[k], pair[k+1])
	}
	for odd := range 2 {
		p := [...]vec{pair[odd], pair[2+odd], pair[4+odd], pair[6+odd]}
		for high := range 2 {
			half := operand.U8([]int{0x44, 0xee}[high])
			a, b := c.ZMM(), c.ZMM()
			c.VSHUFF64X2(half, p[1], p[0], a)
			c.VSHUFF64X2(half, p[3], p[2], b)
			for k := range 2 {
				one := c.ZMM()
				c.VSHUFF64X2(operand.U8([]int{0x88, 0xdd}[k]), b, a, one)
				c.MOVQ(operand.Mem{Base: to, Disp: sliceBytes * (4*high + 2*k + odd)}, column)
				c.VMOVUPD(one, operand.Mem{Base: column, Index: at, Scale: 8})
			}
		}
	}
	step := c.GP64()
	c.SUBQ(operand.U32(rows), left)
	c.JZ(operand.LabelRef("done"))
	c.MOVQ(operand.U32(rows), step)
	c.CMPQ(left, step)
	c.CMOVQLT(left, step)
	c.CMPQ(left, operand.U32(rows))
	c.JGE(operand.LabelRef("whole"))
	c.MOVQ(operand.U32(rows), left)
	c.Label("whole")
	c.LEAQ(operand.Mem{Base: few, Index: step, Scale: 8}, few)
	c.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step)
	c.LEAQ(operand.Mem{Base: to, Index: step, Scale: 8}, to)
	c.JMP(operand.LabelRef("next"))
	c.Label("done")
	c.VZEROUPPER()
	c.RET()
}

const sliceBytes = 24 // of what Go has for a slice
