package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
)

// online measures the perceptron's hypothesis at a random time of one pass.
func online() Experiment {
	return Experiment{
		Name:  "online-to-batch",
		Title: "From online to batch learning",
		Claim: "If the perceptron is run once over 1/(εγ²) examples of a distribution with margin γ, the expected " +
			"error of its hypothesis at a random time of the pass is at most ε.",
		Where: "Blum 2006, section 1.1",
		Method: "Passes over fresh examples of margin γ exactly, else random. The true error of each hypothesis is " +
			"computed by formula; a pass counts with the mean over its times, 0 being wrong on everything.",
		Takes: []Parameter{
			{Margin, "γ of the distribution"},
			{Error, "ε, which sets the number of examples"},
			{Dim, "dimensions of the space, at least 3"},
			{N, "passes, each over examples of its own, at least 2"},
		},
		Full: Params{
			Margin: []float64{0.3, 0.1}, Error: []float64{0.3, 0.1, 0.03, 0.01}, Dim: []int{50}, N: []int{200},
		},
		Quick:   Params{Error: []float64{0.3, 0.05}, N: []int{40}},
		Limit:   limitOnline,
		Run:     runOnline,
		falsify: 0.02,
	}
}

func limitOnline(p Params) error {
	work := 0.0
	for _, margin := range p.Margin {
		for _, e := range p.Error {
			work += 1 / (e * margin * margin)
		}
	}
	per := 0.0
	for _, dim := range p.Dim {
		if dim < 3 {
			return fmt.Errorf("--dim is %d and must be at least 3", dim)
		}
		for _, n := range p.N {
			if n < 2 {
				return fmt.Errorf("--n is %d and must be at least 2", n)
			}
			per += float64(dim) * float64(n)
		}
	}
	return affordable(work * per)
}

func runOnline(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure := Figure{
		Title: "Online to batch: error of a random hypothesis",
		X:     Axis{Label: "examples of the pass", Log: true}, Y: Axis{Label: "expected error", Log: true},
		Note: "The dashed lines are ε = 1/(nγ²) for n examples.",
	}
	part := 0
	for _, margin := range p.Margin {
		for _, dim := range p.Dim {
			for _, passes := range p.N {
				var measured, line []Point
				for _, e := range p.Error {
					n, err := bound.PerceptronSample(margin, e)
					if err != nil {
						return nil, err
					}
					n = p.promisedCount(n)
					part++
					errs, err := trials(ctx, p, "passes", passes, func(trial int) (float64, error) {
						return randomTime(ctx, p, part, trial, n, dim, margin)
					})
					if err != nil {
						return nil, err
					}
					m := between(mean(errs), 0, 1)
					r.Rows = append(r.Rows, atMost("expected error at a random time", m, e, at("γ", margin), at("ε", e),
						at("dimension", float64(dim)), at("examples", float64(n))))
					measured, line = append(measured, m.point(float64(n))), append(line, bare(float64(n), e))
				}
				figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured},
					Series{Name: fmt.Sprintf("ε at γ = %g", margin), Points: line, Bound: true})
			}
		}
	}
	r.Figures = []Figure{figure}
	return r, nil
}

// randomTime runs one pass and returns the mean true error of the hypotheses
// before each example.
func randomTime(ctx context.Context, p Params, part, trial, n, dim int, margin float64) (float64, error) {
	rng := p.rng(part, trial)
	w := make([]float64, dim)
	sum, now := 0.0, 1.0
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		sum += now
		x, label := shell(rng, dim, margin)
		if label*dot(w, x) <= 0 {
			for j := range w {
				w[j] += label * x[j]
			}
			now = shellError(w, margin, 0)
		}
	}
	return sum / float64(n), nil
}
