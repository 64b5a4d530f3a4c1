package repro

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/bound"
)

// f2 measures the mapping F2.
func f2() Experiment {
	return Experiment{
		Name:  "f2",
		Title: "Mapping F2: half of the margin is kept",
		Claim: "With d ≥ 8/ε·(1/γ² + ln 1/δ) landmarks from a distribution that has margin γ under a kernel, the " +
			"orthogonal projection onto their span has error at most ε at margin γ/2, with probability at least 1 - δ.",
		Where: "Blum 2006, theorem 4",
		Method: "Examples lie around 1/γ² axes, of which all but one are rare, with inner products as kernel: landmarks " +
			"of rare axes must be met. Margins are those of the part of the true separator in the landmarks' span, " +
			"after the mapping. δ is 0.2.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.05"},
			{Error, "ε at margin γ/2"},
			{Dim, "dimensions of the space, above 1/γ² + 2 and at most 2000"},
			{N, "draws of landmarks, at least 40"},
		},
		Full:    Params{Margin: []float64{0.3, 0.5}, Error: []float64{0.3, 0.1, 0.05}, Dim: []int{100}, N: []int{40}},
		Quick:   Params{Margin: []float64{0.4}, Error: []float64{0.3, 0.1}, Dim: []int{60}, N: []int{40}},
		Limit:   limitLandmarks,
		Run:     runF2,
		falsify: 0.01,
	}
}

func runF2(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure, err := runLandmarks(ctx, p, r, " at γ/2", func(v world) float64 { return bound.KeptByF2 * v.margin })
	figure.Title = "Theorem 4: landmarks for F2 at half of the margin"
	if err != nil {
		return nil, err
	}
	curve, err := runCurve(ctx, p)
	r.Figures = []Figure{figure, curve}
	return r, err
}

// runCurve measures the error by the number of landmarks, for the least ε.
func runCurve(ctx context.Context, p Params) (Figure, error) {
	figure := Figure{
		Title: "Theorem 4: error of F2 at half of the margin",
		X:     Axis{Label: "landmarks d", Log: true}, Y: Axis{Label: "error at γ/2", Log: true, Percent: true},
		Note: "Means over draws. Dashed is the error that d landmarks are promised to buy, with probability 0.8.",
	}
	e := slices.Min(p.Error)
	for i, margin := range p.Margin {
		v := axesWorld(slices.Max(p.Dim), margin, min(4*e, 0.9))
		enough, err := bound.Landmarks(margin, e, confidence)
		if err != nil {
			return figure, err
		}
		var measured, line []Point
		for d := 1; d <= enough; d = max(d+1, d*3/2) {
			errs, err := v.landmarkErrors(ctx, p, 1<<40+i<<30+d, p.pick(20, 8), d, bound.KeptByF2*v.margin)
			if err != nil {
				return figure, err
			}
			m := between(mean(column(errs, 0)), 0, 1)
			measured = append(measured, m.point(float64(d)))
			if m.Value == 0 {
				break
			}
		}
		for d := enough / 8; d <= 2*enough; d = max(d+1, d*5/4) {
			bought, err := bound.LandmarksError(margin, confidence, d)
			if err != nil {
				return figure, err
			}
			line = append(line, bare(float64(d), bought))
		}
		figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured},
			Series{Name: fmt.Sprintf("promised at γ = %g", margin), Points: line, Bound: true})
	}
	return figure, nil
}
