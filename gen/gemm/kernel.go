package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A shape says which micro-kernel to write: rows × two vectors of the product,
// from panels that are mr rows and two vectors wide.
type shape struct {
	float
	set
	mr   int // rows of a packed panel
	rows int // of them those that are computed
}

func (s shape) nr() int { return 2 * s.width / s.size }

// unroll is the number of steps of depth in one turn of the inner loop.
const unroll = 4

// kernel writes one micro-kernel.
//
// All of the tile stays in registers: 2·rows accumulators, two vectors of b and
// two broadcast elements of a in turn, which is 16 registers for 6 rows and 32
// for 14.
func kernel(s shape) {
	name := fmt.Sprintf("kernel%dx%d%s", s.rows, s.nr(), s.short)
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

	sum := make([][2]reg.VecVirtual, s.rows)
	for i := range sum {
		sum[i] = [2]reg.VecVirtual{s.vector(), s.vector()}
	}
	vb := [2]reg.VecVirtual{s.vector(), s.vector()}
	va := [2]reg.VecVirtual{s.vector(), s.vector()}

	Label("tile")
	for _, v := range sum {
		s.zero(v[0])
		s.zero(v[1])
	}
	// Rows of c that are a power of two apart fall on the same lines of the
	// first level, which they would clear of b; hence the second.
	row := GP64()
	MOVQ(c, row)
	for i := range s.rows {
		PREFETCHT1(Mem{Base: row})
		PREFETCHT1(Mem{Base: row, Disp: 2*s.width - s.size})
		if i+1 < s.rows {
			ADDQ(ldc, row)
		}
	}

	step := func(i int) {
		s.move(Mem{Base: b, Disp: i * s.nr() * s.size}, vb[0])
		s.move(Mem{Base: b, Disp: i*s.nr()*s.size + s.width}, vb[1])
		for r := range s.rows {
			s.broadcast(Mem{Base: a, Disp: (i*s.mr + r) * s.size}, va[r%2])
			s.fma(va[r%2], vb[0], sum[r][0])
			s.fma(va[r%2], vb[1], sum[r][1])
		}
	}
	start, turns := GP64(), GP64()
	MOVQ(b, start)
	MOVQ(k, turns)
	SHRQ(Imm(uint64(log2(unroll))), turns)
	JZ(LabelRef("rest"))
	Label("loop")
	for i := 0; i < unroll*s.mr*s.size; i += 64 {
		PREFETCHT0(Mem{Base: a, Disp: prefetchA + i})
	}
	PREFETCHT1(Mem{Base: next})
	for i := range unroll {
		step(i)
	}
	ADDQ(U32(unroll*s.mr*s.size), a)
	ADDQ(U32(unroll*s.nr()*s.size), b)
	ADDQ(Imm(64), next)
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

// prefetchA is how far ahead of its use a is fetched, in bytes.
const prefetchA = 1024

func kernelDoc(name string, s shape) []string {
	doc := []string{
		fmt.Sprintf("%s computes tiles of %d×%d elements, one below the other, from a panel", name, s.rows, s.nr()),
		fmt.Sprintf("of %d rows a tile in a and one of %d columns in b, with fused multiply-adds:", s.mr, s.nr()),
		"",
		"\tfor t := range tiles {",
		fmt.Sprintf("\t\tfor i := range %d {", s.rows),
		fmt.Sprintf("\t\t\tfor j := range %d {", s.nr()),
		fmt.Sprintf("\t\t\t\tsum := %s(0)", s.name),
		"\t\t\t\tfor p := range k {",
		fmt.Sprintf("\t\t\t\t\tsum = fma(a[(t*k+p)*%d+i], b[p*%d+j], sum)", s.mr, s.nr()),
		"\t\t\t\t}",
		fmt.Sprintf("\t\t\t\tat := (t*%d+i)*ldc + j", s.rows),
		"\t\t\t\tif add {",
		"\t\t\t\t\tc[at] = fma(alpha, sum, c[at])",
		"\t\t\t\t} else {",
		"\t\t\t\t\tc[at] = alpha * sum",
		"\t\t\t\t}",
		"\t\t\t}",
		"\t\t}",
		"\t}",
		"",
		"It checks no bounds; tiles must be positive.",
	}
	return doc
}

func log2(n int) int {
	e := 0
	for ; n > 1; n >>= 1 {
		e++
	}
	return e
}
