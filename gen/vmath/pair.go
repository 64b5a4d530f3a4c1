package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Steps of two variables are computed in float64 whatever the precision F of the
// rows of K. The lanes of a vector each keep the best of their elements and its
// place; who calls joins them.

// wide64 returns the target of float64 at the same level.
func (t *target) wide64() *target {
	d := *t
	d.bits, d.pool = 64, t.double
	return &d
}

// places returns a vector of the lanes' numbers less the number of lanes, and one
// of the number of lanes: added before each step they count the elements.
func (t *target) places() (at, step vec) {
	at, step = t.vec(), t.vec()
	t.load(at, t.counts())
	lanes := t.GP64()
	t.MOVQ(operand.U32(uint32(t.lanes())), lanes)
	t.VMOVQ(lanes, step.AsX())
	t.VPBROADCASTQ(step.AsX(), step)
	t.subInt(at, at, step)
	return at, step
}

// counts returns the address of the numbers 0 to 7 as integers.
func (t *target) counts() operand.Mem {
	*t.counted = true
	return operand.NewDataAddr(operand.Symbol{Name: countsName, Static: true}, 0)
}

const countsName = "counts"

// row loads elements of a row of K as float64, less those of another one if there
// is one: the difference is of the precision of the rows.
func (t *target) row(dst vec, m operand.Mem, less *operand.Mem) {
	d := t.wide64()
	switch {
	case t.bits == 64:
		d.load(dst, m)
		if less != nil {
			t.VSUBPD(*less, dst, dst)
		}
	case less == nil:
		t.VCVTPS2PD(m, dst)
	case t.wide:
		half := t.YMM()
		t.VMOVUPS(m, half)
		t.VSUBPS(*less, half, half)
		t.VCVTPS2PD(half, dst)
	default:
		half := t.XMM()
		t.VMOVUPS(m, half)
		t.VSUBPS(*less, half, half)
		t.VCVTPS2PD(half, dst)
	}
}

// vectors emits a loop over whole vectors of float64 with the element's number in
// a register, and returns how many elements that were.
func (t *target) vectors(of string, body func(d *target, k reg.Register)) {
	d := t.wide64()
	n := t.Load(t.Param(of).Len(), t.GP64())
	k := t.GP64()
	t.XORQ(k, k)
	t.ANDQ(operand.I32(-int32(d.lanes())), n)
	t.JZ(operand.LabelRef("done"))
	t.Label("vector")
	body(d, k)
	t.ADDQ(operand.U32(uint32(d.lanes())), k)
	t.CMPQ(k, n)
	t.JLT(operand.LabelRef("vector"))
	t.Label("done")
}

// element returns the address of element k of a slice of the given size.
func element(base, k reg.Register, size int) operand.Mem {
	return operand.Mem{Base: base, Index: k, Scale: uint8(size)}
}

// pairFollow looks at the lanes one by one where an element is not below the highest of all of them: few are
// not, and what must wait for the last such look is not waited for.
func pairFollow(t *target, _ op) {
	d := t.wide64()
	base := func(name string) reg.Register { return t.Load(t.Param(name).Base(), t.GP64()) }
	f, ki, kj, grow, fall := base("f"), base("ki"), base("kj"), base("grow"), base("fall")
	delta := d.arg("delta")
	at, step := d.places()
	top, bottom, best, bar := d.vec(), d.vec(), d.vec(), d.vec()
	lanes := t.Load(t.Param("lanes"), t.GP64())
	d.load(top, operand.Mem{Base: lanes})
	d.copyTo(bar, top)
	d.load(bottom, operand.Mem{Base: lanes, Disp: 64})
	d.load(best, operand.Mem{Base: lanes, Disp: 128})
	t.vectors("f", func(d *target, k reg.Register) {
		d.addInt(at, at, step)
		s, by, v := d.vec(), d.vec(), d.vec()
		less := element(kj, k, t.size())
		t.row(by, element(ki, k, t.size()), &less)
		d.mul(by, by, delta)
		d.load(s, element(f, k, 8))
		d.sub(s, s, by)
		d.store(element(f, k, 8), s)
		t.VADDPD(element(grow, k, 8), s, v)
		d.unlessAny(d.compare(v, notBelow, bar), "below", func() {
			m := d.compare(v, notBelow, top)
			d.where(m, best, at)
			d.where(m, top, v)
			d.highest(bar, top)
		})
		t.VADDPD(element(fall, k, 8), s, v)
		d.min(bottom, v, bottom) // bottom where v is NaN
	})
	d.store(operand.Mem{Base: lanes}, top)
	d.store(operand.Mem{Base: lanes, Disp: 64}, bottom)
	d.store(operand.Mem{Base: lanes, Disp: 128}, best)
	t.VZEROUPPER()
	t.RET()
}

// barSlack is by how much the bar of pairPartner lies below the best quotient: far more than roundings take
// from a product, that of numbers too small to be normal too.
const barSlack = 0x1p-20

// pairPartner divides where that may matter: numerators that are below the best quotient so far times
// their denominator, with room for rounding, are not the best.
func pairPartner(t *target, _ op) {
	d := t.wide64()
	base := func(name string) reg.Register { return t.Load(t.Param(name).Base(), t.GP64()) }
	f, ki, own, fall := base("f"), base("ki"), base("own"), base("fall")
	top, mine, least := d.arg("top"), d.arg("mine"), d.arg("least")
	magnitude, slack := d.absBits(), d.con(1-barSlack)
	at, step := d.places()
	most, best, bar := d.vec(), d.vec(), d.vec()
	lanes := t.Load(t.Param("lanes"), t.GP64())
	d.load(most, operand.Mem{Base: lanes})
	d.load(best, operand.Mem{Base: lanes, Disp: 128})
	d.mul(bar, most, slack)
	t.vectors("f", func(d *target, k reg.Register) {
		d.addInt(at, at, step)
		apart, size, bend, twice := d.vec(), d.vec(), d.vec(), d.vec()
		d.load(apart, element(f, k, 8))
		t.VADDPD(element(fall, k, 8), apart, apart)
		d.sub(apart, top, apart)
		d.and(size, apart, magnitude)
		d.mul(apart, apart, size)
		t.row(twice, element(ki, k, t.size()), nil)
		d.add(twice, twice, twice)
		t.VADDPD(element(own, k, 8), mine, bend)
		d.sub(bend, bend, twice)
		d.max(bend, least, bend) // NaN stays
		d.mul(size, bar, bend)
		d.unlessAny(d.compare(apart, notBelow, size), "below", func() {
			d.div(apart, apart, bend)
			m := d.compare(apart, notBelow, most)
			d.where(m, best, at)
			d.where(m, most, apart)
			d.highest(bar, most)
			d.mul(bar, bar, slack)
		})
	})
	d.store(operand.Mem{Base: lanes}, most)
	d.store(operand.Mem{Base: lanes, Disp: 128}, best)
	t.VZEROUPPER()
	t.RET()
}

// unlessAny emits what is to be done where a lane of m is selected.
func (t *target) unlessAny(m mask, stem string, body func()) {
	over, any := t.label(stem), t.GP32()
	t.XORL(any, any)
	t.collect(any, m)
	t.TESTL(any, any)
	t.JZ(operand.LabelRef(over))
	body()
	t.Label(over)
}

// highest sets every lane of dst to the largest lane of a, of float64.
func (t *target) highest(dst, a vec) {
	half, quarter, turned := t.YMM(), t.XMM(), t.XMM()
	if t.wide {
		t.VEXTRACTF64X4(operand.U8(1), a, half)
		t.VMAXPD(a.AsY(), half, half)
	} else {
		t.VMOVAPD(a, half)
	}
	t.VEXTRACTF128(operand.U8(1), half, quarter)
	t.VMAXPD(half.AsX(), quarter, quarter)
	t.VPERMILPD(operand.U8(1), quarter, turned)
	t.VMAXPD(turned, quarter, quarter)
	t.VBROADCASTSD(quarter, dst)
}

var pairOps = []op{
	{
		name: "pairFollow",
		params: []param{{"f", "[]float64"}, {"delta", "float64"}, {"ki", "[]F"}, {"kj", "[]F"}, {"grow", "[]float64"},
			{"fall", "[]float64"}, {"lanes", "*[24]float64"}},
		doc: []string{
			"n := len(f) / w * w // w lanes: 4 at AVX2, 8 at AVX-512, none in plain Go",
			"for k := range n {",
			"\tl := k % w // top in lanes[:8], bottom in lanes[8:16], the bits of best in lanes[16:]",
			"\tf[k] -= float64(delta * float64(ki[k]-kj[k]))",
			"\tif v := f[k] + grow[k]; v >= top[l] {", "\t\tbest[l], top[l] = k, v", "\t}",
			"\tif v := f[k] + fall[k]; v < bottom[l] {", "\t\tbottom[l] = v", "\t}",
			"}",
		},
		emit: pairFollow,
	},
	{
		name: "pairPartner",
		params: []param{{"f", "[]float64"}, {"ki", "[]F"}, {"own", "[]float64"}, {"fall", "[]float64"}, {"top", "float64"},
			{"mine", "float64"}, {"least", "float64"}, {"lanes", "*[24]float64"}},
		doc: []string{
			"n := len(f) / w * w // as in pairFollow",
			"for k := range n {",
			"\tl, d := k%w, top-(f[k]+fall[k])",
			"\tif q := d * abs(d) / max(least, mine+own[k]-2*float64(ki[k])); q >= most[l] {",
			"\t\tbest[l], most[l] = k, q",
			"\t}",
			"}",
		},
		emit: pairPartner,
	},
}
