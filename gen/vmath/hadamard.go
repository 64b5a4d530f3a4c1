package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// A Walsh–Hadamard transform is log2(n) passes of butterflies (a, b) → (a+b, a-b)
// at distances 1, 2, 4 and so on. The first passes, up to eight vectors, are
// done in registers; the others two at a time, so that each element is read and
// written once for both. Sums are those of one pass after the other.

// walshVectors is how many vectors of a block are transformed in registers.
const walshVectors = 8

// swap exchanges the lanes of v at the given distance: lane i gets lane i^h.
func (t *target) swap(dst, v vec, h int) {
	switch bytes := h * t.size(); bytes {
	case 4:
		t.VPERMILPS(operand.U8(0xb1), v, dst)
	case 8:
		if t.bits == 32 {
			t.VPERMILPS(operand.U8(0x4e), v, dst)
		} else {
			t.VPERMILPD(operand.U8(0x55>>(8-t.lanes())), v, dst) // a bit a lane
		}
	case 16:
		t.VPERMPD(operand.U8(0x4e), v, dst)
	case 32:
		t.VSHUFF64X2(operand.U8(0x4e), v, v, dst)
	}
}

// alternating loads +1 in the lanes i with i&h = 0 and -1 in the others. The
// tables of a file are shared by the levels.
func (t *target) alternating(h int) vec {
	v := t.vec()
	t.load(v, operand.NewDataAddr(operand.Symbol{Name: t.alternatingName(h), Static: true}, 0))
	return v
}

func (t *target) alternatingName(h int) string { return fmt.Sprintf("alternating%dx%d", t.bits, h) }

// alternatingTables writes the tables, long enough for AVX-512.
func (t *target) alternatingTables() {
	for h := 1; h*t.size() < 64; h *= 2 {
		t.StaticGlobal(t.alternatingName(h))
		t.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := 0; i < 64/t.size(); i++ {
			x := 1.0
			if i&h != 0 {
				x = -1
			}
			if t.bits == 32 {
				t.AddDatum(4*i, operand.U32(math.Float32bits(float32(x))))
			} else {
				t.AddDatum(8*i, operand.U64(math.Float64bits(x)))
			}
		}
	}
}

// butterfly sets (a, b) to (a+b, a-b).
func (t *target) butterfly(a, b *vec) {
	d := t.vec()
	t.sub(d, *a, *b)
	t.add(*a, *a, *b)
	*b = d
}

// walsh emits the passes within blocks of walshVectors vectors.
func walsh(t *target, _ op) {
	if t.wide {
		t.alternatingTables()
	}
	ptr := t.Load(t.Param("x").Base(), t.GP64())
	n := t.Load(t.Param("x").Len(), t.GP64())
	var sign []vec
	for h := 1; h < t.lanes(); h *= 2 {
		sign = append(sign, t.alternating(h))
	}
	t.Label("block")
	v := t.vecs(walshVectors)
	for i := range v {
		t.load(v[i], operand.Mem{Base: ptr, Disp: i * t.width()})
	}
	for s, pm := range sign {
		for i := range v {
			other := t.vec()
			t.swap(other, v[i], 1<<s)
			t.horner(v[i], pm, other) // ±1 times a number is exact
		}
	}
	for h := 1; h < walshVectors; h *= 2 {
		for i := range v {
			if i&h == 0 {
				t.butterfly(&v[i], &v[i+h])
			}
		}
	}
	for i := range v {
		t.store(operand.Mem{Base: ptr, Disp: i * t.width()}, v[i])
	}
	t.ADDQ(operand.U32(uint32(walshVectors*t.width())), ptr)
	t.SUBQ(operand.U32(uint32(walshVectors*t.lanes())), n)
	t.JNZ(operand.LabelRef("block"))
	t.VZEROUPPER()
	t.RET()
}

// passes emits a pass of butterflies at distance h and, for 4 parts, the one at
// distance 2·h with it.
func passes(parts int) func(t *target, o op) {
	return func(t *target, _ op) {
		base := t.Load(t.Param("x").Base(), t.GP64())
		n := t.Load(t.Param("x").Len(), t.GP64())
		h := t.Load(t.Param("h"), t.GP64())
		t.SHLQ(operand.U8(by[uint8](t, 2, 3)), n)
		t.SHLQ(operand.U8(by[uint8](t, 2, 3)), h)
		end := t.GP64()
		t.LEAQ(operand.Mem{Base: base, Index: n, Scale: 1}, end)
		unroll := 2
		if parts == 8 { // registers
			unroll = 1
		}
		t.Label("group")
		left := t.GP64()
		t.MOVQ(h, left)
		t.Label("run")
		at := base
		v := make([][]vec, unroll)
		for p := range parts {
			for u := range unroll {
				if p == 0 {
					v[u] = t.vecs(parts)
				}
				t.load(v[u][p], operand.Mem{Base: at, Disp: u * t.width()})
			}
			if p < parts-1 {
				next := t.GP64()
				t.LEAQ(operand.Mem{Base: at, Index: h, Scale: 1}, next)
				at = next
			}
		}
		for d := 1; d < parts; d *= 2 {
			for p := range parts {
				if p&d == 0 {
					for u := range unroll {
						t.butterfly(&v[u][p], &v[u][p+d])
					}
				}
			}
		}
		at = base
		for p := range parts {
			for u := range unroll {
				t.store(operand.Mem{Base: at, Disp: u * t.width()}, v[u][p])
			}
			if p < parts-1 {
				next := t.GP64()
				t.LEAQ(operand.Mem{Base: at, Index: h, Scale: 1}, next)
				at = next
			}
		}
		t.ADDQ(operand.U32(uint32(unroll*t.width())), base)
		t.SUBQ(operand.U32(uint32(unroll*t.width())), left)
		t.JNZ(operand.LabelRef("run"))
		for range parts - 1 {
			t.ADDQ(h, base)
		}
		t.CMPQ(base, end)
		t.JLT(operand.LabelRef("group"))
		t.VZEROUPPER()
		t.RET()
	}
}

// stripBytes is the size of the strips that sumStrips adds.
const stripBytes = 512

// sumStrips emits sums of chosen strips, kept in registers.
func sumStrips(t *target, _ op) {
	dst := t.Load(t.Param("dst").Base(), t.GP64())
	x := t.Load(t.Param("x").Base(), t.GP64())
	index := t.Load(t.Param("index").Base(), t.GP64())
	n := t.Load(t.Param("index").Len(), t.GP64())
	acc := t.vecs(stripBytes / t.width())
	for i, a := range acc {
		t.load(a, operand.Mem{Base: dst, Disp: i * t.width()})
	}
	t.TESTQ(n, n)
	t.JZ(operand.LabelRef("done"))
	t.Label("strip")
	at := t.GP64()
	t.MOVLQSX(operand.Mem{Base: index}, at)
	t.SHLQ(operand.U8(9), at)
	t.ADDQ(x, at)
	for i, a := range acc {
		by(t, t.VADDPS, t.VADDPD)(operand.Mem{Base: at, Disp: i * t.width()}, a, a)
	}
	t.ADDQ(operand.U32(4), index)
	t.DECQ(n)
	t.JNZ(operand.LabelRef("strip"))
	t.Label("done")
	for i, a := range acc {
		t.store(operand.Mem{Base: dst, Disp: i * t.width()}, a)
	}
	t.VZEROUPPER()
	t.RET()
}

var hadamardOps = []op{
	{
		name:   "walsh",
		params: []param{{"x", "[]F"}},
		doc: []string{
			"for b := x; len(b) > 0; b = b[block:] { // 8 vectors: 256 bytes at AVX2, 512 at AVX-512",
			"\tfor h := 1; h < block; h *= 2 {",
			"\t\tbutterflies(b[:block], h)",
			"\t}",
			"}",
		},
		emit: walsh,
	},
	{
		name:   "butterflies",
		params: []param{{"x", "[]F"}, {"h", "int"}},
		doc: []string{
			"for i := range x {",
			"\tif i&h == 0 {",
			"\t\tx[i], x[i+h] = x[i]+x[i+h], x[i]-x[i+h]",
			"\t}",
			"}",
		},
		emit: passes(2),
	},
	{
		name:   "butterflies4x",
		params: []param{{"x", "[]F"}, {"h", "int"}},
		doc:    []string{"butterflies(x, h)", "butterflies(x, 2*h)"},
		emit:   passes(4),
	},
	{
		name:   "butterflies8x",
		params: []param{{"x", "[]F"}, {"h", "int"}},
		doc:    []string{"butterflies(x, h)", "butterflies(x, 2*h)", "butterflies(x, 4*h)"},
		emit:   passes(8),
	},
	{
		name:   "sumStrips",
		params: []param{{"dst", "[]F"}, {"x", "[]F"}, {"index", "[]int32"}},
		doc: []string{
			"for _, i := range index {",
			"\tfor l := range dst { // 512 bytes of them",
			"\t\tdst[l] += x[int(i)*len(dst)+l]",
			"\t}",
			"}",
		},
		emit: sumStrips,
	},
}
