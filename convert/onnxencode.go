package convert

import (
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/convert/onnx"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
)

// encode adds the inputs of a graph and returns the vectors that the encoding makes
// of them.
func (b *builder) encode(e *dataset.Encoding, g *Graph) (string, error) {
	if e.Table != nil {
		return b.encodeTable(e.Table, g)
	}
	if b.width == 0 {
		return "", refuse(ONNX, "", "it looks at no coordinates, or does not say at how many")
	}
	b.x = b.Input("x", onnx.Double, onnx.Rows, onnx.Columns)
	g.Inputs = []Input{{Name: b.x, Type: "double", Width: b.width}}
	if e.Format == formatLIBSVM {
		g.Notes = append(g.Notes, fmt.Sprintf("column j of the input x is index j, from 0 to %d and on", b.width-1))
	}
	x := b.exactly(b.x, b.width)
	switch {
	case e.Counts != nil:
		return b.counts(x, e.Counts), nil
	case e.Scaling != nil:
		return b.scaled(x, e.Scaling), nil
	}
	b.head = x
	return x, nil
}

// exactly returns x with so many columns: more are cut off, and zeros stand for those
// that are missing.
func (b *builder) exactly(x string, width int) string {
	has := b.Op("Shape", []string{x}, onnx.Int("start", 1), onnx.Int("end", 2))
	lacks := b.op("Max", b.op("Sub", b.Ints([]int64{int64(width)}, 1), has), b.Ints([]int64{0}, 1))
	pads := b.Op("Concat", []string{b.Ints([]int64{0, 0, 0}, 3), lacks}, onnx.Int("axis", 0))
	return b.columns(b.op("Pad", x, pads, b.Double(0)), 0, width)
}

// tail returns the sum of a function of the coordinates of x that no landmark has, a
// column, and an empty name where there cannot be any: they are zeros of each landmark,
// and bear on distances all the same.
func (b *builder) tail(x string, of func(rest string) string) string {
	if x != b.head || b.head == "" {
		return ""
	}
	return b.sum(of(b.columns(b.x, b.width, math.MaxInt64)))
}

// encodeTable adds an input a column.
func (b *builder) encodeTable(s *table.Schema, g *Graph) (string, error) {
	var used []int
	for j, c := range s.Columns {
		if c.Size > 0 {
			used = append(used, j)
		}
	}
	slices.SortFunc(used, func(i, j int) int { return s.Columns[i].Offset - s.Columns[j].Offset })
	if len(used) == 0 {
		return "", refuse(ONNX, "", "it looks at no column")
	}
	var parts []string
	for _, j := range used {
		c := &s.Columns[j]
		input := Input{Name: c.Name, Type: "double", Width: 1}
		of := onnx.Double
		switch c.Kind {
		case table.Category:
			input.Type, of = "string", onnx.String
		case table.Text:
			return "", refuse(ONNX, "train with --drop", "its column %q is text, and no operator splits that into "+
				"words", c.Name)
		case table.Date:
			return "", refuse(ONNX, "train with --drop, or give it as numbers",
				"its column %q holds dates, which no operator reads", c.Name)
		}
		if input.Name == "" || slices.ContainsFunc(g.Inputs, func(i Input) bool { return i.Name == input.Name }) {
			input.Name = fmt.Sprintf("column %d", j+1)
		}
		if c.Kind == table.Number && c.Format != nil {
			g.Notes = append(g.Notes,
				fmt.Sprintf("the input %q takes plain numbers, without units or signs between thousands",
					input.Name))
		}
		cell := b.Input(input.Name, of, onnx.Rows, 1)
		if b.x == "" {
			b.x = cell
		}
		g.Inputs = append(g.Inputs, input)
		if c.Kind == table.Category {
			parts = append(parts, b.category(c, cell)...)
		} else {
			parts = append(parts, b.number(c, cell)...)
		}
	}
	return b.join(parts), nil
}

// number returns the coordinates of a column of numbers.
func (b *builder) number(c *table.Column, cell string) []string {
	gone := b.op("IsNaN", cell)
	v := b.op("Where", gone, b.Double(c.Mean), cell)
	curve := scale.Curve{}
	if c.Curve != nil {
		curve = *c.Curve
	}
	out := []string{b.scale(v, curve, c.Center, c.Spread)}
	if c.Indicator {
		out = append(out, b.cast(gone))
	}
	return out
}

// scale returns (Curve(x) - center)/spread of a column.
func (b *builder) scale(x string, curve scale.Curve, center, spread float64) string {
	switch {
	case spread == 0:
		return b.mul(x, b.Double(0))
	case curve.Unit > 0:
		x = b.log(x, b.Double(curve.Unit))
	case len(curve.Knots) > 0:
		x = b.broken(x, curve.Knots, curve.Scores)
	}
	return b.affineDown(x, center, spread)
}

// affineDown returns (x - center)/spread.
func (b *builder) affineDown(x string, center, spread float64) string {
	if center != 0 {
		x = b.sub(x, b.Double(center))
	}
	if spread != 1 {
		x = b.div(x, b.Double(spread))
	}
	return x
}

// log returns sign(x)·log(1 + |x|/unit).
func (b *builder) log(x, unit string) string {
	q := b.add(b.div(b.op("Abs", x), unit), b.Double(1))
	return b.mul(b.op("Sign", x), b.op("Log", q))
}

// broken returns the function through the points (at, value) of a column, straight
// between them and constant outside:
//
//	value_0 + Σ (value_k+1 - value_k)·clip((x - at_k)/(at_k+1 - at_k), 0, 1)
func (b *builder) broken(x string, at, value []float64) string {
	n := len(at) - 1
	if n == 0 {
		return b.affine(b.mul(x, b.Double(0)), 1, value[0])
	}
	low, width, rise := make([]float64, n), make([]float64, n), make([]float64, n)
	for k := range n {
		low[k], width[k], rise[k] = at[k]/2, at[k+1]/2-at[k]/2, value[k+1]-value[k] // halves, so that nothing overflows
		if width[k] == 0 {
			width[k] = math.SmallestNonzeroFloat64
		}
	}
	t := b.div(b.sub(b.affine(x, 0.5, 0), b.row(low)), b.row(width))
	t = b.op("Clip", t, b.Double(0), b.Double(1))
	return b.affine(b.op("MatMul", t, b.Doubles(rise, n, 1)), 1, value[0])
}

// category returns the coordinates of a column of categories. A category that training
// did not have counts as a missing one.
func (b *builder) category(c *table.Column, cell string) []string {
	numbers := make([]int64, len(c.Categories))
	for k := range numbers {
		numbers[k] = int64(k)
	}
	unseen := int64(len(numbers))
	var code string
	if len(numbers) == 0 {
		code = b.Op("Cast", []string{b.affine(b.zeros(), 1, 0)}, onnx.Int("to", int64(onnx.Int64)))
	} else {
		code = b.OpML("LabelEncoder", []string{cell}, onnx.Strings("keys_strings", c.Categories...),
			onnx.Ints("values_int64s", numbers...), onnx.Int("default_int64", unseen))
	}
	single := numbers
	if c.Statistics != nil {
		single = make([]int64, len(c.Statistics.Frequent))
		for at, k := range c.Statistics.Frequent {
			single[at] = int64(k)
		}
	}
	var out []string
	if len(single) > 0 {
		out = append(out, b.cast(b.op("Equal", code, b.Ints(single, 1, len(single)))))
	}
	if s := c.Statistics; s != nil {
		values := slices.Concat(s.Values, s.Other)
		all := b.Doubles(values, len(numbers)+1, len(s.Names))
		flat := b.op("Squeeze", code, b.Ints([]int64{1}, 1))
		out = append(out, b.Op("Gather", []string{all, flat}, onnx.Int("axis", 0)))
	}
	if c.Indicator {
		out = append(out, b.cast(b.op("Equal", code, b.Ints([]int64{unseen}, 1, 1))))
	}
	return out
}

// scaled returns vectors scaled by coordinate.
func (b *builder) scaled(x string, s *scale.Vectors) string {
	broken := slices.ContainsFunc(s.Curves, func(c scale.Curve) bool { return len(c.Knots) > 0 })
	if broken {
		parts := make([]string, len(s.Center))
		for j := range parts {
			parts[j] = b.scale(b.columns(x, j, j+1), s.Curves[j], s.Center[j], s.Spread[j])
		}
		return b.join(parts)
	}
	d := len(s.Center)
	if slices.ContainsFunc(s.Curves, func(c scale.Curve) bool { return c.Unit > 0 }) {
		unit, curved := make([]float64, d), make([]bool, d)
		for j, c := range s.Curves {
			unit[j], curved[j] = 1, c.Unit > 0
			if curved[j] {
				unit[j] = c.Unit
			}
		}
		x = b.op("Where", b.Bools(curved, 1, d), b.log(x, b.row(unit)), x)
	}
	center, spread, flat := make([]float64, d), make([]float64, d), make([]float64, d)
	any := false
	for j := range d {
		center[j], spread[j], flat[j] = s.Center[j], s.Spread[j], 1
		if s.Spread[j] == 0 {
			spread[j], flat[j], any = 1, 0, true
		}
	}
	x = b.div(b.sub(x, b.row(center)), b.row(spread))
	if any {
		x = b.mul(x, b.row(flat))
	}
	return x
}

// counts returns counts of terms weighed: see scale.Counts.
func (b *builder) counts(x string, s *scale.Counts) string {
	x = b.op("Max", x, b.Double(0))
	large := b.op("GreaterOrEqual", x, b.Double(1))
	safe := b.op("Max", x, b.Double(1))
	x = b.op("Where", large, b.add(b.op("Log", safe), b.Double(1)), x)
	x = b.mul(x, b.row(s.IDF))
	length := b.op("Sqrt", b.sum(b.mul(x, x)))
	empty := b.op("Equal", length, b.Double(0))
	return b.div(x, b.op("Where", empty, b.Double(1), length))
}
