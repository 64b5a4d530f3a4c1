package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// direct measures the direct method.
func direct() Experiment {
	return Experiment{
		Name:  "direct",
		Title: "The direct method",
		Claim: "A learner of linear separators with a bound on its sample by the margin needs no map: place a labelled " +
			"sample of that size, 1/(εγ²) for the perceptron, into a space of as many dimensions by its kernel matrix, " +
			"and project new examples there. The expected error is at most ε.",
		Where: "Balcan, Blum and Vempala 2004, section 6",
		Method: "One pass of the perceptron over the placed sample of examples of margin γ exactly, else random; its " +
			"hypothesis at a random time is tested on 400 fresh ones. Beside it the same pass over as many other " +
			"labelled examples, mapped by F2 with as many unlabelled landmarks.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.05"},
			{Error, "ε, which sets the size of the sample"},
			{Dim, "dimensions of the space, at least 3"},
			{N, "samples, at least 20"},
		},
		Full: Params{
			Margin: []float64{0.4, 0.2}, Error: []float64{0.3, 0.1, 0.05}, Dim: []int{50}, N: []int{3000},
		},
		Quick:   Params{Margin: []float64{0.4}, Error: []float64{0.3, 0.1}, N: []int{150}},
		Limit:   limitDirect,
		Run:     runDirect,
		falsify: 0.03,
	}
}

func limitDirect(p Params) error {
	work := 0.0
	for _, margin := range p.Margin {
		if margin < 0.05 {
			return fmt.Errorf("--margin is %v and must be at least 0.05", margin)
		}
		for _, e := range p.Error {
			n, err := bound.PerceptronSample(margin, e)
			if err != nil {
				return err
			}
			if n > 5000 {
				return fmt.Errorf("--margin %v with --error %v asks for a sample of %d, and at most 5,000 are placed", margin, e, n)
			}
			work += float64(n) * float64(n) * (float64(n) + 800)
		}
	}
	per := 0.0
	for _, dim := range p.Dim {
		if dim < 3 || dim > 10_000 {
			return fmt.Errorf("--dim is %d and must be from 3 to 10,000", dim)
		}
	}
	for _, n := range p.N {
		if n < 20 {
			return fmt.Errorf("--n is %d and must be at least 20", n)
		}
		per += 2 * float64(n) * float64(len(p.Dim))
	}
	return affordable(work * per)
}

func runDirect(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	part := 0
	for _, margin := range p.Margin {
		for _, dim := range p.Dim {
			for _, count := range p.N {
				var placed, mapped, line []Point
				for _, e := range p.Error {
					n, err := bound.PerceptronSample(margin, e)
					if err != nil {
						return nil, err
					}
					n = p.promisedCount(n)
					part++
					errs, err := trials(ctx, p, "samples", count, func(trial int) ([]float64, error) {
						return bothWays(ctx, p, part, trial, shellWorld(dim, margin), n)
					})
					if err != nil {
						return nil, err
					}
					where := []Setting{at("γ", margin), at("ε", e), at("dimension", float64(dim)), at("examples", float64(n))}
					one, two := between(mean(column(errs, 0)), 0, 1), between(mean(column(errs, 1)), 0, 1)
					r.Rows = append(r.Rows, atMost("expected error of the direct method", one, e, where...),
						show("expected error on F2, with as many landmarks besides", two, where...))
					placed, mapped = append(placed, one.point(float64(n))), append(mapped, two.point(float64(n)))
					line = append(line, bare(float64(n), e))
				}
				r.Figures = append(r.Figures, Figure{
					Title: fmt.Sprintf("Direct method (section 6): error by sample, γ = %g", margin),
					X:     Axis{Label: "labelled examples", Log: true},
					Y:     Axis{Label: "expected error", Zero: true, Percent: true},
					Series: []Series{{Name: "direct", Points: placed}, {Name: "F2", Points: mapped},
						{Name: "ε at 1/(εγ²) examples", Points: line, Bound: true}},
					Note: "F2 has as many unlabelled landmarks as there are labelled examples.",
				})
			}
		}
	}
	return r, nil
}

// bothWays returns the errors of the direct method and of F2.
func bothWays(ctx context.Context, p Params, part, trial int, v world, n int) ([]float64, error) {
	rng := p.rng(part, trial)
	train, fresh := v.sample(rng, n), v.sample(rng, 400)
	recipe := feature.NewDirect[data.Vector](kernel.Linear{})
	recipe.Run = p.single()
	all, err := recipe.Fit(ctx, train.X)
	if err != nil {
		return nil, err
	}
	f2, err := v.fitF2(ctx, p, rng, n)
	if err != nil {
		return nil, err
	}
	stop := rng.IntN(n)
	var errs []float64
	for _, m := range []feature.Map[data.Vector]{all, f2} {
		images, err := feature.Apply(ctx, p.single(), m, train.X)
		if err != nil {
			return nil, err
		}
		tests, err := feature.Apply(ctx, p.single(), m, fresh.X)
		if err != nil {
			return nil, err
		}
		w := make([]float64, m.Dim())
		for i := range stop {
			if train.Y[i]*dot(w, images.Row(i)) <= 0 {
				for j, a := range images.Row(i) {
					w[j] += train.Y[i] * a
				}
			}
		}
		wrong := 0.0
		for i, y := range fresh.Y {
			if y*dot(w, tests.Row(i)) <= 0 {
				wrong++
			}
		}
		errs = append(errs, wrong/float64(len(fresh.Y)))
	}
	return errs, nil
}
