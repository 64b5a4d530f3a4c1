package main

import "github.com/mmcloughlin/avo/operand"

// distance2 returns max(0, (xx + yy) - 2·row), NaN where that is NaN. Twice a
// number is exact, so the result is 0 where row = xx = yy, and to fuse the
// product with the difference changes nothing. (Where 2·row overflows, the
// result is 0 or +Inf either way, as xx + yy ≥ 0.)
func (t *target) distance2(row, yy []vec) []vec {
	xx, two := t.arg("xx"), t.con(2)
	for i := range row {
		t.add(yy[i], yy[i], xx)
		t.subMul(yy[i], row[i], two)
	}
	zero := t.zero()
	for i := range row {
		t.max(yy[i], zero, yy[i])
	}
	return yy
}

// powInt replaces u by u^n: the product of the squares that belong to the bits
// of n, from the lowest.
func (t *target) powInt(u []vec) []vec {
	n := t.Load(t.Param("n"), t.GP64())
	p := t.vecs(len(u))
	one := t.con(1)
	for i := range p {
		t.copyTo(p[i], one)
	}
	square, next, end := t.label("square"), t.label("next"), t.label("end")
	t.TESTQ(n, n)
	t.JZ(operand.LabelRef(end))
	t.Label(square)
	t.SHRQ(operand.U8(1), n)
	t.JCC(operand.LabelRef(next))
	for i := range p {
		t.mul(p[i], p[i], u[i])
	}
	t.Label(next)
	for i := range u {
		t.mul(u[i], u[i], u[i])
	}
	t.TESTQ(n, n)
	t.JNZ(operand.LabelRef(square))
	t.Label(end)
	return p
}

// A term adds to a sum what the coordinate a of a point and b of columns make. It may
// change b.
type term func(t *target, a, b, sum vec)

// distance1 is |a - b|.
func distance1(t *target) term {
	bits := t.absBits()
	return func(t *target, a, b, sum vec) {
		t.sub(b, a, b)
		t.and(b, b, bits)
		t.add(sum, sum, b)
	}
}

// chiSquared is (a - b)²/(|a| + |b|), by way of the quotient, which does not overflow. A
// denominator below the normal numbers counts as the least of them, so that 0/0 is 0.
func chiSquared(t *target) term {
	bits := t.absBits()
	least := t.con(by(t, 0x1p-126, 0x1p-1022))
	return func(t *target, a, b, sum vec) {
		size, other := t.vec(), t.vec()
		t.and(size, a, bits)
		t.and(other, b, bits)
		t.add(size, size, other)
		t.max(size, least, size)
		t.sub(b, a, b)
		t.div(size, b, size)
		t.mul(b, b, size)
		t.add(sum, sum, b)
	}
}

// sumRow emits sums over coordinates that stay in registers while all coordinates go by, a
// block of the row after the other; what is left is done a vector at a time under a mask.
// constants emits what terms use throughout.
func sumRow(unroll int, constants func(t *target) term) func(t *target, o op) {
	return func(t *target, _ op) { emitSumRow(t, unroll, constants) }
}

func emitSumRow(t *target, unroll int, constants func(t *target) term) {
	row := t.Load(t.Param("row").Base(), t.GP64())
	n := t.Load(t.Param("row").Len(), t.GP64())
	first := t.Load(t.Param("a").Base(), t.GP64())
	coordinates := t.Load(t.Param("a").Len(), t.GP64())
	y := t.Load(t.Param("y").Base(), t.GP64())
	stride := t.Load(t.Param("stride"), t.GP64())
	t.SHLQ(operand.U8(by[uint8](t, 2, 3)), stride)
	add, at := constants(t), t.vec()
	a, column, left := t.GP64(), t.GP64(), t.GP64()
	t.TESTQ(coordinates, coordinates)
	t.JZ(operand.LabelRef("done"))

	// pass goes through the coordinates; body adds one of them.
	pass := func(label string, body func()) {
		t.MOVQ(first, a)
		t.MOVQ(y, column)
		t.MOVQ(coordinates, left)
		t.Label(label)
		by(t, t.VBROADCASTSS, t.VBROADCASTSD)(operand.Mem{Base: a}, at)
		body()
		t.ADDQ(operand.U32(uint32(t.size())), a)
		t.ADDQ(stride, column)
		t.DECQ(left)
		t.JNZ(operand.LabelRef(label))
	}
	advance := func(vectors int) {
		t.ADDQ(operand.U32(uint32(vectors*t.width())), row)
		t.ADDQ(operand.U32(uint32(vectors*t.width())), y)
		t.SUBQ(operand.U32(uint32(vectors*t.lanes())), n)
	}

	t.Label("block")
	t.CMPQ(n, operand.U32(uint32(unroll*t.lanes())))
	t.JLT(operand.LabelRef("tail"))
	sums := t.vecs(unroll)
	for i, v := range sums {
		t.load(v, operand.Mem{Base: row, Disp: i * t.width()})
	}
	pass("coordinate", func() {
		for i, v := range sums {
			b := t.vec()
			t.load(b, operand.Mem{Base: column, Disp: i * t.width()})
			add(t, at, b, v)
		}
	})
	for i, v := range sums {
		t.store(operand.Mem{Base: row, Disp: i * t.width()}, v)
	}
	advance(unroll)
	t.JMP(operand.LabelRef("block"))

	t.Label("tail")
	t.CMPQ(n, operand.U32(0))
	t.JLE(operand.LabelRef("done"))
	tail, sum, b := t.tail(n, 1), t.vec(), t.vec()
	tail.load(sum, operand.Mem{Base: row}, 0)
	pass("last", func() {
		tail.load(b, operand.Mem{Base: column}, 0)
		add(t, at, b, sum)
	})
	tail.store(operand.Mem{Base: row}, sum, 0)
	advance(1)
	t.JMP(operand.LabelRef("tail"))

	t.Label("done")
	t.VZEROUPPER()
	t.RET()
}

// farRow emits the search of farPrefix: an element is far where the lesser of two differences is below 0
// or no number. min gives the second of its arguments where one is no number.
func farRow(t *target, _ op) {
	const vectors = 2
	block := vectors * t.lanes()
	row := t.Load(t.Param("row").Base(), t.GP64())
	n := t.Load(t.Param("row").Len(), t.GP64())
	yy := t.Load(t.Param("yy").Base(), t.GP64())
	xx, near, least, zero := t.arg("xx"), t.arg("near"), t.arg("least"), t.zero()
	done := t.GP64()
	t.XORQ(done, done)
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JLT(operand.LabelRef("end"))
	t.Label("block")
	found := t.GP64()
	t.XORL(found.As32(), found.As32())
	for i := range vectors {
		s, d, part := t.vec(), t.vec(), t.vec()
		t.load(d, operand.Mem{Base: row, Disp: i * t.width()})
		t.load(s, operand.Mem{Base: yy, Disp: i * t.width()})
		t.add(s, s, xx)
		t.mul(part, s, near)
		t.sub(part, part, d)
		t.sub(s, s, least)
		t.min(s, s, part)
		t.collect(found, t.compare(s, notBelow, zero))
	}
	t.JNZ(operand.LabelRef("end"))
	t.ADDQ(operand.U32(uint32(block)), done)
	t.ADDQ(operand.U32(uint32(vectors*t.width())), row)
	t.ADDQ(operand.U32(uint32(vectors*t.width())), yy)
	t.SUBQ(operand.U32(uint32(block)), n)
	t.JGE(operand.LabelRef("block"))
	t.Label("end")
	t.VZEROUPPER()
	t.Store(done, t.ReturnIndex(0))
	t.RET()
}

var rowOps = []op{
	{
		name:   "farPrefix",
		params: []param{{"row", "[]F"}, {"yy", "[]F"}, {"xx", "F"}, {"near", "F"}, {"least", "F"}},
		result: "int",
		doc: []string{
			"n := 0",
			"for n+block <= len(row) && closePlain(row[n:n+block], yy[n:], xx, near, least) < 0 {",
			"\tn += block // 64 bytes at AVX2, 128 at AVX-512",
			"}",
			"return n",
		},
		emit: farRow,
	},
	{
		name:   "distance2Row",
		params: []param{{"row", "[]F"}, {"xx", "F"}, {"yy", "[]F"}},
		doc:    []string{"for j, s := range row {", "\trow[j] = max(0, (xx+yy[j])-2*s)", "}"},
		emit: elementwise{
			in: []string{"row", "yy"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec { return t.distance2(in[0], in[1]) },
		}.emit,
	},
	{
		name:   "powInt",
		params: []param{{"row", "[]F"}, {"a", "F"}, {"b", "F"}, {"n", "int"}},
		doc: []string{
			"for j, s := range row {",
			"\tp, u := F(1), F(a*s)+b",
			"\tfor m := n; m > 0; m >>= 1 {",
			"\t\tif m&1 == 1 {", "\t\t\tp *= u", "\t\t}",
			"\t\tu *= u",
			"\t}",
			"\trow[j] = p",
			"}",
		},
		emit: elementwise{
			in: []string{"row"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				t.affine(in[0])
				return t.powInt(in[0])
			},
		}.emit,
	},
	{
		name:   "distance1Row",
		params: []param{{"row", "[]F"}, {"a", "[]F"}, {"y", "[]F"}, {"stride", "int"}},
		doc: []string{
			"for k := range a {",
			"\tfor j := range row {", "\t\trow[j] += abs(a[k] - y[k*stride+j])", "\t}",
			"}",
		},
		emit: sumRow(8, distance1),
	},
	{
		name:   "chiSquaredRow",
		params: []param{{"row", "[]F"}, {"a", "[]F"}, {"y", "[]F"}, {"stride", "int"}},
		doc: []string{
			"for k := range a {",
			"\tfor j := range row {",
			"\t\td, size := a[k]-y[k*stride+j], abs(a[k])+abs(y[k*stride+j])",
			"\t\trow[j] += F(d * (d / max(size, least))) // 0x1p-126 for float32, 0x1p-1022 for float64",
			"\t}",
			"}",
		},
		emit: sumRow(4, chiSquared),
	},
	{
		name:   "scaleRow",
		params: []param{{"row", "[]F"}, {"s", "F"}, {"yscale", "[]F"}},
		doc:    []string{"for j := range row {", "\trow[j] *= s * yscale[j]", "}"},
		emit: elementwise{
			in: []string{"row", "yscale"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				s := t.arg("s")
				for i := range in[0] {
					t.mul(in[1][i], in[1][i], s)
					t.mul(in[0][i], in[0][i], in[1][i])
				}
				return in[0]
			},
		}.emit,
	},
	{
		name:   "times",
		params: []param{{"dst", "[]F"}, {"x", "[]F"}, {"y", "[]F"}},
		doc:    []string{"for i := range dst {", "\tdst[i] = x[i] * y[i]", "}"},
		emit: elementwise{
			in: []string{"x", "y"}, out: "dst", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				for i := range in[0] {
					t.mul(in[0][i], in[0][i], in[1][i])
				}
				return in[0]
			},
		}.emit,
	},
	{
		name:   "axpy",
		params: []param{{"y", "[]F"}, {"a", "F"}, {"x", "[]F"}},
		doc:    []string{"for i := range y {", "\ty[i] += F(a * x[i])", "}"},
		emit: elementwise{
			in: []string{"y", "x"}, out: "y", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				a := t.arg("a")
				for i := range in[0] {
					t.mul(in[1][i], in[1][i], a)
					t.add(in[0][i], in[0][i], in[1][i])
				}
				return in[0]
			},
		}.emit,
	},
	{
		name:   "scale",
		params: []param{{"x", "[]F"}, {"a", "F"}},
		doc:    []string{"for i := range x {", "\tx[i] *= a", "}"},
		emit: elementwise{
			in: []string{"x"}, out: "x", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				a := t.arg("a")
				for i := range in[0] {
					t.mul(in[0][i], in[0][i], a)
				}
				return in[0]
			},
		}.emit,
	},
}
