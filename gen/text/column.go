package main

import (
	"math"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	rows     = 8   // numbers that are read side by side, a word of 64 bits each
	most     = 3   // words of text that a number takes, at most
	whole    = 192 // bits of so many words
	tenMost  = 22  // 10²² is the largest power of ten that a float64 holds
	cut      = 11  // bits of 64 that a float64 has no room for
	half     = 1 << (cut - 1)
	minus    = '-' ^ '0'
	dot      = '.' ^ '0'
	ones     = math.MaxUint64
	zeros    = 0x3030303030303030
	everyone = 0x0101010101010101
)

// tables are what package decimal has for each number of digits behind the point: powers of ten, 2¹²⁷ over
// powers of five with the highest bit set, without the fraction, and what the exponent is to which a
// quotient by them is raised, but for its normalization.
func tables() (tens, inverses, exponents [rows * most]uint64) {
	ten, five := 1.0, uint64(1)
	for k := range tenMost + 1 {
		shift := bits.LeadingZeros64(five)
		if tens[k] = math.Float64bits(ten); k > 0 {
			inverses[k], _ = bits.Div64(1<<63, 0, five<<shift)
		}
		exponents[k] = uint64(shift - k - 63 + cut + 52 + 1023 - 1)
		ten, five = ten*10, five*5
	}
	return tens, inverses, exponents
}

type vec = reg.VecVirtual

// reader emits a function that reads numbers.
type reader struct {
	*build.Context
	text, dst, ends, left, count, active, read, points reg.GPVirtual

	place, step, tail                vec // of the numbers in ends, and the last place that a number may begin
	none, zeros, whole, ones         vec // constants, as their names say
	dots, sixes, uppers, pairs, four vec

	ten, inverse, exponent operand.Mem
	constants              []uint64
}

// column emits decimal.Column for eight numbers at a time.
//
// A number is the words of text before its end, so that its digits stand where they belong. What stands
// before its first digit becomes 0, and digits before the point move by one place into that of the point.
func column(c *build.Context) {
	function(c, "columnAVX512",
		"func(dst []float64, text []byte, ends []int32, first, width int) (read int, point bool)",
		"columnAVX512 is Column up to a number that takes more than 24 bytes or 19 digits, ends in the first 24",
		"bytes of the text, or is where 64 bits find the middle of two float64. All ends must be there, and 24",
		"bytes of text.")
	r := &reader{Context: c}
	r.begin()
	c.Label("next")
	c.TESTQ(r.left, r.left)
	c.JLE(operand.LabelRef("done"))
	c.MOVQ(operand.U32(rows), r.count)
	c.CMPQ(r.left, r.count)
	c.CMOVQLT(r.left, r.count)
	c.MOVL(operand.U32(1<<rows-1), r.active.As32())
	c.BZHIL(r.count.As32(), r.active.As32(), r.active.As32())

	good, end, size := r.bounds()
	long := c.K()
	c.VPCMPUQ_BCST(operand.U8(less), r.at(64), size, good, long) // more than 16 bytes
	c.KTESTB(long, long)
	c.JNZ(operand.LabelRef("long"))
	r.numbers(most-1, good, end, size)
	c.Label("long")
	r.numbers(most, good, end, size)

	c.Label("done")
	c.VZEROUPPER()
	c.Store(r.read, c.ReturnIndex(0))
	c.TESTQ(r.points, r.points)
	c.SETNE(r.points.As8())
	c.Store(r.points.As8(), c.ReturnIndex(1))
	c.RET()
	words(c, constantsName, r.constants)
}
