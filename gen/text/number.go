package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Predicates of comparisons, of which the second operand stands first.
const (
	less        = 1
	lessOrEqual = 2
)

// Functions of three bits that VPTERNLOGQ takes.
const (
	choose = 0xca // the second where the first is 1, else the third
	either = 0xfe // one of them
)

const constantsName = "constants"

// at returns where a constant stands.
func (r *reader) at(word uint64) operand.Mem {
	i := slices.Index(r.constants, word)
	if i < 0 {
		i = len(r.constants)
		r.constants = append(r.constants, word)
	}
	return operand.NewDataAddr(operand.Symbol{Name: constantsName, Static: true}, 8*i)
}

// all returns a vector of a word in each place.
func (r *reader) all(word uint64) vec {
	v := r.ZMM()
	r.VPBROADCASTQ(r.at(word), v)
	return v
}

// begin loads the arguments and what is the same for all numbers.
func (r *reader) begin() {
	r.dst, r.left, r.text, r.ends = r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.count, r.active, r.read, r.points = r.GP64(), r.GP64(), r.GP64(), r.GP64()
	size, first, width := r.GP64(), r.GP64(), r.GP64()
	r.Load(r.Param("dst").Base(), r.dst)
	r.Load(r.Param("dst").Len(), r.left)
	r.Load(r.Param("text").Base(), r.text)
	r.Load(r.Param("text").Len(), size)
	r.Load(r.Param("ends").Base(), r.ends)
	r.Load(r.Param("first"), first)
	r.Load(r.Param("width"), width)
	r.XORQ(r.read, r.read)
	r.XORQ(r.points, r.points)

	tens, inverses, exponents := tables()
	r.ten, r.inverse, r.exponent = words(r.Context, "tens", tens[:]), words(r.Context, "inverses", inverses[:]),
		words(r.Context, "exponents", exponents[:])

	r.SUBQ(operand.U32(whole/8), size)
	r.tail, r.step, r.place = r.ZMM(), r.ZMM(), r.ZMM()
	r.VPBROADCASTQ(size, r.tail)
	r.VPBROADCASTQ(width, r.step)
	r.VPMULLQ(words(r.Context, "numbers", []uint64{0, 1, 2, 3, 4, 5, 6, 7}), r.step, r.step)
	r.VPBROADCASTQ(first, r.place)
	r.VPADDQ(r.step, r.place, r.place)
	r.SHLQ(operand.U8(3), width)
	r.VPBROADCASTQ(width, r.step)
	r.none, r.zeros, r.whole, r.ones = r.all(0), r.all(zeros), r.all(whole), r.all(ones)
	r.dots, r.sixes, r.uppers = r.all(dot*everyone), r.all(6*everyone), r.all(0xf0*everyone)
	r.pairs, r.four = r.all(0x010a010a010a010a), r.all(0x0001006400010064)
}

// gather loads words at places from a base on, in the lanes of a mask.
func (r *reader) gather(base reg.GPVirtual, place vec, scale uint8, disp int, lanes reg.OpmaskVirtual) vec {
	v, mask := r.ZMM(), r.K()
	r.VPXORQ(v, v, v)
	r.KMOVB(lanes, mask)
	r.VPGATHERQQ(operand.Mem{Base: base, Index: place, Scale: scale, Disp: disp}, mask, v)
	return v
}

// bounds returns where numbers end, 192 less the bits of their text, and which of them have some text, not
// too much, and as much before their ends.
func (r *reader) bounds() (good reg.OpmaskVirtual, end, size vec) {
	good, end, size = r.K(), r.ZMM(), r.ZMM()
	r.KMOVB(r.active.As32(), good)
	pair := r.gather(r.ends, r.place, 4, 0, good) // the end of the cell before, and its own
	r.VPSRLQ(operand.U8(32), pair, end)
	r.VPSLLQ(operand.U8(32), pair, pair)
	r.VPSRAQ(operand.U8(32), pair, pair)
	r.VPSUBQ(end, pair, size)
	r.VPSLLQ(operand.U8(3), size, size)
	r.VPADDQ_BCST(r.at(whole+8), size, size)
	r.VPCMPUQ(operand.U8(less), r.whole, size, good, good)
	r.VPSUBQ_BCST(r.at(whole/8), end, pair)
	r.VPCMPUQ(operand.U8(lessOrEqual), r.tail, pair, good, good)
	return good, end, size
}

// numbers reads numbers of so many words, and goes on with the next or ends.
func (r *reader) numbers(n int, good reg.OpmaskVirtual, end, size vec) {
	digit, negative, begin := r.digits(n, good, end, size)
	scale, point := r.unpoint(digit)
	r.VPADDQ_BCST(r.at(8), begin, point, begin)
	r.VPCMPQ_BCST(operand.U8(less), r.at(64), begin, good, good) // a digit at least
	r.check(digit, good)
	r.VPSRLQ_Z(operand.U8(3), scale, point, scale)
	r.VPCMPUQ_BCST(operand.U8(lessOrEqual), r.at(tenMost), scale, good, good)
	mantissa := r.mantissa(digit, good)
	number := r.ZMM()
	r.VCVTUQQ2PD(mantissa, number)
	r.VDIVPD(r.lookup(r.ten, scale), number, number)
	if n == most {
		r.round(number, mantissa, scale, good)
	}
	r.VPORQ_BCST(r.at(1<<63), number, negative, number)
	r.VADDPD(r.none, number, number) // -0 becomes 0
	r.keep(n, number, good, point)
}

// keep stores numbers before the first that is not good, and goes on with the next if all are.
func (r *reader) keep(n int, number vec, good, point reg.OpmaskVirtual) {
	mask, some := r.GP64(), r.GP64()
	r.KMOVB(good, mask.As32())
	r.KMOVB(point, some.As32())
	r.CMPL(mask.As32(), r.active.As32())
	last := fmt.Sprintf("last%d", n)
	r.JNE(operand.LabelRef(last))
	r.VMOVDQU64(number, good, operand.Mem{Base: r.dst})
	r.ORQ(some, r.points)
	r.ADDQ(r.count, r.read)
	r.ADDQ(operand.U32(8*rows), r.dst)
	r.VPADDQ(r.step, r.place, r.place)
	r.SUBQ(r.count, r.left)
	r.JMP(operand.LabelRef("next"))

	r.Label(last)
	r.NOTL(mask.As32())
	r.TZCNTL(mask.As32(), mask.As32())
	r.ADDQ(mask, r.read)
	all := r.GP32()
	r.MOVL(operand.U32(1<<rows-1), all)
	r.BZHIL(mask.As32(), all, all)
	r.ANDL(all, some.As32())
	r.ORQ(some, r.points)
	r.KMOVB(all, good)
	r.VMOVDQU64(number, good, operand.Mem{Base: r.dst})
	r.JMP(operand.LabelRef("done"))
}
