package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// digits returns the words of numbers, the last one first, as digits from 0 to 9 in bytes, 0 for what
// stands before them, which have a minus, and the bits before the first digit of three words, less 128.
func (r *reader) digits(n int, good reg.OpmaskVirtual, end, size vec) (digit []vec, negative reg.OpmaskVirtual, begin vec) {
	negative = r.K()
	before, first := make([]vec, n), r.ZMM() // bits before the number in each word
	digit = make([]vec, n)
	for e := range n {
		digit[e], before[e] = r.gather(r.text, end, 1, -8*(e+1), good), r.ZMM()
		r.VPXORQ(r.zeros, digit[e], digit[e])
		if skip := whole - 64*(e+1); skip > 0 {
			r.VPSUBQ_BCST(r.at(uint64(skip)), size, before[e])
		} else {
			r.VMOVDQA64(size, before[e])
		}
		byte1 := r.ZMM() // a shift by 64 or more, or by less than 0, leaves nothing
		r.VPSRLVQ(before[e], digit[e], byte1)
		if e == 0 {
			r.VMOVDQA64(byte1, first)
		} else {
			r.VPORQ(byte1, first, first)
		}
	}
	r.VPANDQ_BCST(r.at(0xff), first, first)
	r.VPCMPEQQ_BCST(r.at(minus), first, good, negative)
	begin = before[0]
	for e := range n {
		r.VPADDQ_BCST(r.at(8), before[e], negative, before[e])
		shift := before[e]
		if e < n-1 {
			shift = r.ZMM()
			r.VPMAXSQ(r.none, before[e], shift)
		}
		mask := r.ZMM()
		r.VPSLLVQ(shift, r.ones, mask)
		r.VPANDQ(mask, digit[e], digit[e])
	}
	return digit, negative, begin
}

// unpoint takes the point out of numbers, and returns how many bits of digits are behind it, and which
// have one.
func (r *reader) unpoint(digit []vec) (scale vec, point reg.OpmaskVirtual) {
	scale, point = r.ZMM(), r.K()
	for e, d := range digit {
		is, bytes, after := r.K(), r.ZMM(), r.ZMM()
		r.VPCMPEQB(r.dots, d, is)
		r.VPMOVM2B(is, bytes)
		if e == 0 {
			r.VPLZCNTQ(bytes, scale)
			continue
		}
		none := r.K() // no point in the words so far
		r.VPLZCNTQ(bytes, after)
		r.VPCMPEQQ_BCST(r.at(uint64(64*e)), scale, none)
		r.VPADDQ(after, scale, none, scale)
	}
	r.VPCMPUQ_BCST(operand.U8(less), r.at(uint64(64*len(digit))), scale, point)
	for e, d := range digit {
		shift, mask, moved := scale, r.ZMM(), r.ZMM()
		if e > 0 {
			shift = r.ZMM()
			r.VPSUBQ_BCST(r.at(uint64(64*e)), scale, shift)
			r.VPMAXSQ(r.none, shift, shift)
		}
		r.VPSRLVQ(shift, r.ones, mask) // up to the point
		r.VPSLLQ(operand.U8(8), d, moved)
		if e < len(digit)-1 {
			carry := r.ZMM()
			r.VPSRLQ(operand.U8(56), digit[e+1], carry)
			r.VPORQ(carry, moved, moved)
		}
		r.VPTERNLOGQ(operand.U8(choose), d, moved, mask)
		digit[e] = mask
	}
	return scale, point
}

// check leaves those out whose bytes are not all digits.
func (r *reader) check(digit []vec, good reg.OpmaskVirtual) {
	odd := r.ZMM()
	for e, d := range digit {
		more := r.ZMM()
		r.VPADDB(r.sixes, d, more)
		if e == 0 {
			r.VPORQ(d, more, odd)
		} else {
			r.VPTERNLOGQ(operand.U8(either), d, more, odd)
		}
	}
	r.VPTESTNMQ(r.uppers, odd, good, good)
}

// mantissa returns the numbers that digits are, and leaves those out of which there are too many.
func (r *reader) mantissa(digit []vec, good reg.OpmaskVirtual) vec {
	for _, d := range digit { // neighbours become numbers of two digits, these of four, these of eight
		r.VPMADDUBSW(r.pairs, d, d)
		r.VPMADDWD(r.four, d, d)
		low := r.ZMM()
		r.VPMULUDQ_BCST(r.at(10_000), d, low)
		r.VPSRLQ(operand.U8(32), d, d)
		r.VPADDQ(low, d, d)
	}
	all := r.ZMM()
	if len(digit) < most {
		r.VPMULUDQ_BCST(r.at(1e8), digit[1], all)
		r.VPADDQ(digit[0], all, all)
		return all
	}
	r.VPCMPUQ_BCST(operand.U8(less), r.at(1000), digit[2], good, good)
	r.VPMULUDQ_BCST(r.at(1e8), digit[2], all)
	r.VPADDQ(digit[1], all, all)
	r.VPMULLQ_BCST(r.at(1e8), all, all)
	r.VPADDQ(digit[0], all, all)
	return all
}

// lookup returns the words of a table at places, of which 22 is the last.
func (r *reader) lookup(table operand.Mem, place vec) vec {
	v, high := r.ZMM(), r.K()
	r.VMOVDQU64(table, v)
	r.VPERMT2Q(table.Offset(64), place, v)
	r.VPCMPUQ(operand.U8(less), place, r.all(2*rows-1), high)
	r.VPERMQ(table.Offset(128), place, high, v)
	return v
}

// round puts quotients of mantissas that a float64 does not hold and a power of ten in their places,
// and leaves those out that 64 bits do not decide. See quotient of package decimal; where a bit moves
// in from the lower half it is 0 here, which is as near.
func (r *reader) round(number, mantissa, scale vec, good reg.OpmaskVirtual) {
	large := r.K()
	r.VPTESTMQ(scale, scale, good, large)
	r.VPCMPUQ(operand.U8(less), mantissa, r.all(1<<53), large, large)
	r.KORTESTB(large, large)
	r.JZ(operand.LabelRef("exact"))
	lead, more, high := r.ZMM(), r.ZMM(), r.ZMM()
	r.VPLZCNTQ(mantissa, lead)
	r.VPSLLVQ(lead, mantissa, mantissa)
	r.upper(high, mantissa, r.lookup(r.inverse, scale))
	r.VPLZCNTQ(high, more)
	r.VPSLLVQ(more, high, high)

	rest, open := r.ZMM(), r.K()
	r.VPANDQ_BCST(r.at(1<<cut-1), high, rest)
	r.VPSUBQ_BCST(r.at(half-3), rest, rest)
	r.VPCMPUQ_BCST(operand.U8(lessOrEqual), r.at(3), rest, large, open)
	r.KANDNB(good, open, good)

	exponent := r.lookup(r.exponent, scale)
	r.VPSUBQ(lead, exponent, exponent)
	r.VPSUBQ(more, exponent, exponent)
	r.VPSLLQ(operand.U8(52), exponent, exponent)
	r.VPSRLQ(operand.U8(cut-1), high, high)
	r.VPADDQ_BCST(r.at(1), high, high)
	r.VPSRLQ(operand.U8(1), high, high)
	r.VPADDQ(exponent, high, large, number)
	r.Label("exact")
}

// upper makes the upper halves of products.
func (r *reader) upper(high, a, b vec) {
	upperA, upperB, cross, other, low := r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM(), r.ZMM()
	r.VPSRLQ(operand.U8(32), a, upperA)
	r.VPSRLQ(operand.U8(32), b, upperB)
	r.VPMULUDQ(a, b, low)
	r.VPMULUDQ(upperA, b, cross)
	r.VPMULUDQ(a, upperB, other)
	r.VPMULUDQ(upperA, upperB, high)
	r.VPSRLQ(operand.U8(32), low, low)
	r.VPADDQ(low, cross, cross)
	r.VPANDQ_BCST(r.at(1<<32-1), cross, low)
	r.VPADDQ(low, other, other)
	r.VPSRLQ(operand.U8(32), cross, cross)
	r.VPSRLQ(operand.U8(32), other, other)
	r.VPADDQ(cross, high, high)
	r.VPADDQ(other, high, high)
}
