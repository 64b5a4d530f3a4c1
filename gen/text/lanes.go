package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// short reads numbers of a lane each at most, and goes on with the next. It falls through if one is another.
func (r *cells) short() {
	base, span := r.GP64(), r.GP64()
	r.MOVLQSX(operand.Mem{Base: r.ends}, base)
	r.MOVLQSX(operand.Mem{Base: r.ends, Index: r.count, Scale: 4}, span)
	r.INCQ(base)
	r.CMPQ(base, r.tail)
	r.JHI(operand.LabelRef("beyond"))
	r.SUBQ(base, span)
	r.CMPQ(span, operand.U32(window))
	r.JHI(operand.LabelRef("long"))

	before, end := r.bounds()
	bases, long := r.ZMM(), r.K()
	r.VPBROADCASTD(before.AsX(), bases.AsY())
	sign, behind, size := r.from(bases, before, end)
	r.VPCMPUD(operand.U8(greater), r.pairs(lane+1), size.AsY(), long)
	r.KTESTB(long, long)
	r.JNZ(operand.LabelRef("long"))

	w, fourth := r.text128(base), r.K()
	r.KMOVQ(operand.NewDataAddr(operand.Symbol{Name: cellConstants, Static: true}, r.all(0x11111111).Disp), fourth)
	r.VPERMI2B_Z(w[1], w[0], fourth, sign)
	negative := r.unsign(sign, size)
	var digit, at [2]vec
	for k := range digit { // numbers of even places, and of odd ones
		digit[k] = r.chosen(w, r.spread(behind, k, 2), r.spread(size, k, 2), 0)
		at[k] = r.pointed(digit[k], 0)
	}
	point := r.halves(at)
	var wrong [2]reg.OpmaskVirtual
	for k, d := range digit {
		r.VPSHUFB(r.shift, d, r.upTo(point, k, 0), d)
		wrong[k] = r.K()
		r.VPCMPUB(operand.U8(greater), r.all(9*everyone), d, wrong[k])
	}
	few, pointed := r.few(size, point)
	r.KORQ(wrong[0], wrong[1], wrong[0])
	r.KORTESTQ(few, wrong[0])
	r.JNZ(operand.LabelRef("long"))

	mantissa, number, ten := r.value(digit), r.ZMM(), r.ZMM()
	r.VCVTUQQ2PD(mantissa, number)
	// A point in place p has 16-p digits behind it, and none is as one behind all.
	tens := func(k int) uint64 { return power((lane - k) % lane) }
	r.VMOVDQA64(point, ten)
	r.VPERMI2PD(r.eight(8, tens), r.held(r.eight(0, tens)), ten)
	r.VDIVPD(ten, number, number)
	r.keep(number, mantissa, negative, pointed)
	r.step()
}

// power returns the bits of a power of ten, of NaN where a float64 does not hold it.
func power(k int) uint64 {
	if k > tenMost {
		return math.Float64bits(math.NaN())
	}
	tens, _, _ := tables()
	return tens[k]
}

// eight is the words of a list from one on.
func (r *cells) eight(first int, word func(k int) uint64) operand.Mem {
	var list [rows]uint64
	for i := range list {
		list[i] = word(first + i)
	}
	return r.constant(list[:]...)
}

// long reads numbers of up to 24 bytes and 19 digits, and goes on with the next. Where one is another, it returns
// which are.
func (r *cells) long(odd reg.GPVirtual) {
	before, end := r.bounds()
	bases := r.held(r.constant(0, 0, 4|4<<32, 4|4<<32, 0, 0, 0, 0))
	r.VPERMD(before.AsY(), bases.AsY(), bases.AsY())
	sign, behind, size := r.from(bases, before, end)
	var w [2][2]vec // of the first four numbers, and of the others
	for k := range w {
		base, one := r.GP64(), bases.AsX()
		if k > 0 {
			one = r.XMM()
			r.VEXTRACTI128(operand.U8(1), bases.AsY(), one)
		}
		r.VMOVD(one, base.As32())
		r.MOVLQSX(base.As32(), base)
		r.INCQ(base)
		r.CMPQ(base, r.tail)
		r.JHI(operand.LabelRef("beyond"))
		w[k] = r.text128(base)
	}
	wrong, far := r.K(), r.K()
	r.VPCMPUD(operand.U8(greater), r.pairs(longest+1), size.AsY(), wrong)
	r.VPCMPUD(operand.U8(greater), r.pairs(window+1), behind.AsY(), r.some, far)
	r.KORB(wrong, far, wrong)

	four := r.K()
	for k := range w { // those of one window, and then the others in their places
		r.half64(four, k)
		r.VPERMI2B(w[k][1], w[k][0], four, sign)
	}
	r.VPANDD(r.pairs(0xff), sign, sign)
	negative := r.unsign(sign, size)
	var digit, high, at [2]vec
	for k := range digit {
		b, s := r.spread(behind, 4*k, 1), r.spread(size, 4*k, 1)
		digit[k], high[k] = r.chosen(w[k], b, s, 0), r.chosen(w[k], b, s, lane)
		at[k] = r.pointed(digit[k], lane)
		r.VPADDQ(r.pointed(high[k], 0), at[k], at[k])
	}
	point := r.halves(at)
	var most [2]vec
	for k := range digit {
		most[k] = r.ZMM()
		r.VPALIGNR(operand.U8(lane-1), high[k], digit[k], r.upTo(point, k, lane), digit[k])
		r.VPSHUFB(r.shift, high[k], r.upTo(point, k, 0), high[k])
		r.VPMAXUB(digit[k], high[k], most[k])
	}
	r.natural(point)
	few, pointed := r.few(size, point)
	r.KORB(wrong, few, wrong)

	// What is odd in some byte of a lane is so in a half of it.
	bad, other, is := r.ZMM(), r.ZMM(), r.K()
	r.VPUNPCKLQDQ(most[1], most[0], bad)
	r.VPUNPCKHQDQ(most[1], most[0], other)
	r.VPMAXUB(other, bad, bad)
	r.VPSUBUSB(r.all(9*everyone), bad, bad)
	r.natural(bad)
	r.VPTESTMQ(bad, bad, is)
	r.KORB(wrong, is, wrong)

	mantissa, upper := r.value(digit), r.ZMM()
	for k := range high {
		r.fours(high[k])
	}
	r.VPUNPCKHQDQ(high[1], high[0], upper)
	r.VPRORQ(operand.U8(32), upper, upper)
	more := r.ZMM()
	r.VPMULLQ(r.all(1e16), upper, more)
	r.VPADDQ(more, mantissa, mantissa)
	r.natural(upper)
	r.natural(mantissa)
	r.VPCMPUQ(operand.U8(greater), r.all(999), upper, is)
	r.KORB(wrong, is, wrong)

	number := r.quotient(mantissa, point, wrong)
	r.keep(number, mantissa, negative, pointed)
	r.KANDB(r.some, wrong, wrong)
	r.KMOVB(wrong, odd.As32())
	r.TESTL(odd.As32(), odd.As32())
	r.JZ(operand.LabelRef("good"))
	r.ADDQ(r.count, r.read)
	r.JMP(operand.LabelRef("return"))
	r.Label("good")
	r.step()
}

// half64 makes a mask of the lowest bytes of four words of 32 bits.
func (r *cells) half64(mask reg.OpmaskVirtual, k int) {
	r.KMOVQ(r.all(0x1111<<(16*k)), mask)
}

// natural puts words that are of the first and the second four numbers by turns in order.
func (r *cells) natural(v vec) {
	r.VPERMQ(v, r.held(r.constant(0, 2, 4, 6, 1, 3, 5, 7)), v)
}

// quotient returns the float64 next to mantissas over the power of ten that points in places of 32 tell, and adds
// those that are not certain to others.
//
// A mantissa is the sum of two float64, a and b. With q next to a/t, t the power, a - qt is a float64. So is the
// mantissa's quotient q + ((a - qt) + b)/t, of which the second summand is computed with three roundings. It is
// rounded when it is added, as it is and with 2⁻⁵¹ of it more or less: if both are the same, so is
// what is between them, the number.
func (r *cells) quotient(mantissa, point vec, open reg.OpmaskVirtual) vec {
	a, b, q := r.ZMM(), r.ZMM(), r.ZMM()
	r.VCVTUQQ2PD(mantissa, a)
	r.VCVTTPD2UQQ(a, b)
	r.VPSUBQ(b, mantissa, b)
	r.VCVTQQ2PD(b, b)
	low := r.K() // places up to 15, and of 32, as of none, nothing is behind
	r.VPTESTNMQ(r.all(lane), point, low)
	table := func(power func(k int) uint64) vec {
		v := r.ZMM()
		r.VMOVDQA64(point, v)
		r.VPERMI2PD(r.eight(24, power), r.held(r.eight(16, power)), v)
		r.VPERMPD(r.eight(8, power), point, low, v)
		return v
	}
	behind := func(k int) int {
		if k == 8 {
			return 0
		}
		return 2*lane - k
	}
	t := table(func(k int) uint64 { return power(behind(k)) })
	inverse := table(func(k int) uint64 { return math.Float64bits(1 / math.Float64frombits(power(behind(k)))) })
	r.VDIVPD(t, a, q)
	r.VFNMADD231PD(q, t, a)
	r.VADDPD(b, a, a)
	r.VMULPD(inverse, a, a)
	up, down, unsure := r.held(r.all(math.Float64bits(1+0x1p-51))), r.held(r.all(math.Float64bits(1-0x1p-51))), r.K()
	r.VFMADD213PD(q, a, up)
	r.VFMADD213PD(q, a, down)
	r.VCMPPD(operand.U8(unequal), up, down, unsure)
	r.KORB(open, unsure, open)
	return up
}
