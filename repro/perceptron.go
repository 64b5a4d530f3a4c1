package repro

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

// perceptron counts the perceptron's mistakes.
func perceptron() Experiment {
	return Experiment{
		Name:  "perceptron",
		Title: "Mistakes of the perceptron",
		Claim: "On any sequence of examples that some separator through the origin gets right by margin γ, the " +
			"perceptron makes at most 1/γ² mistakes, whatever the dimension and however long the sequence.",
		Where: "Blum 2006, section 1.1; Novikoff 1962",
		Method: "Examples of margin γ exactly, else random, with at most 100 coordinates that are not 0, are shown " +
			"over and over until a whole pass is right; the most mistakes of all sequences count. In the worst case " +
			"the examples are 1/γ² axes of the space: each is a mistake, and none is to spare.",
		Takes: []Parameter{
			{Margin, "γ of the sequences"},
			{Dim, "dimensions of the space, at least 2"},
			{N, "examples of a sequence"},
		},
		Full: Params{
			Margin: []float64{0.3, 0.1, 0.05, 0.03}, Dim: []int{10, 100, 1000, 10_000, 100_000}, N: []int{2000},
		},
		Quick:   Params{Margin: []float64{0.3, 0.1}, Dim: []int{10, 1000, 100_000}, N: []int{300}},
		Limit:   limitPerceptron,
		Run:     runPerceptron,
		falsify: 0.5,
	}
}

func limitPerceptron(p Params) error {
	for _, v := range p.Dim {
		if v < 2 || v > 10_000_000 {
			return fmt.Errorf("--dim is %d and must be from 2 to 10,000,000", v)
		}
	}
	for _, v := range p.N {
		if v > 100_000 {
			return fmt.Errorf("--n is %d and must be at most 100,000", v)
		}
	}
	for _, v := range p.Margin {
		if v < 0.005 {
			return fmt.Errorf("--margin is %v and must be at least 0.005: the sequences would take hours", v)
		}
	}
	return nil
}

func runPerceptron(ctx context.Context, p Params) (*Result, error) {
	const few, sequences = 100, 4
	r := &Result{}
	part := 0
	figure := Figure{
		Title: "Perceptron (Novikoff): mistakes by dimension",
		X:     Axis{Label: "dimension of the space", Log: true}, Y: Axis{Label: "mistakes", Log: true},
		Note: "Each dashed line is the most that is promised at its margin γ, in every dimension.",
	}
	for _, margin := range p.Margin {
		most, err := bound.PerceptronMistakes(margin)
		if err != nil {
			return nil, err
		}
		promised := p.promised(float64(most))
		var measured, line []Point
		for _, dim := range p.Dim {
			for _, n := range p.N {
				counts, err := trials(ctx, p, "sequences", sequences, func(trial int) (int, error) {
					rng := p.rng(part, trial)
					d := data.Labeled[data.Vector, float64]{Y: make([]float64, n)}
					x := make(data.Slice[data.Vector], n)
					for i := range x {
						x[i], d.Y[i] = sparseShell(rng, dim, few, margin)
					}
					d.X = x
					return mistakes(ctx, p, d)
				})
				if err != nil {
					return nil, err
				}
				m := exact(float64(slices.Max(counts)), sequences)
				r.Rows = append(r.Rows, atMost("mistakes", m, promised,
					at("γ", margin), at("dimension", float64(dim)), at("examples", float64(n))))
				measured, line = append(measured, m.point(float64(dim))), append(line, bare(float64(dim), promised))
				part++
			}
		}
		figure.Series = append(figure.Series,
			Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured, Joined: true},
			Series{Name: fmt.Sprintf("1/γ² at γ = %g", margin), Points: line, Bound: true})
	}
	r.Figures = []Figure{figure}
	return r, worstPerceptron(ctx, p, r)
}

// worstPerceptron adds the case in which 1/γ² mistakes are made: n axes of the
// space, of margin 1/√n under their labelled sum.
func worstPerceptron(ctx context.Context, p Params, r *Result) error {
	var measured, line []Point
	for _, n := range []int{4, 16, 100, 1024} {
		d := data.Labeled[data.Vector, float64]{Y: make([]float64, n)}
		x := make(data.Slice[data.Vector], n)
		for i := range x {
			x[i], d.Y[i] = data.Vector{Index: []int32{int32(i)}, Value: []float64{1}}, float64(1-i%2*2)
		}
		d.X = x
		count, err := mistakes(ctx, p, d)
		if err != nil {
			return err
		}
		margin := 1 / math.Sqrt(float64(n))
		most, err := bound.PerceptronMistakes(margin)
		if err != nil {
			return err
		}
		promised := p.promised(float64(most))
		m := exact(float64(count), 1)
		r.Rows = append(r.Rows, atMost("mistakes in the worst case", m, promised,
			at("γ", margin), at("dimension", float64(n)), at("examples", float64(n))))
		measured, line = append(measured, m.point(margin)), append(line, bare(margin, promised))
	}
	r.Figures = append(r.Figures, Figure{
		Title: "Perceptron (Novikoff): the worst case",
		X:     Axis{Label: "margin γ", Log: true}, Y: Axis{Label: "mistakes", Log: true},
		Series: []Series{
			{Name: "axes, one example each", Points: measured}, {Name: "1/γ²", Points: line, Bound: true},
		},
		Note: "The bound is met exactly: no better one holds for every sequence.",
	})
	return nil
}

// mistakes counts the perceptron's mistakes until a pass has none.
func mistakes(ctx context.Context, p Params, d data.Labeled[data.Vector, float64]) (int, error) {
	recipe := linear.NewPerceptron()
	recipe.MaxPasses, recipe.Unit, recipe.Normalize, recipe.Shuffle = math.MaxInt32, 0, true, false
	recipe.Run = p.single()
	_, report, err := recipe.Fit(ctx, d)
	if err == nil && report.Status != learn.Converged {
		err = fmt.Errorf("the perceptron did not come to an end: %v", report.Status)
	}
	return int(report.Mistakes), err
}
