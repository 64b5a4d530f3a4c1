package main

import (
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	window  = 128 // bytes of text that VPERMI2B chooses from
	lane    = 16  // bytes of a quarter of a register
	longest = 24  // bytes of a number, at most
	greater = 6   // a predicate of comparisons, as less
	unequal = 4   // and another one

	cellConstants = "cellConstants"
	copySize      = 4096
	lineSize      = 64 // bytes of a line of the cache
)

// cells emits decimal.Cells for eight numbers at a time.
//
// The sixteen bytes before the end of a number stand in a lane of a register, so that its digits are where they
// belong whatever their number, and two registers have eight numbers. VPERMI2B puts them there: each byte of a
// register chooses its own from 128 of the text. What is before the first digit becomes 0, and digits before the
// point move by one place into that of the point. If one has more bytes than a lane, each has a second lane.
type cells struct {
	*build.Context
	dst, text, ends, points, left, count, tail reg.GPVirtual

	row, width, skip reg.GPVirtual // numbers left in the row, numbers of a row, bytes of ends between rows

	constants reg.GPVirtual // the one of both copies that begins with a line of the cache

	some                            reg.OpmaskVirtual // those of eight that there are
	none, zeros, dots, place, shift vec
	half                            [2]vec // the first byte of a half of each lane
	list                            []uint64
}

func cellsOf(c *build.Context) {
	function(c, "cellsAVX512",
		"func(dst []float64, text []byte, ends []int32, first, left, width, skip int, points []byte) (read int, odd uint8)",
		"cellsAVX512 is Cells but for those that it leaves to plain Go: cells of more than 24 bytes or 19 digits, in",
		"the last 128 bytes of the text, or in the middle of two float64. All ends must be there, 129 bytes of text,",
		"and a number at least. The first cells left are of a row, and those behind are of rows of width numbers, eight",
		"or more, with skip cells before each.")
	r := &cells{Context: c}
	r.begin()
	odd := c.GP64()
	c.Label("next")
	c.MOVQ(operand.U32(rows), r.count)
	c.CMPQ(r.left, r.count)
	c.CMOVQLT(r.left, r.count)
	active := c.GP64()
	c.MOVL(operand.U32(1<<rows-1), active.As32())
	c.BZHIL(r.count.As32(), active.As32(), active.As32())
	c.KMOVB(active.As32(), r.some)
	r.short()
	c.Label("long")
	r.pair()
	c.Label("single")
	r.single(odd)
	c.Label("beyond")
	c.KMOVB(r.some, odd.As32())
	c.Label("odd")
	c.LEAQ(operand.Mem{Base: r.dst, Index: r.count, Scale: 8}, r.dst)
	c.JMP(operand.LabelRef("return"))
	c.Label("done")
	c.LEAQ(operand.Mem{Base: r.dst, Index: r.left, Scale: 8}, r.dst) // back to the last number
	c.XORQ(odd, odd)
	c.Label("return")
	c.VZEROUPPER()
	c.Load(c.Param("dst").Base(), r.text)
	c.SUBQ(r.text, r.dst)
	c.SHRQ(operand.U8(3), r.dst)
	c.Store(r.dst, c.ReturnIndex(0))
	c.Store(odd.As8(), c.ReturnIndex(1))
	c.RET()
	two := make([]uint64, (copySize+lineSize/2)/8+len(r.list))
	copy(two, r.list)
	copy(two[(copySize+lineSize/2)/8:], r.list)
	words(c, cellConstants, two)
}

// begin loads the arguments and what is the same for all numbers.
func (r *cells) begin() {
	r.dst, r.left, r.text, r.ends, r.points = r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.count, r.tail, r.row, r.width, r.skip = r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	first := r.GP64()
	r.Load(r.Param("dst").Base(), r.dst)
	r.Load(r.Param("dst").Len(), r.left)
	r.Load(r.Param("text").Base(), r.text)
	r.Load(r.Param("text").Len(), r.tail)
	r.Load(r.Param("ends").Base(), r.ends)
	r.Load(r.Param("first"), first)
	r.Load(r.Param("left"), r.row)
	r.Load(r.Param("width"), r.width)
	r.Load(r.Param("skip"), r.skip)
	r.SHLQ(operand.U8(2), r.skip)
	r.Load(r.Param("points").Base(), r.points)
	r.LEAQ(operand.Mem{Base: r.ends, Index: first, Scale: 4}, r.ends)
	r.SUBQ(operand.U32(window), r.tail)

	// What the linker puts at half a line has its second copy at the beginning of one.
	r.constants = r.GP64()
	half := r.GP64()
	r.LEAQ(operand.NewDataAddr(operand.Symbol{Name: cellConstants, Static: true}, 0), r.constants)
	r.LEAQ(operand.Mem{Base: r.constants, Disp: copySize + lineSize/2}, half)
	r.TESTQ(operand.U32(lineSize/2), r.constants)
	r.CMOVQNE(half, r.constants)

	r.some, r.none = r.K(), r.ZMM()
	r.VPXORQ(r.none, r.none, r.none)
	r.zeros, r.dots = r.held(r.all(zeros)), r.held(r.all(dot*everyone))
	r.place = r.held(r.lanes(func(k int) int { return k }))
	r.shift = r.held(r.lanes(func(k int) int { return k - 1 }))
	for h := range r.half {
		r.half[h] = r.held(r.lanes(func(int) int { return 8 * h }))
	}
}

// constant returns where eight words stand in memory.
func (r *cells) constant(word ...uint64) operand.Mem {
	at := 0
	for at < len(r.list) && !slices.Equal(r.list[at:at+rows], word) {
		at += rows
	}
	if at == len(r.list) {
		r.list = append(r.list, word...)
	}
	if 8*len(r.list) > copySize {
		panic("text: too many constants")
	}
	return operand.Mem{Base: r.constants, Disp: 8 * at}
}

// all is a word in each place, and pairs one of 32 bits.
func (r *cells) all(word uint64) operand.Mem {
	return r.constant(slices.Repeat([]uint64{word}, rows)...)
}

func (r *cells) pairs(word uint32) operand.Mem { return r.all(uint64(word) | uint64(word)<<32) }

// bytes is 64 bytes.
func (r *cells) bytes(at func(k int) int) operand.Mem {
	word := make([]uint64, rows)
	for k := range 8 * rows {
		word[k/8] |= uint64(byte(at(k))) << (k % 8 * 8)
	}
	return r.constant(word...)
}

// lanes is the same bytes in each lane.
func (r *cells) lanes(at func(k int) int) operand.Mem {
	return r.bytes(func(k int) int { return at(k % lane) })
}

// held returns a register of what stands in memory.
func (r *cells) held(m operand.Mem) vec {
	v := r.ZMM()
	r.VMOVDQU64(m, v)
	return v
}

// bounds returns the ends of the cells before a group of eight that begins with so many left in its row, and
// their own.
func (r *cells) bounds(name string, ends, row reg.GPVirtual) (before, end vec) {
	before, end = r.ZMM(), r.ZMM()
	r.VMOVDQU32_Z(operand.Mem{Base: ends}, r.some, before)
	r.VMOVDQU32_Z(operand.Mem{Base: ends, Disp: 4}, r.some, end)
	r.CMPQ(row, operand.U8(rows))
	r.JGE(operand.LabelRef(name))
	mask, next := r.GP32(), r.K() // those of the next row
	r.MOVL(operand.U32(1<<rows-1), mask)
	r.SHLXL(row.As32(), mask, mask)
	r.KMOVB(mask, next)
	r.KANDB(r.some, next, next)
	r.VMOVDQU32(operand.Mem{Base: ends, Index: r.skip, Scale: 1}, next, before)
	r.VMOVDQU32(operand.Mem{Base: ends, Index: r.skip, Scale: 1, Disp: 4}, next, end)
	r.Label(name)
	return before, end
}

// forward goes on behind a group.
func (r *cells) forward(ends, row reg.GPVirtual) {
	across, next := r.GP64(), r.GP64()
	r.ADDQ(operand.U32(4*rows), ends)
	r.LEAQ(operand.Mem{Base: ends, Index: r.skip, Scale: 1}, across)
	r.LEAQ(operand.Mem{Base: row, Index: r.width, Scale: 1, Disp: -rows}, next)
	r.SUBQ(operand.U8(rows), row)
	r.CMOVQLE(across, ends)
	r.CMOVQLE(next, row)
}

// from returns places in a text, and places in windows, of which each has the first byte behind its base. An end
// becomes one more.
func (r *cells) from(base, before, end vec) (first, behind, size vec) {
	first, behind, size = r.ZMM(), r.ZMM(), r.ZMM()
	r.VPSUBD(base, before, first)
	r.VPSUBD(base, end, behind)
	r.VPSUBD(before, end, size)
	return first, behind, size
}

// text128 returns bytes of the text from a place on, of which digits are 0 to 9.
func (r *cells) text128(at reg.GPVirtual) (w [2]vec) {
	for k := range w {
		w[k] = r.ZMM()
		r.VPXORQ(operand.Mem{Base: r.text, Index: at, Scale: 1, Disp: 64 * k}, r.zeros, w[k])
	}
	return w
}

// unsign takes the minus of numbers off their sizes, and returns which have one, by their first bytes in words
// of 32 bits.
func (r *cells) unsign(byte1, size vec) (negative reg.OpmaskVirtual) {
	negative = r.K()
	r.VPCMPEQD(r.pairs(minus), byte1, r.some, negative)
	r.VPSUBD(r.pairs(1), size, negative, size)
	return negative
}

// spread returns a byte of each of four words of 32 bits, first, first+step, and so on, in all bytes of a lane.
func (r *cells) spread(v vec, first, step int) vec {
	s := r.held(r.bytes(func(k int) int { return 4 * (first + step*(k/lane)) }))
	r.VPERMB(v, s, s)
	return s
}

// chosen returns the bytes of four numbers up to so many before one behind their ends, 0 for those that they do
// not have.
func (r *cells) chosen(w [2]vec, behind, size vec, skip int) vec {
	v, has := r.ZMM(), r.K()
	r.VPCMPUB(operand.U8(less), size, r.held(r.lanes(func(k int) int { return skip + lane - k })), has)
	r.VPADDB(r.lanes(func(k int) int { return k - lane - 1 - skip }), behind, v)
	r.VPERMI2B_Z(w[1], w[0], has, v)
	return v
}

// pointed returns the sum of the places of points in each half of a lane, of which the first is one more than
// those that are skipped.
func (r *cells) pointed(v vec, skip int) vec {
	at, is := r.ZMM(), r.K()
	r.VPCMPEQB(r.dots, v, is)
	r.VMOVDQU8_Z(r.held(r.lanes(func(k int) int { return k + 1 + skip })), is, at)
	r.VPSADBW(r.none, at, at)
	return at
}

// halves returns the sums of both halves of lanes, lanes of the two by turns.
func (r *cells) halves(v [2]vec) vec {
	sum, other := r.ZMM(), r.ZMM()
	r.VPUNPCKLQDQ(v[1], v[0], sum)
	r.VPUNPCKHQDQ(v[1], v[0], other)
	r.VPADDQ(other, sum, sum)
	return sum
}

// upTo returns which bytes of lanes, behind those that are skipped, are not behind the point.
func (r *cells) upTo(point vec, half, skip int) reg.OpmaskVirtual {
	at, is := r.ZMM(), r.K()
	r.VPSHUFB(r.half[half], point, at)
	place := r.place
	if skip > 0 {
		place = r.held(r.lanes(func(k int) int { return k + skip }))
	}
	r.VPCMPUB(operand.U8(less), at, place, is)
	return is
}

// few returns which numbers have no digit.
func (r *cells) few(size, point vec) (few, pointed reg.OpmaskVirtual) {
	few, pointed = r.K(), r.K()
	r.VPTESTMQ(point, point, pointed)
	r.VPSUBD(r.pairs(1), size, pointed, size)
	r.VPCMPUD(operand.U8(less), r.pairs(2), size, r.some, few)
	return few, pointed
}

// fours makes numbers of four digits in 32 bits of digits.
func (r *cells) fours(v vec) {
	r.VPMADDUBSW(r.all(0x010a010a010a010a), v, v)
	r.VPMADDWD(r.all(0x0001006400010064), v, v)
}

// value returns the numbers that digits in lanes are, those of the two by turns.
func (r *cells) value(v [2]vec) vec {
	all, low := r.ZMM(), r.ZMM()
	for k := range v {
		r.fours(v[k])
	}
	r.VPACKUSDW(v[1], v[0], all)
	r.VPMADDWD(r.pairs(0x0001_2710), all, all)
	r.VPSRLQ(operand.U8(32), all, low)
	r.VPMULUDQ(r.all(1e8), all, all)
	r.VPADDQ(low, all, all)
	return all
}

// keep stores the numbers of a group with their signs, and what is known of them.
func (r *cells) keep(group int, number, mantissa vec, negative reg.OpmaskVirtual, pointed reg.GPVirtual) {
	r.VPTESTMQ(mantissa, mantissa, negative, negative) // -0 becomes 0
	r.VPORQ(r.all(1<<63), number, negative, number)
	r.VMOVDQU64(number, r.some, operand.Mem{Base: r.dst, Disp: 8 * rows * group})
	r.ORB(pointed.As8(), operand.Mem{Base: r.points, Disp: group})
}

// step goes on behind groups that are read.
func (r *cells) step(groups int) {
	r.ADDQ(operand.U32(8*rows*groups), r.dst)
	for range groups {
		r.forward(r.ends, r.row)
	}
	r.ADDQ(operand.U32(groups), r.points)
	r.SUBQ(operand.U32(rows*groups), r.left)
	r.JG(operand.LabelRef("next"))
	r.JMP(operand.LabelRef("done"))
}
