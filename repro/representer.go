package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
)

// representer measures the kernel trick of chapter 16.
func representer() Experiment {
	return Experiment{
		Name:  "kernel-trick",
		Title: "Representer theorem and descent with kernels",
		Claim: "Soft SVM has an optimum in the span of the examples, so that a linear separator on F2 of all rows is " +
			"the kernel machine. Stochastic descent in the coefficients α is, step by step, that in the weights w. Its " +
			"average over T steps is in expectation within (1 + ln T)/(2λT) of the least objective.",
		Where: "Shalev-Shwartz and Ben-David 2014, theorem 16.1, lemma 16.3 and section 16.3",
		Method: "The linear SVM without a threshold on F2 of all rows against the dual solver; what their duality gaps " +
			"leave open is the slack. Descent in w on the monomials of the kernel takes the same examples as that in α. " +
			"The least objective is that of the dual solver, exact to 1e-6.",
		Takes:   []Parameter{{N, "steps T of the descent, up to 1,000,000"}},
		Full:    Params{N: []int{100, 300, 1000, 3000, 10_000, 30_000}},
		Quick:   Params{N: []int{100, 1000, 3000}},
		Limit:   limitRepresenter,
		Run:     runRepresenter,
		falsify: 1e-3,
	}
}

func limitRepresenter(p Params) error {
	for _, v := range p.N {
		if v > 1_000_000 {
			return fmt.Errorf("--n is %d and must be at most 1,000,000", v)
		}
	}
	return nil
}

func runRepresenter(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	if err := machineIsF2(ctx, p, r); err != nil {
		return nil, err
	}
	if err := stepByStep(ctx, p, r); err != nil {
		return nil, err
	}
	return r, descentGap(ctx, p, r)
}

// machineIsF2 compares the dual solver with a linear machine on F2 of all rows.
func machineIsF2(ctx context.Context, p Params, r *Result) error {
	n := p.pick(300, 120)
	k := kernel.Gaussian{Gamma: 2}
	x, labels, err := gen.Make(ctx, "moons", gen.Options{N: n, Noise: 0.1, Seed: p.seedOf(0, 0)})
	if err != nil {
		return err
	}
	d := data.Labeled[data.Vector, float64]{X: x, Y: signed(labels)}
	direct := feature.NewDirect[data.Vector](k)
	direct.Run = p.single()
	m, err := direct.Fit(ctx, x)
	if err != nil {
		return err
	}
	phi, err := feature.Apply(ctx, p.single(), m, x)
	if err != nil {
		return err
	}
	for _, lambda := range []float64{0.1, 0.01, 0.001} {
		dual := kernelized.NewSoftSVM[data.Vector](k)
		dual.Lambda, dual.Tolerance, dual.Run = lambda, 1e-9, p.single()
		e, one, err := dual.Fit(ctx, d)
		if err != nil {
			return err
		}
		svm := linear.NewSVM()
		svm.C, svm.Loss, svm.Unit = 1/(2*lambda*float64(n)), linear.Hinge, 0
		svm.Tolerance, svm.MaxPasses, svm.Run = 1e-9, 100_000, p.single()
		s, two, err := svm.Fit(ctx, data.Labeled[data.Vector, float64]{X: phi, Y: d.Y})
		if err != nil {
			return err
		}
		diff := 0.0
		for i := range n {
			diff = max(diff, math.Abs(e.Score(x.At(i))-s.Score(phi.At(i))))
		}
		// λ|w|² is strongly convex: a gap g leaves |w - w*|² ≤ g/λ. The objective of the
		// linear machine is 1/(2λ) times the other; 1e-4 is for what the rank leaves out.
		slack := math.Sqrt(one.Gap/lambda) + math.Sqrt(2*two.Gap) + 1e-4
		where := []Setting{at("λ", lambda), at("rows", float64(n))}
		r.Rows = append(r.Rows,
			about("largest difference of the scores of both machines", exact(diff, n), 0, slack, where...),
			about("objective of F2's, over the kernel machine's", exact(2*lambda*two.Objective/one.Objective, 1), 1, 1e-6,
				where...))
	}
	return nil
}

// stepByStep is lemma 16.3.
func stepByStep(ctx context.Context, p Params, r *Result) error {
	const n, lambda, most = 50, 0.1, 100
	poly := kernel.Normalize[data.Vector](kernel.NewPolynomial(2))
	plain, err := feature.NewMonomials(ctx, p.single(), kernel.NewPolynomial(2), 2)
	if err != nil {
		return err
	}
	x, labels, err := gen.Make(ctx, "circle", gen.Options{N: n, Seed: p.seedOf(1, 0)})
	if err != nil {
		return err
	}
	y, phi := signed(labels), data.NewMatrix(n, plain.Dim())
	for i := range n {
		row := phi.Row(i)
		plain.MapTo(row, x.At(i))
		length := math.Sqrt(dot(row, row))
		for j := range row {
			row[j] /= length
		}
	}
	recipe := kernelized.NewSGD(poly)
	recipe.Lambda, recipe.Tolerance, recipe.Seed, recipe.Run = lambda, 0, p.seedOf(1, 1), p.single()
	// The examples are those that the recipe chooses.
	choose := seed.Stream(recipe.Seed, seed.Shuffle, 0)
	theta, total, worst := make([]float64, phi.Cols), make([]float64, phi.Cols), 0.0
	for t := 1; t <= most; t++ {
		for j, v := range theta {
			total[j] += v / (lambda * float64(t))
		}
		i := int(choose.Float64() * n)
		if y[i]*dot(theta, phi.Row(i))/(lambda*float64(t)) < 1 {
			for j, v := range phi.Row(i) {
				theta[j] += y[i] * v
			}
		}
		recipe.Steps = t
		e, _, err := recipe.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: y})
		if err != nil {
			return err
		}
		for i := range n {
			worst = max(worst, math.Abs(e.Score(x.At(i))-dot(total, phi.Row(i))/float64(t)))
		}
	}
	r.Rows = append(r.Rows, about("largest difference of descent in α and in w, of all steps", exact(worst, most), 0, 1e-9,
		at("λ", lambda), at("steps", most)))
	return nil
}

// descentGap measures how far the average is from the optimum.
func descentGap(ctx context.Context, p Params, r *Result) error {
	const n = 200
	runs := p.pick(24, 8)
	k := kernel.Gaussian{Gamma: 2}
	x, labels, err := gen.Make(ctx, "moons", gen.Options{N: n, Noise: 0.1, Seed: p.seedOf(2, 0)})
	if err != nil {
		return err
	}
	d := data.Labeled[data.Vector, float64]{X: x, Y: signed(labels)}
	for part, lambda := range []float64{0.1, 0.01} {
		dual := kernelized.NewSoftSVM[data.Vector](k)
		dual.Lambda, dual.Tolerance, dual.Run = lambda/2, 1e-8, p.single()
		_, least, err := dual.Fit(ctx, d)
		if err != nil {
			return err
		}
		var measured, line []Point
		for _, steps := range p.N {
			above, err := trials(ctx, p, "descents", runs, func(trial int) (float64, error) {
				recipe := kernelized.NewSGD[data.Vector](k)
				recipe.Lambda, recipe.Steps, recipe.Tolerance = lambda, steps, 0
				recipe.Seed, recipe.Run = p.seedOf(3+part, trial), p.single()
				_, report, err := recipe.Fit(ctx, d)
				return report.Objective - least.Objective, err
			})
			if err != nil {
				return err
			}
			excess, err := bound.SGDExcess(lambda, steps)
			if err != nil {
				return err
			}
			m, promised := mean(above), p.promised(excess)
			r.Rows = append(r.Rows, atMost("objective of the average above the least", m, promised, at("λ", lambda),
				at("steps", float64(steps))))
			measured, line = append(measured, m.point(float64(steps))), append(line, bare(float64(steps), promised))
		}
		r.Figures = append(r.Figures, Figure{
			Title: fmt.Sprintf("Soft SVM by descent with kernels, λ = %g", lambda),
			X:     Axis{Label: "steps T", Log: true}, Y: Axis{Label: "objective above the least", Log: true},
			Series: []Series{{Name: "measured", Points: measured}, {Name: "(1 + ln T)/(2λT)", Points: line, Bound: true}},
			Note:   "Means over descents with their own choices of examples.",
		})
	}
	return nil
}
