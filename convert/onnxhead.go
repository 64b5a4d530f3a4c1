package convert

import (
	"slices"

	"github.com/kerf-ml/kerf/convert/onnx"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// outputs adds scores, label and probabilities.
func (b *builder) outputs(p *model.Pipeline[data.Vector], raw string, g *Graph) {
	k := p.Outputs()
	scores := b.spread(&p.Head, raw)
	b.output(g, "scores", scores, onnx.Double, onnx.Rows, k)
	if p.Regresses() {
		return
	}
	best := scores
	if c := p.Calibration; c != nil {
		probabilities := b.probabilities(c, scores)
		b.output(g, "probabilities", probabilities, onnx.Double, onnx.Rows, k)
		if c.Method != calibrate.Softmax {
			best = probabilities
		}
	}
	var class string
	if k == 2 { // of two that tie the second wins
		wins := b.op("GreaterOrEqual", b.columns(best, 1, 2), b.columns(best, 0, 1))
		class = b.Op("Cast", []string{wins}, onnx.Int("to", int64(onnx.Int64)))
		class = b.op("Squeeze", class, b.Ints([]int64{1}, 1))
	} else {
		class = b.Op("ArgMax", []string{best}, onnx.Int("axis", 1), onnx.Int("keepdims", 0))
	}
	label := b.Op("Gather", []string{b.Strings(p.Classes.Names), class}, onnx.Int("axis", 0))
	b.output(g, "label", label, onnx.String, onnx.Rows)
}

// output names a value and makes it an output. An input of the name comes first.
func (b *builder) output(g *Graph, name, value string, of onnx.Type, dims ...int) {
	for slices.ContainsFunc(g.Inputs, func(i Input) bool { return i.Name == name }) {
		name = "kerf_" + name
	}
	b.Name(value, name)
	b.Output(name, of, dims...)
	g.Outputs = append(g.Outputs, name)
}

// spread returns the scores of all outputs: see model.Head.
func (b *builder) spread(h *model.Head, raw string) string {
	switch k := h.Classes.Len(); {
	case h.Regresses():
		return raw
	case h.Pairs != nil:
		return b.tally(raw, k, h.FirstWins)
	case k == 2:
		return b.join([]string{b.op("Neg", raw), raw})
	}
	return raw
}

// tally returns the pairs that each class wins, and less than a half by how much.
func (b *builder) tally(raw string, k int, first bool) string {
	pairs := learn.Pairs(k)
	won, lost, sure := data.NewMatrix(k, pairs), data.NewMatrix(k, pairs), data.NewMatrix(k, pairs)
	for p := range pairs {
		i, j := learn.PairAt(p, k)
		won.Row(i)[p], lost.Row(j)[p] = 1, 1
		sure.Row(i)[p], sure.Row(j)[p] = 1, -1
	}
	wins := b.cast(b.op("Greater", raw, b.Double(0)))
	votes := b.add(b.times(wins, won), b.times(b.affine(wins, -1, 1), lost))
	if first {
		return votes
	}
	s := b.times(raw, sure)
	return b.add(votes, b.div(s, b.affine(b.op("Abs", s), 2.5, 2.5)))
}

// probabilities returns those of a calibration.
func (b *builder) probabilities(c *calibrate.Calibration, scores string) string {
	if c.Method == calibrate.Softmax {
		return b.Op("Softmax", []string{b.affine(scores, 1/c.Temperature, 0)}, onnx.Int("axis", 1))
	}
	one := func(m int, s string) string {
		if c.Method == calibrate.Sigmoid {
			return b.sigmoid(b.affine(s, c.Logistic[m].Slope, c.Logistic[m].Offset))
		}
		return b.broken(s, c.Isotonic[m].X, c.Isotonic[m].Y)
	}
	if c.Classes == 2 {
		s := b.affine(b.sub(b.columns(scores, 1, 2), b.columns(scores, 0, 1)), 0.5, 0)
		p := one(0, s)
		return b.join([]string{b.affine(p, -1, 1), p})
	}
	parts := make([]string, c.Classes)
	for k := range parts {
		parts[k] = one(k, b.columns(scores, k, k+1))
	}
	all := b.join(parts)
	sum := b.sum(all)
	none := b.op("Equal", sum, b.Double(0))
	even := b.Double(1 / float64(c.Classes))
	return b.op("Where", none, even, b.div(all, b.op("Where", none, b.Double(1), sum)))
}

// sigmoid returns 1/(1 + exp(-t)).
func (b *builder) sigmoid(t string) string {
	return b.div(b.Double(1), b.affine(b.op("Exp", b.op("Neg", t)), 1, 1))
}
