package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// runs emits the sum over blocks of 64 letters. Bit i of at says that letter i of a block is the
// same in both, next says so of the block behind it, and bit i of begin that k such letters begin
// at i, for k = 1, 2, … d. The first four are unrolled where d has them.
func runs(t *target, _ op) {
	x := t.Load(t.Param("x").Base(), t.GP64())
	y := t.Load(t.Param("y").Base(), t.GP64())
	left := t.Load(t.Param("x").Len(), t.GP64())
	d := t.Load(t.Param("d"), t.GP64())
	at, next, behind, begin, weight, sum := t.GP64(), t.GP64(), t.GP64(), t.GP64(), t.GP64(), t.GP64()
	t.XORQ(at, at) // before the first block nothing begins
	t.XORQ(sum, sum)

	t.Label("block")
	t.CMPQ(left, operand.U32(64))
	t.JGE(operand.LabelRef("whole"))
	t.TESTQ(left, left)
	t.JG(operand.LabelRef("part"))
	t.XORQ(next, next)
	t.DECQ(left) // below 0: no block is left
	t.JMP(operand.LabelRef("count"))
	t.Label("part")
	t.matchPart(next, x, y, left)
	t.XORQ(left, left)
	t.JMP(operand.LabelRef("count"))
	t.Label("whole")
	t.matchWhole(next, x, y)
	t.ADDQ(operand.U32(64), x)
	t.ADDQ(operand.U32(64), y)
	t.SUBQ(operand.U32(64), left)

	t.Label("count")
	t.MOVQ(d, weight)
	t.MOVQ(at, begin)
	t.MOVQ(next, behind)
	t.CMPQ(d, operand.U32(4))
	t.JLE(operand.LabelRef("longer"))
	for k := 1; k <= 4; k++ {
		t.weigh(sum, begin, weight)
		t.DECQ(weight)
		t.shifted(begin, at, next, k)
	}
	t.shift(at, behind, 4)
	t.Label("longer")
	t.TESTQ(begin, begin)
	t.JZ(operand.LabelRef("counted"))
	t.weigh(sum, begin, weight)
	t.shift(at, behind, 1)
	t.ANDQ(at, begin)
	t.DECQ(weight)
	t.JNZ(operand.LabelRef("longer"))
	t.Label("counted")
	t.MOVQ(next, at)
	t.TESTQ(left, left)
	t.JGE(operand.LabelRef("block"))
	t.VZEROUPPER()
	t.Store(sum, t.ReturnIndex(0))
	t.RET()
}

// weigh adds the bits of begin to the sum, with a weight.
func (t *target) weigh(sum, begin, weight reg.Register) {
	ones := t.GP64()
	t.POPCNTQ(begin, ones)
	t.IMULQ(weight, ones)
	t.ADDQ(ones, sum)
}

// shifted leaves of begin the bits that at and next have k places on.
func (t *target) shifted(begin, at, next reg.Register, k int) {
	low, high := t.GP64(), t.GP64()
	t.MOVQ(at, low)
	t.SHRQ(operand.U8(uint8(k)), low)
	t.MOVQ(next, high)
	t.SHLQ(operand.U8(uint8(64-k)), high)
	t.ORQ(high, low)
	t.ANDQ(low, begin)
}

// shift moves at and what is behind it on by k places.
func (t *target) shift(at, behind reg.Register, k int) {
	high := t.GP64()
	t.SHRQ(operand.U8(uint8(k)), at)
	t.MOVQ(behind, high)
	t.SHLQ(operand.U8(uint8(64-k)), high)
	t.ORQ(high, at)
	t.SHRQ(operand.U8(uint8(k)), behind)
}

// matchWhole says which of 64 letters are the same.
func (t *target) matchWhole(dst, x, y reg.Register) {
	if t.wide {
		v, same := t.ZMM(), t.K()
		t.VMOVDQU8(operand.Mem{Base: x}, v)
		t.VPCMPEQB(operand.Mem{Base: y}, v, same)
		t.KMOVQ(same, dst)
		return
	}
	high := t.GP64()
	t.match32(dst, operand.Mem{Base: x}, operand.Mem{Base: y})
	t.match32(high, operand.Mem{Base: x, Disp: 32}, operand.Mem{Base: y, Disp: 32})
	t.SHLQ(operand.U8(32), high)
	t.ORQ(high, dst)
}

// matchPart says which of fewer letters are the same. At AVX2 those of the last 32 that it looks
// at too stand in the same strings.
func (t *target) matchPart(dst, x, y, left reg.Register) {
	if t.wide {
		v, w, there, same := t.ZMM(), t.ZMM(), t.K(), t.K()
		t.MOVQ(operand.I32(-1), dst)
		t.BZHIQ(left, dst, dst)
		t.KMOVQ(dst, there)
		t.VMOVDQU8_Z(operand.Mem{Base: x}, there, v)
		t.VMOVDQU8_Z(operand.Mem{Base: y}, there, w)
		t.VPCMPEQB(v, w, there, same)
		t.KMOVQ(same, dst)
		return
	}
	last, by := t.GP64(), t.GP64()
	t.match32(last, operand.Mem{Base: x, Index: left, Scale: 1, Disp: -32},
		operand.Mem{Base: y, Index: left, Scale: 1, Disp: -32})
	t.MOVQ(operand.U32(32), by)
	t.SUBQ(left, by)
	t.JLT(operand.LabelRef("more"))
	t.SHRXQ(by, last, dst)
	t.JMP(operand.LabelRef("parted"))
	t.Label("more")
	t.NEGQ(by)
	t.SHLXQ(by, last, last)
	t.match32(dst, operand.Mem{Base: x}, operand.Mem{Base: y})
	t.ORQ(last, dst)
	t.Label("parted")
}

func (t *target) match32(dst reg.Register, x, y operand.Mem) {
	v := t.YMM()
	t.VMOVDQU(x, v)
	t.VPCMPEQB(y, v, v)
	t.VPMOVMSKB(v, dst.(reg.GPVirtual).As32())
}

var runsOps = []op{{
	name:   "runs",
	only:   64,
	params: []param{{"x", "string"}, {"y", "string"}, {"d", "int"}},
	result: "int",
	doc: []string{
		"sum := 0 // x has at least 32 letters, y as many, and d is from 1 to 64",
		"for k := 1; k <= d; k++ {",
		"\tfor i := range len(x) - k + 1 {",
		"\t\tif x[i:i+k] == y[i:i+k] {",
		"\t\t\tsum += d - k + 1",
		"\t\t}",
		"\t}",
		"}",
		"return sum",
	},
	emit: runs,
}}
