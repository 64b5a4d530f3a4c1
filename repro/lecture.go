package repro

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
)

// lecture goes through the examples of the lecture and of the chapter's beginning.
func lecture() Experiment {
	return Experiment{
		Name:  "lecture",
		Title: "Examples that a map makes separable",
		Claim: "No line separates the circle, the four points of XOR or the chapter's 21 points; the squares, the " +
			"product and the square of the coordinates do. Points of a line with alternating labels need all powers up " +
			"to n - 1. The polynomial kernel of degree c takes d coordinates to C(d+c, c), in which the perceptron " +
			"makes the same mistakes as the kernel perceptron.",
		Where: "Tao, Linear Classification: The Kernel Method; Shalev-Shwartz and Ben-David 2014, section 16.1",
		Method: "Linear programming finds a separator of all points or proves that there is none. The least degree " +
			"is the first at which it finds one. Both perceptrons take 300 points of the circle in the same order.",
		Run:     runLecture,
		falsify: 0.5,
	}
}

// plane is a data set of the lecture with the map that separates it.
type plane struct {
	name string
	rows int
	book bool
	as   func(x []float64) []float64
}

func runLecture(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	for i, d := range []plane{
		{"circle", p.pick(2000, 300), false, func(x []float64) []float64 { return []float64{x[0] * x[0], x[1] * x[1]} }},
		{"xor", 4, true, func(x []float64) []float64 { return []float64{x[0], x[1], x[0] * x[1]} }},
		{"interval", 21, true, func(x []float64) []float64 { return []float64{x[0], x[0] * x[0]} }},
	} {
		o := gen.Options{N: d.rows, Seed: p.seedOf(0, i), Book: d.book}
		x, labels, err := gen.Make(ctx, d.name, o)
		if err != nil {
			return nil, err
		}
		mapped := make(data.Slice[data.Vector], x.Rows)
		for k := range mapped {
			mapped[k] = data.Dense(d.as(x.Row(k))...)
		}
		y := signed(labels)
		before, err := separates(ctx, p, data.Labeled[data.Vector, float64]{X: x, Y: y})
		if err != nil {
			return nil, err
		}
		after, err := separates(ctx, p, data.Labeled[data.Vector, float64]{X: mapped, Y: y})
		if err != nil {
			return nil, err
		}
		where := []Setting{in("data", d.name), at("points", float64(d.rows))}
		r.Rows = append(r.Rows, equal("separators of the coordinates", exact(before, 1), 0, where...),
			equal("separators of the features", exact(after, 1), 1, where...))
	}
	if err := interleaved(ctx, p, r); err != nil {
		return nil, err
	}
	if err := polynomialDims(r); err != nil {
		return nil, err
	}
	return r, bothPerceptrons(ctx, p, r)
}

// signed makes labels ±1 of those of package gen.
func signed(labels []string) []float64 {
	y := make([]float64, len(labels))
	for i, l := range labels {
		y[i] = -1
		if l == "1" {
			y[i] = 1
		}
	}
	return y
}

// separates is 1 where a separator, with a threshold, is right on all rows, and 0 where
// there is a proof that there is none.
func separates(ctx context.Context, p Params, d data.Labeled[data.Vector, float64]) (float64, error) {
	recipe := linear.NewProgram()
	recipe.Feasible, recipe.Run = true, p.single()
	s, report, err := recipe.Fit(ctx, d)
	if err != nil {
		return 0, err
	}
	if report.Status == learn.BelowTolerance {
		return 0, nil
	}
	for i, y := range d.Y {
		if y*s.Score(d.X.At(i)) <= 0 {
			return math.NaN(), nil // neither found nor refuted
		}
	}
	return 1, nil
}

// interleaved finds the least degree for points with alternating labels.
func interleaved(ctx context.Context, p Params, r *Result) error {
	var measured, line []Point
	for n := 2; n <= p.pick(9, 6); n++ {
		x, labels, err := gen.Make(ctx, "interleaved", gen.Options{N: n})
		if err != nil {
			return err
		}
		least, err := bound.InterleavedDegree(n)
		if err != nil {
			return err
		}
		degree := 0
		for ; degree <= n; degree++ {
			// The powers of degree 0 to this; the first is the threshold.
			image, err := feature.Apply[data.Vector](ctx, p.single(), feature.NewPowers(degree+1), x)
			if err != nil {
				return err
			}
			found, err := separates(ctx, p, data.Labeled[data.Vector, float64]{X: image, Y: signed(labels)})
			if err != nil {
				return err
			}
			if found == 1 {
				break
			}
		}
		promised := p.promised(float64(least))
		m := exact(float64(degree), 1)
		r.Rows = append(r.Rows, equal("least degree for alternating labels", m, promised, at("points", float64(n))))
		measured, line = append(measured, m.point(float64(n))), append(line, bare(float64(n), promised))
	}
	r.Figures = append(r.Figures, Figure{
		Title: "Lecture: powers that alternating labels need",
		X:     Axis{Label: "points on the line"}, Y: Axis{Label: "least degree", Zero: true},
		Series: []Series{{Name: "by linear programming", Points: measured}, {Name: "n - 1", Points: line, Bound: true}},
		Note:   "Below n - 1 a proof is found that nothing separates the points.",
	})
	return nil
}

// polynomialDims counts the features of polynomial kernels.
func polynomialDims(r *Result) error {
	for _, c := range [][2]int{{2, 2}, {2, 5}, {5, 3}, {20, 2}, {100, 2}} {
		want, err := bound.PolynomialDim(c[0], c[1])
		if err != nil {
			return err
		}
		got, err := feature.MonomialDim(kernel.NewPolynomial(c[1]), c[0])
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, equal("features of the polynomial kernel", exact(float64(got), 1), float64(want),
			at("coordinates", float64(c[0])), at("degree", float64(c[1]))))
	}
	return nil
}

// bothPerceptrons runs the perceptron with the kernel, and on the features it stands for.
func bothPerceptrons(ctx context.Context, p Params, r *Result) error {
	const n = 300
	x, labels, err := gen.Make(ctx, "circle", gen.Options{N: n, Seed: p.seedOf(1, 0)})
	if err != nil {
		return err
	}
	poly := kernel.NewPolynomial(2)
	m, err := feature.NewMonomials(ctx, p.single(), poly, 2)
	if err != nil {
		return err
	}
	features, err := feature.Apply[data.Vector](ctx, p.single(), m, x)
	if err != nil {
		return err
	}
	explicit := linear.NewPerceptron()
	explicit.Unit, explicit.Shuffle, explicit.MaxPasses, explicit.Run = 0, false, 100_000, p.single()
	s, one, err := explicit.Fit(ctx, data.Labeled[data.Vector, float64]{X: features, Y: signed(labels)})
	if err != nil {
		return err
	}
	implicit := kernelized.NewPerceptron[data.Vector](poly)
	implicit.Shuffle, implicit.MaxPasses, implicit.Run = false, 100_000, p.single()
	e, two, err := implicit.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: signed(labels)})
	if err != nil {
		return err
	}
	diff, size := 0.0, 0.0
	for i := range n {
		a, b := s.Score(features.At(i)), e.Score(x.At(i))
		diff, size = max(diff, math.Abs(a-b)), max(size, math.Abs(a))
	}
	where := []Setting{in("data", "circle"), at("points", n)}
	r.Rows = append(r.Rows,
		equal("mistakes of the kernel perceptron", exact(float64(two.Mistakes), 1), float64(one.Mistakes), where...),
		about("largest difference of its scores, relative", exact(diff/size, n), 0, 1e-10, where...))
	return nil
}
