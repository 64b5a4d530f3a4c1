package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An elementwise loop replaces the elements of out by a function of the
// elements of in at the same place. All slices have the length of out.
//
// Blocks of unroll vectors go through body; what is left, less than a block,
// goes through the same instructions a vector at a time, loaded and stored
// under a mask, so that a result does not depend on its place.
type elementwise struct {
	in     []string
	out    string
	unroll [2]int                            // at AVX2 and at AVX-512
	body   func(t *target, in [][]vec) []vec // emitted twice; may change in
}

// slices returns the names of the slices, each once.
func (e elementwise) slices() []string {
	list := []string{e.out}
	for _, name := range e.in {
		if name != e.out {
			list = append(list, name)
		}
	}
	return list
}

func (e elementwise) emit(t *target, _ op) {
	unroll := e.unroll[0]
	if t.wide {
		unroll = e.unroll[1]
	}
	slices := e.slices()
	ptr := map[string]reg.Register{}
	for _, name := range slices {
		ptr[name] = t.Load(t.Param(name).Base(), t.GP64())
	}
	n := t.Load(t.Param(e.out).Len(), t.GP64())
	block := unroll * t.lanes()

	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(block)))
	t.JLT(operand.LabelRef("tail"))
	in := make([][]vec, len(e.in))
	for s, name := range e.in {
		in[s] = t.vecs(unroll)
		for i, v := range in[s] {
			t.load(v, operand.Mem{Base: ptr[name], Disp: i * t.width()})
		}
	}
	for i, v := range e.body(t, in) {
		t.store(operand.Mem{Base: ptr[e.out], Disp: i * t.width()}, v)
	}
	for _, name := range slices {
		t.ADDQ(operand.U32(uint32(unroll*t.width())), ptr[name])
	}
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JMP(operand.LabelRef("block"))

	t.Label("tail")
	t.CMPQ(n, operand.U32(0))
	t.JLE(operand.LabelRef("done"))
	tail := t.tail(n, 1)
	for s, name := range e.in {
		in[s] = t.vecs(1)
		tail.load(in[s][0], operand.Mem{Base: ptr[name]}, 0)
	}
	tail.store(operand.Mem{Base: ptr[e.out]}, e.body(t, in)[0], 0)
	for _, name := range slices {
		t.ADDQ(operand.U32(uint32(t.width())), ptr[name])
	}
	t.SUBQ(operand.U32(uint32(t.lanes())), n)
	t.JMP(operand.LabelRef("tail"))

	t.Label("done")
	t.VZEROUPPER()
	t.RET()
}

// A tail loads and stores the first n elements of a block.
type tail struct {
	t      *target
	window reg.Register   // AVX2: address in the table of masks
	masks  []reg.Register // AVX-512
}

// tail prepares the masks of the first n elements of some vectors, 0 < n. What
// is past the vectors, up to the longest tail or 64 elements, counts as whole.
func (t *target) tail(n reg.Register, vectors int) *tail {
	tl := &tail{t: t}
	if !t.wide {
		if vectors*t.width() > tailBytes {
			panic("block too large for the table of masks")
		}
		tl.window = t.GP64()
		*t.masked = true
		t.LEAQ(operand.NewDataAddr(operand.Symbol{Name: tailMaskName, Static: true}, tailBytes), tl.window)
		bytes := t.GP64()
		t.MOVQ(n, bytes)
		t.SHLQ(operand.U8(by[uint8](t, 2, 3)), bytes)
		t.SUBQ(bytes, tl.window)
		return tl
	}
	if vectors*t.lanes() > 64 {
		panic("block too large for a mask of 64 bits")
	}
	bits, all := t.GP64(), t.GP64()
	t.MOVQ(operand.I32(-1), all)
	t.BZHIQ(n, all, bits)
	for i := range vectors {
		if i > 0 {
			t.SHRQ(operand.U8(t.lanes()), bits)
		}
		k := t.K()
		t.KMOVW(bits.As32(), k)
		tl.masks = append(tl.masks, k)
	}
	return tl
}

// load sets the lanes past the end to zero.
func (tl *tail) load(dst vec, m operand.Mem, i int) {
	t := tl.t
	if t.wide {
		by(t, t.VMOVUPS_Z, t.VMOVUPD_Z)(m, tl.masks[i], dst)
		return
	}
	by(t, t.VMASKMOVPS, t.VMASKMOVPD)(m, tl.mask(i), dst)
}

func (tl *tail) store(m operand.Mem, src vec, i int) {
	t := tl.t
	if t.wide {
		by(t, t.VMOVUPS, t.VMOVUPD)(src, tl.masks[i], m)
		return
	}
	by(t, t.VMASKMOVPS, t.VMASKMOVPD)(src, tl.mask(i), m)
}

func (tl *tail) mask(i int) vec {
	v := tl.t.vec()
	tl.t.load(v, operand.Mem{Base: tl.window, Disp: i * tl.t.width()})
	return v
}
