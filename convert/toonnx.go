package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kerf-ml/kerf/convert/onnx"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Input is an input of a graph: a batch of rows of one column, or of all coordinates.
type Input struct {
	Name  string `json:"name"`
	Type  string `json:"type"`  // double or string
	Width int    `json:"width"` // columns
}

// Graph is a model as a graph of ONNX.
type Graph struct {
	Inputs  []Input
	Outputs []string // scores, and label and probabilities where the model has classes
	Notes   []string

	graph *onnx.Graph
	facts []onnx.Entry
}

// Write writes the graph as a file of ONNX. A model that is too large for one is a
// *RefusedError.
func (g *Graph) Write(w io.Writer) error {
	err := g.graph.Write(w, "kerf", model.Version, g.facts...)
	if errors.Is(err, onnx.ErrLarge) {
		return refuse(ONNX, "use fewer landmarks", "it would have more than 2 GiB, the most that a file of ONNX can have")
	}
	return err
}

// ToONNX returns a model of vectors as a graph of operators of the domains ai.onnx and
// ai.onnx.ml, in float64, with the encoding of its rows: a column of numbers is an
// input of doubles, NaN where one is missing, one of categories an input of strings,
// and vectors that come from no table are one input x with a column a coordinate.
//
// Outputs are scores, one a class or the number, label, and probabilities where the
// model has them; they agree with Model.Scores to rounding.
func ToONNX(ctx context.Context, ctl run.Control, m *model.Model) (*Graph, error) {
	p, err := vectorsOf(m, ONNX)
	if err != nil {
		return nil, err
	}
	b := &builder{Graph: onnx.NewGraph("kerf"), ctx: ctx, width: widthOf(m, p)}
	out := &Graph{graph: b.Graph}
	if err := ctl.Reserve("the graph", 3*b.estimate(p), "use a larger --max-memory"); err != nil {
		return nil, err
	}
	x, err := b.encode(m.Encoding, out)
	if err != nil {
		return nil, err
	}
	raw, err := b.separators(p, x)
	if err != nil {
		return nil, err
	}
	b.outputs(p, raw, out)
	if p.Conformal != nil {
		out.Notes = append(out.Notes, "prediction sets are left out")
	}
	classes, _ := json.Marshal(p.Classes.Names)
	out.facts = []onnx.Entry{{Key: "kernel", Value: data.Clip(p.KernelText(), 500)}, {Key: "learner", Value: p.Learner}}
	if !p.Regresses() {
		out.facts = append(out.facts, onnx.Entry{Key: "classes", Value: string(classes)})
	}
	return out, ctx.Err()
}

// builder adds parts of a pipeline to a graph. Values are matrices with a row an
// instance, of doubles.
type builder struct {
	*onnx.Graph
	ctx    context.Context
	width  int    // coordinates of x
	nought string // a column of zeros, as long as the batch: see zeros
	x      string // the first input
	head   string // the coordinates of x that the model has, where rows may have more; empty elsewhere
}

// widthOf returns how many coordinates of a row a model may look at.
func widthOf(m *model.Model, p *model.Pipeline[data.Vector]) int {
	if w := m.Encoding.Width(); w > 0 {
		return w
	}
	width := m.Width()
	for _, part := range partsOf(p) {
		if width = max(width, mapWidth(part.Map)); part.Kernel != nil {
			width = max(width, kernelWidth(part.Kernel))
		}
	}
	return width
}

// mapWidth returns how many coordinates a map looks at, landmarks' aside.
func mapWidth(m feature.Map[data.Vector]) int {
	switch m := m.(type) {
	case model.Votes[data.Vector]:
		return mapWidth(m.Inner)
	case *feature.Lift[data.Vector]:
		return mapWidth(m.Inner())
	case feature.ObliviousMap:
		return m.Shape().Width
	case feature.Projected:
		return m.Projection().In()
	case feature.Identity:
		return m.Width
	case feature.Powers:
		return 1
	case interface{ Width() int }:
		return m.Width()
	case interface {
		Landmarks() *feature.Landmarks[data.Vector]
	}:
		return data.Dim(m.Landmarks().Instances())
	case *feature.Landmarks[data.Vector]:
		return data.Dim(m.Instances())
	}
	return 0
}

// kernelWidth returns how many coordinates a kernel looks at, where it says that.
func kernelWidth(k kernel.Kernel[data.Vector]) int {
	switch k := k.(type) {
	case kernel.Named[data.Vector]:
		return kernelWidth(k.Of)
	case kernel.Normalized[data.Vector]:
		return kernelWidth(k.Of)
	case kernel.Learned:
		return k.Metric.Width()
	case kernel.Block:
		return k.To
	}
	width := 0
	if c, ok := kernel.CombinationOf(k); ok {
		for _, part := range c.Parts {
			width = max(width, kernelWidth(part))
		}
	}
	return width
}

// estimate returns about how many bytes the constants of a pipeline take.
func (b *builder) estimate(p *model.Pipeline[data.Vector]) float64 {
	size := 0.0
	for _, part := range partsOf(p) {
		m := part.Map
		if v, ok := m.(model.Votes[data.Vector]); ok {
			m = v.Inner
		}
		d, w := float64(m.Dim()), float64(b.width)
		switch m := m.(type) {
		case feature.Identity:
			w = 1
		case interface {
			Landmarks() *feature.Landmarks[data.Vector]
		}:
			n := float64(m.Landmarks().Dim())
			d, w = n, w+n // the landmarks, and the matrix behind them
		}
		size += 8 * d * (w + float64(len(p.Bias)))
	}
	return size
}

func (b *builder) op(kind string, inputs ...string) string { return b.Op(kind, inputs) }

func (b *builder) add(x, y string) string { return b.op("Add", x, y) }
func (b *builder) sub(x, y string) string { return b.op("Sub", x, y) }
func (b *builder) mul(x, y string) string { return b.op("Mul", x, y) }
func (b *builder) div(x, y string) string { return b.op("Div", x, y) }

// affine returns a·x + c.
func (b *builder) affine(x string, a, c float64) string {
	if a != 1 {
		x = b.mul(x, b.Double(a))
	}
	if c != 0 {
		x = b.add(x, b.Double(c))
	}
	return x
}

// cast returns truth values or whole numbers as doubles.
func (b *builder) cast(x string) string {
	return b.Op("Cast", []string{x}, onnx.Int("to", int64(onnx.Double)))
}

// row adds a constant that is the same for every instance.
func (b *builder) row(values []float64) string { return b.Doubles(values, 1, len(values)) }

// sum returns the sums of the rows, a column.
func (b *builder) sum(x string) string {
	return b.Op("ReduceSum", []string{x, b.Ints([]int64{1}, 1)}, onnx.Int("keepdims", 1))
}

// scaled returns a·m. Factors go into constants and not into the graph, because
// onnxruntime takes a factor beside a product of matrices as a float32.
func scaled(m *data.Matrix, a float64) *data.Matrix {
	out := data.NewMatrix(m.Rows, m.Cols)
	vmath.Axpy(out.Data, a, m.Data)
	return out
}

// times returns x·mᵀ.
func (b *builder) times(x string, m *data.Matrix) string {
	t := transposed(m)
	return b.op("MatMul", x, b.Doubles(t.Data, t.Rows, t.Cols))
}

// columns returns some columns of x.
func (b *builder) columns(x string, from, to int) string {
	return b.op("Slice", x, b.Ints([]int64{int64(from)}, 1), b.Ints([]int64{int64(to)}, 1), b.Ints([]int64{1}, 1))
}

// gather returns the columns of x at some places.
func (b *builder) gather(x string, at []int64) string {
	return b.Op("Gather", []string{x, b.Ints(at, len(at))}, onnx.Int("axis", 1))
}

// join puts columns side by side.
func (b *builder) join(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return b.Op("Concat", parts, onnx.Int("axis", 1))
}

// zeros returns a column of zeros, as long as the batch.
func (b *builder) zeros() string {
	if b.nought == "" {
		shape := b.Op("Shape", []string{b.x}, onnx.Int("start", 0), onnx.Int("end", 1))
		shape = b.Op("Concat", []string{shape, b.Ints([]int64{1}, 1)}, onnx.Int("axis", 0))
		b.nought = b.op("Expand", b.Doubles([]float64{0}, 1, 1), shape)
	}
	return b.nought
}

// separators returns the products of a pipeline's features with its separators, with
// the biases.
func (b *builder) separators(p *model.Pipeline[data.Vector], x string) (string, error) {
	total := ""
	for i, part := range partsOf(p) {
		raw, err := b.part(part, x)
		if err != nil {
			return "", err
		}
		if i > 0 {
			raw = b.add(total, raw)
		}
		total = raw
	}
	return total, nil
}

// part is separators of one part, with its weight.
func (b *builder) part(p model.Part[data.Vector], x string) (string, error) {
	if err := b.ctx.Err(); err != nil {
		return "", err
	}
	f, err := b.features(p.Map, x)
	if err != nil {
		return "", err
	}
	w, bias := f.separators(&p.Head)
	if p.Weight != 1 {
		w = scaled(w, p.Weight)
		vmath.Scale(bias, p.Weight)
	}
	if w.Cols == 0 {
		return b.add(b.zeros(), b.row(bias)), nil
	}
	raw := b.times(f.value, w)
	if slices.ContainsFunc(bias, func(v float64) bool { return v != 0 }) {
		raw = b.add(raw, b.row(bias))
	}
	return raw, nil
}

// unknown refuses what there are no operators for.
func unknown(what string, v any) error {
	return refuse(ONNX, "", "there are no operators for the %s %s", what, data.Clip(fmt.Sprint(v), 80))
}
