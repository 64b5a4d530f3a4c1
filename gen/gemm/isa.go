package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A float is one of the two element types.
type float struct {
	name  string // as Go spells it
	short string // in the names of functions
	size  int    // bytes
}

var (
	float32s = float{name: "float32", short: "F32", size: 4}
	float64s = float{name: "float64", short: "F64", size: 8}
)

// pick returns the instruction for the element type.
func pick[T any](f float, single, double T) T {
	if f.size == 4 {
		return single
	}
	return double
}

func (f float) fma(x, y, sum Op)     { pick(f, VFMADD231PS, VFMADD231PD)(x, y, sum) }
func (f float) mul(x, y, product Op) { pick(f, VMULPS, VMULPD)(x, y, product) }
func (f float) move(from, to Op)     { pick(f, VMOVUPS, VMOVUPD)(from, to) }
func (f float) broadcast(m, v Op)    { pick(f, VBROADCASTSS, VBROADCASTSD)(m, v) }

// fmaScalar adds x·y to the lowest element of sum.
func (f float) fmaScalar(x, y, sum Op) { pick(f, VFMADD231SS, VFMADD231SD)(x, y, sum) }

// addScalar sets the lowest element of sum to x + y.
func (f float) addScalar(x, y, sum Op) { pick(f, VADDSS, VADDSD)(x, y, sum) }

// moveScalar copies one element between memory and a register.
func (f float) moveScalar(from, to Op) {
	if f.size == 4 {
		VMOVSS(from, to)
	} else {
		VMOVSD(from, to)
	}
}

// A set is an instruction set with its vectors, and the strips that are packed
// for it.
type set struct {
	width int // bytes of a vector
	mr    int // rows of a strip of a
	wide  int // vectors of a strip of b
}

var (
	avx2   = set{width: 32, mr: 6, wide: 2}
	avx512 = set{width: 64, mr: 8, wide: 3}
)

// registers returns n vectors.
func (s set) registers(n int) []reg.VecVirtual {
	v := make([]reg.VecVirtual, n)
	for i := range v {
		v[i] = s.vector()
	}
	return v
}

func (s set) vector() reg.VecVirtual {
	if s == avx512 {
		return ZMM()
	}
	return YMM()
}

func (s set) zero(v Op) {
	if s == avx512 {
		VPXORD(v, v, v)
	} else {
		VXORPS(v, v, v)
	}
}
