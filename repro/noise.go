package repro

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/bound"
)

// noise measures F2 on data of which a part lacks the margin.
func noise() Experiment {
	return Experiment{
		Name:  "noise",
		Title: "Data of which a part lacks the margin",
		Claim: "If all but a part α of the distribution has margin γ, the mappings keep their promises with " +
			"(1 - α)·ε + α in place of ε.",
		Where: "Blum 2006, section 4.5",
		Method: "F2 on examples around 1/γ² axes, of which all but one are rare; a part α of the draws, landmarks " +
			"among them, is a vector across the separator, which no margin has. δ is 0.2.",
		Takes: []Parameter{
			{Margin, "γ of what is not noise, at least 0.05"},
			{Error, "ε at margin γ/2, beyond noise"},
			{Dim, "dimensions of the space, above 1/γ² + 2 and at most 2000"},
			{N, "draws of landmarks, at least 40"},
		},
		Full:    Params{Margin: []float64{0.4}, Error: []float64{0.2, 0.1}, Dim: []int{60}, N: []int{60}},
		Quick:   Params{Error: []float64{0.2}, N: []int{40}},
		Limit:   limitLandmarks,
		Run:     runNoise,
		falsify: 0.01,
	}
}

// noises are the parts α that are measured.
var noises = []float64{0, 0.1, 0.2, 0.3, 0.45, 0.6}

func runNoise(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure := Figure{
		Title: "Section 4.5: error of F2 with noise",
		X:     Axis{Label: "part α without the margin", Percent: true, Zero: true},
		Y:     Axis{Label: "error at γ/2", Percent: true, Zero: true},
		Note:  "The error cannot be less than α, and is promised to be little more.",
	}
	part := 0
	for _, dim := range p.Dim {
		for _, margin := range p.Margin {
			for _, e := range p.Error {
				var measured, line []Point
				for _, alpha := range noises {
					v := axesWorld(dim, margin, min(4*e, 0.9)).noisy(alpha)
					marks, err := bound.NoisyLandmarks(margin, e, confidence, alpha)
					if err != nil {
						return nil, err
					}
					promised, err := bound.NoisyError(e, alpha)
					if err != nil {
						return nil, err
					}
					for _, n := range p.N {
						part++
						errs, err := v.landmarkErrors(ctx, p, part, n, p.promisedCount(marks), bound.KeptByF2*v.margin)
						if err != nil {
							return nil, err
						}
						one := column(errs, 0)
						where := []Setting{at("γ", margin), at("ε", e), at("α", alpha), at("landmarks", float64(marks)),
							at("(1 - α)·ε + α", promised)}
						m := between(mean(one), 0, 1)
						r.Rows = append(r.Rows, broken("draws with error above (1 - α)·ε + α at γ/2", one, promised, where),
							show("mean error at γ/2", m, where...))
						measured = append(measured, m.point(alpha))
					}
					line = append(line, bare(alpha, promised))
				}
				figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g, ε = %g", margin, e), Points: measured},
					Series{Name: fmt.Sprintf("(1 - α)·ε + α for ε = %g", e), Points: line, Bound: true})
			}
		}
	}
	r.Figures = []Figure{figure}
	return r, nil
}

// noisy is the world with a part alpha of noise: a vector across the separator.
func (v world) noisy(alpha float64) world {
	clean, count := v.draw, len(v.parts)
	parts := make([]float64, 0, count+1)
	for _, q := range v.parts {
		parts = append(parts, (1-alpha)*q)
	}
	v.parts = append(parts, alpha)
	v.draw = func(rng *rand.Rand, part int) ([]float64, float64) {
		if part < count {
			return clean(rng, part)
		}
		x := make([]float64, v.dim)
		x[v.dim-1] = 1
		return x, 1
	}
	return v
}
