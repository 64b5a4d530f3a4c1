package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A shape says which micro-kernel to write: rows × vectors of the product, from
// strips that may be larger.
type shape struct {
	float
	set
	rows, vectors int
}

func (s shape) lanes() int { return s.width / s.size }      // elements of a vector
func (s shape) cols() int  { return s.vectors * s.lanes() } // that are computed
func (s shape) nr() int    { return s.wide * s.lanes() }    // of a packed strip

// unroll is the number of steps of depth in one turn of the inner loop.
const unroll = 4

// kernel writes one micro-kernel.
//
// All of the tile stays in registers: the accumulators, a step of b and two
// broadcast elements of a in turn, which is 16 registers for 6 rows of two
// vectors and 29 for 8 rows of three. Three vectors a step want fewer loads an
// addition than two: 14 rows of two have more accumulators, but reach 0.9 of the
// peak where 8 rows of three reach all of it.
func kernel(s shape) {
	name := fmt.Sprintf("kernel%dx%d%s", s.rows, s.cols(), s.short)
	TEXT(name, NOSPLIT, fmt.Sprintf(
		"func(k, tiles int, a, b, c []%[1]s, ldc int, alpha %[1]s, add bool)", s.name))
	Pragma("noescape")
	Doc(kernelDoc(name, s)...)

	k := Load(Param("k"), GP64())
	tiles := Load(Param("tiles"), GP64())
	a := Load(Param("a").Base(), GP64())
	b := Load(Param("b").Base(), GP64())
	c := Load(Param("c").Base(), GP64())
	ldc := Load(Param("ldc"), GP64())
	add := Load(Param("add"), GP8())
	SHLQ(Imm(uint64(log2(s.size))), ldc)

	// The panel of b that the caller will want next lies behind this one; it
	// is fetched into the second level while this one is in use.
	next := GP64()
	IMUL3Q(U32(s.nr()*s.size), k, next)
	ADDQ(b, next)

	sum := make([][]reg.VecVirtual, s.rows)
	for i := range sum {
		sum[i] = s.registers(s.vectors)
	}
	vb, va := s.registers(s.vectors), s.registers(2)

	Label("tile")
	for _, row := range sum {
		for _, v := range row {
			s.zero(v)
		}
	}
	// Rows of c that are a power of two apart fall on the same lines of the
	// first level, which they would clear of b; hence the second.
	row := GP64()
	MOVQ(c, row)
	for i := range s.rows {
		for at := 0; at < s.vectors*s.width; at += line {
			PREFETCHT1(Mem{Base: row, Disp: at})
		}
		PREFETCHT1(Mem{Base: row, Disp: s.vectors*s.width - s.size})
		if i+1 < s.rows {
			ADDQ(ldc, row)
		}
	}

	step := func(i int) {
		for h, v := range vb {
			s.move(Mem{Base: b, Disp: i*s.nr()*s.size + h*s.width}, v)
		}
		for r := range s.rows {
			s.broadcast(Mem{Base: a, Disp: (i*s.mr + r) * s.size}, va[r%2])
			for h, v := range vb {
				s.fma(va[r%2], v, sum[r][h])
			}
		}
	}
	start, turns := GP64(), GP64()
	MOVQ(b, start)
	MOVQ(k, turns)
	SHRQ(Imm(uint64(log2(unroll))), turns)
	JZ(LabelRef("rest"))
	Label("loop")
	for i := 0; i < unroll*s.mr*s.size; i += line {
		PREFETCHT0(Mem{Base: a, Disp: prefetchA + i})
	}
	PREFETCHT1(Mem{Base: next})
	for i := range unroll {
		step(i)
	}
	ADDQ(U32(unroll*s.mr*s.size), a)
	ADDQ(U32(unroll*s.nr()*s.size), b)
	ADDQ(Imm(line), next)
	DECQ(turns)
	JNZ(LabelRef("loop"))

	Label("rest")
	MOVQ(k, turns)
	ANDQ(Imm(unroll-1), turns)
	JZ(LabelRef("store"))
	Label("single")
	step(0)
	ADDQ(U32(s.mr*s.size), a)
	ADDQ(U32(s.nr()*s.size), b)
	DECQ(turns)
	JNZ(LabelRef("single"))

	Label("store")
	MOVQ(start, b)
	alpha, err := Param("alpha").Resolve()
	if err != nil {
		panic(err)
	}
	s.broadcast(alpha.Addr, va[0])
	TESTB(add, add)
	JNZ(LabelRef("add"))
	for i := range s.rows {
		for h, v := range sum[i] {
			s.mul(va[0], v, v)
			s.move(v, Mem{Base: c, Disp: h * s.width})
		}
		ADDQ(ldc, c)
	}
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()

	Label("add")
	for i := range s.rows {
		for h, v := range sum[i] {
			s.move(Mem{Base: c, Disp: h * s.width}, vb[h])
			s.fma(va[0], v, vb[h])
			s.move(vb[h], Mem{Base: c, Disp: h * s.width})
		}
		ADDQ(ldc, c)
	}
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// line is a line of cache in bytes.
const line = 64

// prefetchA is how far ahead of its use a is fetched, in bytes.
const prefetchA = 1024

func kernelDoc(name string, s shape) []string {
	return []string{
		fmt.Sprintf("%s is the kernelFunc for tiles of %d×%d elements, from strips of %d rows", name, s.rows, s.cols(), s.mr),
		fmt.Sprintf("and %d columns.", s.nr()),
	}
}

func log2(n int) int {
	e := 0
	for ; n > 1; n >>= 1 {
		e++
	}
	return e
}
