package convert

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/convert/onnx"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// tile returns the similarities of x, of so many coordinates, to each row of z: a
// column a row of z.
func (b *builder) tile(k kernel.Kernel[data.Vector], x string, width int, z *data.Matrix) (string, error) {
	if f, ok := kernel.FormOf(k); ok {
		t, err := b.formTile(f, x, width, z)
		if err != nil || !f.Normalized {
			return t, err
		}
		plain := f
		plain.Normalized = false
		return b.normalised(t, b.formDiag(plain, x), z,
			func(v data.Vector) float64 { return plain.Map.At(plain.Pair.Self(v)) }), nil
	}
	switch k := k.(type) {
	case kernel.Named[data.Vector]:
		return b.tile(k.Of, x, width, z)
	case kernel.Normalized[data.Vector]:
		t, err := b.tile(k.Of, x, width, z)
		if err != nil {
			return "", err
		}
		diag, err := b.diag(k.Of, x, width)
		return b.normalised(t, diag, z, func(v data.Vector) float64 { return kernel.Diag(k.Of, v) }), err
	case kernel.Learned:
		image, d := b.metric(k.Metric, x, width)
		return b.tile(k.Of, image, d, dense(mapped(z, k.Metric.Of), d))
	case kernel.Block:
		part, d := b.block(k, x, width)
		return b.tile(k.Of, part, d, dense(mapped(z, k.Get), d))
	}
	c, ok := kernel.CombinationOf(k)
	if !ok {
		return "", unknown("kernel", k)
	}
	return b.combine(c, func(k kernel.Kernel[data.Vector]) (string, error) { return b.tile(k, x, width, z) })
}

// combine joins the values of the parts of a combination.
func (b *builder) combine(
	c kernel.Combination[data.Vector], value func(k kernel.Kernel[data.Vector]) (string, error),
) (string, error) {
	kind, total := "Add", ""
	if c.Op == kernel.Multiply {
		kind = "Mul"
	}
	for _, part := range c.Parts {
		v, err := value(part)
		if err != nil {
			return "", err
		}
		if total != "" {
			v = b.op(kind, total, v)
		}
		total = v
	}
	if total == "" {
		total = b.zeros() // of no parts a sum is 0 and a product 1
		if c.Op == kernel.Multiply {
			total = b.affine(total, 1, 1)
		}
	}
	return b.scalar(c.Map, total)
}

// metric returns T·x, and how many coordinates that has.
func (b *builder) metric(m *kernel.Metric, x string, width int) (string, int) {
	if scale := m.Diagonal(); scale != nil {
		d := min(width, len(scale))
		if d < width {
			x = b.columns(x, 0, d)
		}
		return b.mul(x, b.row(scale[:d])), d
	}
	t := m.Matrix()
	return b.times(x, dense(t, width)), t.Rows
}

// mapped returns the rows of z under a function.
func mapped(z *data.Matrix, f func(data.Vector) data.Vector) data.Slice[data.Vector] {
	all := make(data.Slice[data.Vector], z.Rows)
	for i := range all {
		all[i] = f(z.At(i))
	}
	return all
}

// block returns the coordinates of a range, and how many there are; a zero where there
// are none.
func (b *builder) block(k kernel.Block, x string, width int) (string, int) {
	if k.From >= width {
		return b.zeros(), 1
	}
	to := min(k.To, width)
	return b.columns(x, k.From, to), to - k.From
}

// normalised divides a tile by the lengths of its instances: 0 where one is not
// positive.
func (b *builder) normalised(tile, diag string, z *data.Matrix, of func(data.Vector) float64) string {
	scale := make([]float64, z.Rows)
	for j := range scale {
		if v := of(z.At(j)); v > 0 {
			scale[j] = 1 / math.Sqrt(v)
		}
	}
	positive := b.op("Greater", diag, b.Double(0))
	length := b.op("Sqrt", b.op("Where", positive, diag, b.Double(1)))
	return b.mul(b.mul(b.div(tile, length), b.cast(positive)), b.row(scale))
}

// diag returns K(x, x), a column.
func (b *builder) diag(k kernel.Kernel[data.Vector], x string, width int) (string, error) {
	if f, ok := kernel.FormOf(k); ok {
		if !f.Normalized {
			return b.formDiag(f, x), nil
		}
		f.Normalized = false
		return b.cast(b.op("Greater", b.formDiag(f, x), b.Double(0))), nil
	}
	switch k := k.(type) {
	case kernel.Named[data.Vector]:
		return b.diag(k.Of, x, width)
	case kernel.Normalized[data.Vector]:
		d, err := b.diag(k.Of, x, width)
		if err != nil {
			return "", err
		}
		return b.cast(b.op("Greater", d, b.Double(0))), nil
	case kernel.Learned:
		image, d := b.metric(k.Metric, x, width)
		return b.diag(k.Of, image, d)
	case kernel.Block:
		part, d := b.block(k, x, width)
		return b.diag(k.Of, part, d)
	}
	c, ok := kernel.CombinationOf(k)
	if !ok {
		return "", unknown("kernel", k)
	}
	return b.combine(c, func(k kernel.Kernel[data.Vector]) (string, error) { return b.diag(k, x, width) })
}

// formDiag returns K(x, x) of a form that is not normalised.
func (b *builder) formDiag(f kernel.Form, x string) string {
	self := ""
	switch f.Pair {
	case kernel.Dot:
		self = b.squares(x)
	case kernel.Tanimoto:
		self = b.affine(b.zeros(), 1, 1)
	case kernel.Min:
		self = b.plus(b.sum(b.op("Abs", x)), b.tail(x, b.abs))
	default:
		self = b.zeros()
	}
	out, _ := b.scalar(f.Map, self)
	return out
}

func (b *builder) square(x string) string { return b.mul(x, x) }
func (b *builder) abs(x string) string    { return b.op("Abs", x) }

// squares returns |x|².
func (b *builder) squares(x string) string { return b.plus(b.sum(b.square(x)), b.tail(x, b.square)) }

// plus adds what may not be there.
func (b *builder) plus(x, more string) string {
	if more == "" {
		return x
	}
	return b.add(x, more)
}

// formTile returns a tile of a form, not normalised.
func (b *builder) formTile(f kernel.Form, x string, width int, z *data.Matrix) (string, error) {
	var s string
	switch {
	case f.Pair == kernel.Dot:
		s, f.Map.A = b.dots(x, scaled(z, f.Map.A)), 1
	case f.Pair == kernel.Distance2 && !steep(f.Map):
		s = b.distances(x, z)
	case f.Pair == kernel.Tanimoto:
		zz, none := make([]float64, z.Rows), make([]float64, z.Rows)
		for j := range zz {
			if zz[j] = z.At(j).Norm2(); zz[j] == 0 {
				none[j] = 1
			}
		}
		xy, xx := b.dots(x, z), b.squares(x)
		below := b.sub(b.add(xx, b.row(zz)), xy)
		both := b.op("Equal", b.add(xx, b.row(zz)), b.Double(0))
		s = b.op("Where", both, b.Double(1), b.div(xy, b.op("Where", both, b.Double(1), below)))
	default:
		s = b.walk(f.Pair, x, width, z)
	}
	return b.scalar(f.Map, s)
}

// steep reports a function of the squared distance whose slope at 0 is infinite: a
// distance that was to be 0 must not be a rounding error.
func steep(f kernel.Scalar) bool {
	return f.Op == kernel.Matern && f.P == 0.5 || f.Op == kernel.Stretched && f.P < 1
}

// dots returns inner products. Of sparse z it takes the coordinates that some z has.
func (b *builder) dots(x string, z *data.Matrix) string {
	var used []int64
	for j := range z.Cols {
		for i := range z.Rows {
			if z.Row(i)[j] != 0 {
				used = append(used, int64(j))
				break
			}
		}
	}
	if 2*len(used) >= z.Cols || len(used) == 0 {
		return b.times(x, z)
	}
	narrow := data.NewMatrix(z.Rows, len(used))
	for i := range z.Rows {
		for at, j := range used {
			narrow.Row(i)[at] = z.Row(i)[j]
		}
	}
	return b.times(b.gather(x, used), narrow)
}

// sparseShare is how many coordinates of landmarks may be other than 0 for them to be
// left where they are.
const sparseShare = 0.2

// distances returns squared distances, |x|² + |z|² - 2⟨x, z⟩. The mean of the z is
// taken off first, so that less is cancelled, but of sparse z, which would be so no more.
func (b *builder) distances(x string, z *data.Matrix) string {
	stored := 0
	for _, v := range z.Data {
		if v != 0 {
			stored++
		}
	}
	rest := b.tail(x, b.square)
	if float64(stored) > sparseShare*float64(len(z.Data)) {
		mean := make([]float64, z.Cols)
		for i := range z.Rows {
			vmath.Axpy(mean, 1/float64(z.Rows), z.Row(i))
		}
		centred := data.NewMatrix(z.Rows, z.Cols)
		for i := range z.Rows {
			for j, v := range z.Row(i) {
				centred.Row(i)[j] = v - mean[j]
			}
		}
		x, z = b.sub(x, b.row(mean)), centred
	}
	zz := make([]float64, z.Rows)
	for i := range zz {
		zz[i] = z.At(i).Norm2()
	}
	sum := b.plus(b.add(b.sum(b.square(x)), b.row(zz)), rest)
	return b.op("Max", b.sub(sum, b.affine(b.dots(x, z), 2, 0)), b.Double(0))
}

// walk returns a pair operation by a loop over the coordinates: of coordinate j it adds
// what each pair of numbers gives.
func (b *builder) walk(pair kernel.Pair, x string, width int, z *data.Matrix) string {
	rows := b.Op("Unsqueeze", []string{b.Op("Transpose", []string{x}, onnx.Ints("perm", 1, 0)), b.Ints([]int64{2}, 1)})
	t := transposed(z)
	columns := b.Doubles(t.Data, t.Rows, 1, t.Cols)
	start := b.add(b.zeros(), b.row(make([]float64, z.Rows)))

	body := &builder{Graph: b.Body("coordinates"), ctx: b.ctx}
	at := body.Input("coordinate"+start, onnx.Int64)
	body.Input("go"+start, onnx.Bool)
	sum := body.Input("sum"+start, onnx.Double, onnx.Rows, z.Rows)
	one := body.Op("Gather", []string{rows, at}, onnx.Int("axis", 0))
	other := body.Op("Gather", []string{columns, at}, onnx.Int("axis", 0))
	var v string
	switch pair {
	case kernel.L1:
		v = body.op("Abs", body.sub(one, other))
	case kernel.Min: // min(|a|, |b|) where the signs are the same
		v = body.add(body.op("Max", body.op("Min", one, other), body.Double(0)),
			body.op("Max", body.op("Min", body.op("Neg", one), body.op("Neg", other)), body.Double(0)))
	case kernel.ChiSquared:
		d, size := body.sub(one, other), body.add(body.op("Abs", one), body.op("Abs", other))
		none := body.op("Equal", size, body.Double(0))
		v = body.mul(d, body.div(d, body.op("Where", none, body.Double(1), size)))
	default: // Distance2
		d := body.sub(one, other)
		v = body.mul(d, d)
	}
	next, proceed := "next"+start, "on"+start
	body.Graph.Name(body.Bools([]bool{true}), proceed)
	body.Graph.Name(body.add(sum, v), next)
	body.Output(proceed, onnx.Bool)
	body.Output(next, onnx.Double, onnx.Rows, z.Rows)
	total := b.Op("Loop", []string{b.Ints([]int64{int64(width)}), "", start}, onnx.BodyOf("body", body.Graph))
	switch pair {
	case kernel.L1, kernel.ChiSquared: // (a - 0)²/|a| is |a|
		return b.plus(total, b.tail(x, b.abs))
	case kernel.Distance2:
		return b.plus(total, b.tail(x, b.square))
	}
	return total
}

// mostSubsets bounds the size of sets that are counted.
const mostSubsets = 64

// scalar returns a function of a value: Op(A·s + B).
func (b *builder) scalar(f kernel.Scalar, s string) (string, error) {
	u := b.affine(s, f.A, f.B)
	above := func() string { return b.op("Max", u, b.Double(0)) }
	switch f.Op {
	case kernel.Identity:
		return u, nil
	case kernel.Exp:
		return b.op("Exp", u), nil
	case kernel.Power:
		return b.op("Pow", u, b.Double(f.P)), nil
	case kernel.Tanh:
		return b.op("Tanh", u), nil
	case kernel.Stretched:
		return b.op("Exp", b.op("Neg", b.op("Pow", above(), b.Double(f.P)))), nil
	case kernel.Matern:
		r := b.op("Sqrt", above())
		fall := b.op("Exp", b.op("Neg", r))
		switch f.P {
		case 0.5:
			return fall, nil
		case 1.5:
			return b.mul(b.affine(r, 1, 1), fall), nil
		case 2.5:
			return b.mul(b.add(b.affine(r, 1, 1), b.affine(b.mul(r, r), 1.0/3, 0)), fall), nil
		}
	case kernel.Subsets:
		if f.P > mostSubsets {
			break
		}
		sum, choose := "", ""
		for i := 1.0; i <= f.P; i++ {
			factor := b.affine(b.affine(u, 1, 1-i), 1/i, 0)
			if choose == "" {
				choose = factor
				sum = b.affine(choose, 1, 1)
				continue
			}
			choose = b.mul(choose, factor)
			sum = b.add(sum, choose)
		}
		if sum != "" {
			return sum, nil
		}
	}
	return "", unknown("function of a kernel", fmt.Sprint(f))
}
