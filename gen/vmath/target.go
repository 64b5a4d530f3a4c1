package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vec is a vector register of the target's width.
type vec = reg.VecVirtual

// A target emits instructions for one precision and one level. Its methods
// name their operands in the order of a formula; Go assembly reverses them.
type target struct {
	*build.Context
	bits    int  // 32 or 64
	wide    bool // AVX-512, else AVX2 with FMA
	pool    *pool
	double  *pool // that of float64
	masked  *bool // set where the table of masks is used
	counted *bool // set where the numbers of the lanes are
	labels  int
}

const (
	tailMaskName = "tailmask"
	tailBytes    = 256 // the longest tail, in bytes
)

// symbol names a function: expF32AVX2.
func (t *target) symbol(name string) string {
	if t.wide {
		return fmt.Sprintf("%sF%dAVX512", name, t.bits)
	}
	return fmt.Sprintf("%sF%dAVX2", name, t.bits)
}

// label returns a name unique in the function.
func (t *target) label(stem string) string {
	t.labels++
	return fmt.Sprintf("%s%d", stem, t.labels)
}

func (t *target) size() int { return t.bits / 8 }

// width is the number of bytes in a vector.
func (t *target) width() int {
	if t.wide {
		return 64
	}
	return 32
}

func (t *target) lanes() int { return t.width() / t.size() }

func (t *target) vec() vec {
	if t.wide {
		return t.ZMM()
	}
	return t.YMM()
}

func (t *target) vecs(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = t.vec()
	}
	return v
}

// by chooses the instruction of the precision.
func by[T any](t *target, f32, f64 T) T {
	if t.bits == 32 {
		return f32
	}
	return f64
}

// con broadcasts a constant.
func (t *target) con(x float64) vec {
	if t.bits == 32 {
		return t.conBits(uint64(math.Float32bits(float32(x))))
	}
	return t.conBits(math.Float64bits(x))
}

func (t *target) conBits(bits uint64) vec {
	v := t.vec()
	by(t, t.VBROADCASTSS, t.VBROADCASTSD)(t.pool.at(bits), v)
	return v
}

// arg broadcasts a scalar parameter.
func (t *target) arg(name string) vec {
	c, err := t.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := t.vec()
	by(t, t.VBROADCASTSS, t.VBROADCASTSD)(c.Addr, v)
	return v
}

func (t *target) zero() vec {
	v := t.vec()
	by(t, t.VXORPS, t.VXORPD)(v, v, v)
	return v
}

func (t *target) copyTo(dst, a vec) { by(t, t.VMOVAPS, t.VMOVAPD)(a, dst) }

func (t *target) load(dst vec, m operand.Mem)  { by(t, t.VMOVUPS, t.VMOVUPD)(m, dst) }
func (t *target) store(m operand.Mem, src vec) { by(t, t.VMOVUPS, t.VMOVUPD)(src, m) }

func (t *target) add(dst, a, b vec) { by(t, t.VADDPS, t.VADDPD)(b, a, dst) }
func (t *target) sub(dst, a, b vec) { by(t, t.VSUBPS, t.VSUBPD)(b, a, dst) }
func (t *target) mul(dst, a, b vec) { by(t, t.VMULPS, t.VMULPD)(b, a, dst) }
func (t *target) div(dst, a, b vec) { by(t, t.VDIVPS, t.VDIVPD)(b, a, dst) }

// max and min return b where one of a and b is NaN.
func (t *target) max(dst, a, b vec) { by(t, t.VMAXPS, t.VMAXPD)(b, a, dst) }
func (t *target) min(dst, a, b vec) { by(t, t.VMINPS, t.VMINPD)(b, a, dst) }

// horner sets acc = acc·x + c, with one rounding.
func (t *target) horner(acc, x, c vec) { by(t, t.VFMADD213PS, t.VFMADD213PD)(c, x, acc) }

// addMul sets acc += x·y, with one rounding.
func (t *target) addMul(acc, x, y vec) { by(t, t.VFMADD231PS, t.VFMADD231PD)(y, x, acc) }

// subMul sets acc -= x·y, with one rounding.
func (t *target) subMul(acc, x, y vec) { by(t, t.VFNMADD231PS, t.VFNMADD231PD)(y, x, acc) }

// mulSub sets acc = acc·x - c, with one rounding.
func (t *target) mulSub(acc, x, c vec) { by(t, t.VFMSUB213PS, t.VFMSUB213PD)(c, x, acc) }

func (t *target) and(dst, a, b vec) { by(t, t.VANDPS, t.VANDPD)(b, a, dst) }
func (t *target) or(dst, a, b vec)  { by(t, t.VORPS, t.VORPD)(b, a, dst) }
func (t *target) xor(dst, a, b vec) { by(t, t.VXORPS, t.VXORPD)(b, a, dst) }

// Integers of the size of an element.
func (t *target) addInt(dst, a, b vec) { by(t, t.VPADDD, t.VPADDQ)(b, a, dst) }
func (t *target) subInt(dst, a, b vec) { by(t, t.VPSUBD, t.VPSUBQ)(b, a, dst) }
func (t *target) shl(dst, a vec, n int) {
	by(t, t.VPSLLD, t.VPSLLQ)(operand.U8(n), a, dst)
}
func (t *target) shr(dst, a vec, n int) {
	by(t, t.VPSRLD, t.VPSRLQ)(operand.U8(n), a, dst)
}

// Predicates of compare.
const (
	equal     = operand.U8(0x00) // false for NaN
	unordered = operand.U8(0x03)
	less      = operand.U8(0x11) // false for NaN
	notLess   = operand.U8(0x15) // true for NaN
	greater   = operand.U8(0x1e) // false for NaN
	notBelow  = operand.U8(0x1d) // false for NaN
)

// A mask selects lanes: a vector whose sign bits count, or an opmask.
type mask = reg.Register

func (t *target) compare(a vec, p operand.U8, b vec) mask {
	if t.wide {
		k := t.K()
		by(t, t.VCMPPS, t.VCMPPD)(p, b, a, k)
		return k
	}
	m := t.vec()
	by(t, t.VCMPPS, t.VCMPPD)(p, b, a, m)
	return m
}

// signs selects the lanes with the sign bit set.
func (t *target) signs(v vec) mask {
	if !t.wide {
		return v
	}
	k := t.K()
	by(t, t.VPMOVD2M, t.VPMOVQ2M)(v, k)
	return k
}

// where sets a to b in the lanes of m.
func (t *target) where(m mask, a, b vec) {
	if t.wide {
		by(t, t.VMOVAPS, t.VMOVAPD)(b, m, a)
		return
	}
	by(t, t.VBLENDVPS, t.VBLENDVPD)(m, b, a, a)
}

// collect ors the lanes of m into a general register.
func (t *target) collect(r reg.GPVirtual, m mask) {
	g := t.GP32()
	if t.wide {
		t.KMOVW(m, g)
	} else {
		by(t, t.VMOVMSKPS, t.VMOVMSKPD)(m, g)
	}
	t.ORL(g, r.As32())
}

// mantissa is the number of stored bits of the significand.
func (t *target) mantissa() int { return by(t, 23, 52) }

// bias is the exponent's.
func (t *target) bias() float64 { return by[float64](t, 127, 1023) }

// signBit broadcasts the sign bit, and absBits all others.
func (t *target) signBit() vec { return t.conBits(by[uint64](t, 1<<31, 1<<63)) }
func (t *target) absBits() vec { return t.conBits(by[uint64](t, 1<<31-1, 1<<63-1)) }

// magic returns 1.5·2^mantissa + offset: added to a number of small magnitude
// it leaves the nearest integer, plus the offset, in the low bits of the sum.
func (t *target) magic(offset float64) float64 {
	return 1.5*math.Ldexp(1, t.mantissa()) + offset
}

// poly evaluates c[0] + c[1]·x + … + c[n]·xⁿ by Horner's rule, in all vectors
// step by step, so that each constant is loaded once.
func (t *target) poly(x []vec, c []float64) []vec {
	p := t.vecs(len(x))
	top := t.con(c[len(c)-1])
	for i := range x {
		t.copyTo(p[i], top)
	}
	for k := len(c) - 2; k >= 0; k-- {
		ck := t.con(c[k])
		for i := range x {
			t.horner(p[i], x[i], ck)
		}
	}
	return p
}
