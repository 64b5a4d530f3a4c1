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

var rowOps = []op{
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
		params: []param{{"row", "[]F"}, {"a", "F"}, {"y", "[]F"}},
		doc:    []string{"for j := range row {", "\trow[j] += abs(a - y[j])", "}"},
		emit: elementwise{
			in: []string{"row", "y"}, out: "row", unroll: [2]int{4, 4},
			body: func(t *target, in [][]vec) []vec {
				a, bits := t.arg("a"), t.absBits()
				for i := range in[0] {
					t.sub(in[1][i], a, in[1][i])
					t.and(in[1][i], in[1][i], bits)
					t.add(in[0][i], in[0][i], in[1][i])
				}
				return in[0]
			},
		}.emit,
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
