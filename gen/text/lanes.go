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
	last, across := r.GP64(), r.GP64()
	r.LEAQ(operand.Mem{Base: r.ends, Index: r.count, Scale: 4}, last)
	r.LEAQ(operand.Mem{Base: last, Index: r.skip, Scale: 1}, across)
	r.CMPQ(r.row, r.count)
	r.CMOVQLT(across, last)
	r.MOVLQSX(operand.Mem{Base: last}, span)
	r.INCQ(base)
	r.CMPQ(base, r.tail)
	r.JHI(operand.LabelRef("beyond"))
	r.SUBQ(base, span)
	r.CMPQ(span, operand.U32(window))
	r.JHI(operand.LabelRef("long"))

	before, end := r.bounds("short", r.ends, r.row)
	bases, long := r.ZMM(), r.K()
	r.VPBROADCASTD(before.AsX(), bases)
	sign, behind, size := r.from(bases, before, end)
	r.VPCMPUD(operand.U8(greater), r.pairs(lane+1), size, long)
	r.KTESTB(long, long)
	r.JNZ(operand.LabelRef("long"))

	w, fourth := r.text128(base), r.K()
	r.KMOVQ(r.all(0x11111111), fourth)
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
	some := r.GP32()
	r.KMOVB(pointed, some)
	r.keep(0, number, mantissa, negative, some)
	r.step(1)
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

// long is eight numbers of up to 24 bytes and 19 digits, as far as they are read. What is wrong with one is a bit.
type long struct {
	*cells
	group                                       int
	w                                           [2][2]vec // of the first four numbers, and of the others
	sign, behind, size, point, mantissa, number vec
	digit, high, most                           [2]vec
	wrong, negative                             reg.OpmaskVirtual
	pointed                                     reg.GPVirtual
}

// single reads a group of long numbers, and goes on with the next. Where one is another, it returns which are.
func (r *cells) single(odd reg.GPVirtual) {
	g := &long{cells: r, wrong: r.K()}
	g.open("one", "beyond", r.ends, r.row)
	for _, stage := range stages {
		stage(g)
	}
	r.keep(0, g.number, g.mantissa, g.negative, g.pointed)
	r.KANDB(r.some, g.wrong, g.wrong)
	r.KMOVB(g.wrong, odd.As32())
	r.TESTL(odd.As32(), odd.As32())
	r.JZ(operand.LabelRef("good"))
	r.JMP(operand.LabelRef("odd"))
	r.Label("good")
	r.step(1)
}

// pair reads two groups of long numbers at once, as each is a chain of steps that wait for each other, and goes on
// with the next. It falls through if there are fewer, or one is another.
func (r *cells) pair() {
	r.CMPQ(r.left, operand.U8(2*rows))
	r.JLT(operand.LabelRef("single"))
	wrong := r.K()
	two := [2]*long{{cells: r, wrong: wrong}, {cells: r, wrong: wrong, group: 1}}
	ends, row := r.GP64(), r.GP64()
	r.MOVQ(r.ends, ends)
	r.MOVQ(r.row, row)
	r.forward(ends, row)
	two[0].open("first", "single", r.ends, r.row)
	two[1].open("second", "single", ends, row)
	for _, stage := range stages {
		for _, g := range two {
			stage(g)
		}
	}
	r.KORTESTB(wrong, wrong)
	r.JNZ(operand.LabelRef("single"))
	for _, g := range two {
		r.keep(g.group, g.number, g.mantissa, g.negative, g.pointed)
	}
	r.step(2)
}

// stages are what makes numbers of the text of a group, in order.
var stages = []func(*long){
	(*long).begin, (*long).choose, (*long).place, (*long).check, (*long).digits, (*long).divide,
}

// open looks for the text of a group. It jumps if that is too near to the end.
func (r *long) open(name, beyond string, ends, row reg.GPVirtual) {
	before, end := r.bounds(name, ends, row)
	bases := r.held(r.constant(0, 0, 4|4<<32, 4|4<<32, 0, 0, 0, 0))
	r.VPERMD(before, bases, bases)
	r.sign, r.behind, r.size = r.from(bases, before, end)
	for k := range r.w {
		base, one := r.GP64(), bases.AsX()
		if k > 0 {
			one = r.XMM()
			r.VEXTRACTI32X4(operand.U8(1), bases, one)
		}
		r.VMOVD(one, base.As32())
		r.MOVLQSX(base.As32(), base)
		r.INCQ(base)
		r.CMPQ(base, r.tail)
		r.JHI(operand.LabelRef(beyond))
		r.w[k] = r.text128(base)
	}
}

// begin takes signs off.
func (r *long) begin() {
	is := r.wrong
	if r.group > 0 {
		is = r.K()
	}
	r.VPCMPUD(operand.U8(greater), r.pairs(longest+1), r.size, is)
	if r.group > 0 {
		r.KORB(r.wrong, is, r.wrong)
	}
	is = r.K()
	r.VPCMPUD(operand.U8(greater), r.pairs(window+1), r.behind, r.some, is)
	r.KORB(r.wrong, is, r.wrong)
	four := r.K()
	for k := range r.w { // those of one window, and then the others in their places
		r.half64(four, k)
		r.VPERMI2B(r.w[k][1], r.w[k][0], four, r.sign)
	}
	r.VPANDD(r.pairs(0xff), r.sign, r.sign)
	r.negative = r.unsign(r.sign, r.size)
}

// choose puts digits into lanes, and looks for the point.
func (r *long) choose() {
	var at [2]vec
	for k := range r.digit {
		b, s := r.spread(r.behind, 4*k, 1), r.spread(r.size, 4*k, 1)
		r.digit[k], r.high[k] = r.chosen(r.w[k], b, s, 0), r.chosen(r.w[k], b, s, lane)
		at[k] = r.cells.pointed(r.digit[k], lane)
		r.VPADDQ(r.cells.pointed(r.high[k], 0), at[k], at[k])
	}
	r.point = r.halves(at)
}

// place moves the digits before the point by one place.
func (r *long) place() {
	for k := range r.digit {
		r.most[k] = r.ZMM()
		r.VPALIGNR(operand.U8(lane-1), r.high[k], r.digit[k], r.upTo(r.point, k, lane), r.digit[k])
		r.VPSHUFB(r.shift, r.high[k], r.upTo(r.point, k, 0), r.high[k])
		r.VPMAXUB(r.digit[k], r.high[k], r.most[k])
	}
}

// check looks for numbers without a digit, and for what is none.
func (r *long) check() {
	r.natural(r.point)
	few, pointed := r.few(r.size, r.point)
	r.pointed = r.GP32()
	r.KMOVB(pointed, r.pointed)
	r.KORB(r.wrong, few, r.wrong)

	// What is odd in some byte of a lane is so in a half of it.
	bad, other, is := r.ZMM(), r.ZMM(), r.K()
	r.VPUNPCKLQDQ(r.most[1], r.most[0], bad)
	r.VPUNPCKHQDQ(r.most[1], r.most[0], other)
	r.VPMAXUB(other, bad, bad)
	r.VPSUBUSB(r.all(9*everyone), bad, bad)
	r.natural(bad)
	r.VPTESTMQ(bad, bad, is)
	r.KORB(r.wrong, is, r.wrong)
}

// digits makes mantissas of digits.
func (r *long) digits() {
	is := r.K()
	r.mantissa = r.value(r.digit)
	upper := r.ZMM()
	for k := range r.high {
		r.fours(r.high[k])
	}
	r.VPUNPCKHQDQ(r.high[1], r.high[0], upper)
	r.VPRORQ(operand.U8(32), upper, upper)
	more := r.ZMM()
	r.VPMULLQ(r.all(1e16), upper, more)
	r.VPADDQ(more, r.mantissa, r.mantissa)
	r.natural(upper)
	r.natural(r.mantissa)
	r.VPCMPUQ(operand.U8(greater), r.all(999), upper, is)
	r.KORB(r.wrong, is, r.wrong)
}

// divide makes numbers of mantissas.
func (r *long) divide() { r.number = r.quotient(r.mantissa, r.point, r.wrong) }

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
