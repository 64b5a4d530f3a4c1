package repro

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

// separable measures whether samples are separable in the space of F3.
func separable() Experiment {
	return Experiment{
		Name:  "corollary2",
		Title: "Samples that F3 makes separable",
		Claim: "With enough landmarks F3 has an error so small for its dimension d = O(1/γ²·log 1/(εγδ)) that a sample " +
			"of d·ln d examples is, with high probability, linearly separable in its space: any algorithm for data " +
			"without noise can learn there.",
		Where: "Blum 2006, corollary 2 and what is said before it",
		Method: "F3 of 600 landmarks of margin γ exactly, else random, in 300 dimensions; samples of d·ln d fresh " +
			"examples. Linear programming tells whether a separator through the origin is right on all of them.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.1"},
			{Dim, "d, from 3 to 200"},
			{N, "samples of each size"},
		},
		Full:    Params{Margin: []float64{0.15, 0.3}, Dim: []int{4, 8, 16, 32, 64, 128}, N: []int{40}},
		Quick:   Params{Margin: []float64{0.15}, Dim: []int{4, 16, 96}, N: []int{30}},
		Limit:   limitSeparable,
		Run:     runSeparable,
		falsify: 0.0005,
	}
}

func limitSeparable(p Params) error {
	for _, margin := range p.Margin {
		if margin < 0.1 {
			return fmt.Errorf("--margin is %v and must be at least 0.1", margin)
		}
	}
	work := 0.0
	for _, d := range p.Dim {
		if d < 3 || d > 200 {
			return fmt.Errorf("--dim is %d and must be from 3 to 200", d)
		}
		for _, n := range p.N {
			work += float64(len(p.Margin)) * float64(n) * (1e8 + 10*math.Pow(float64(d), 3)*math.Log(float64(d)))
		}
	}
	return affordable(work)
}

func runSeparable(ctx context.Context, p Params) (*Result, error) {
	const e, space, marks = 0.05, 300, 600
	r := &Result{}
	figure := Figure{
		Title: "Corollary 2: samples of d·ln d that are separable",
		X:     Axis{Label: "dimensions d of F3", Log: true},
		Y:     Axis{Label: "part that is separable", Percent: true, Zero: true},
		Note:  "By linear programming, which finds a separator or proves that there is none.",
	}
	part := 0
	dims := slices.Sorted(slices.Values(p.Dim))
	for _, margin := range p.Margin {
		_, enough, err := bound.NearlySeparable(margin, e, confidence)
		if err != nil {
			return nil, err
		}
		promised := float64(p.promisedCount(enough))
		v := shellWorld(space, margin)
		for _, n := range p.N {
			var measured []Point
			least := 0
			for _, d := range dims {
				part++
				split, err := trials(ctx, p, "samples", n, func(trial int) (bool, error) {
					return v.separates(ctx, p, part, trial, marks, d)
				})
				if err != nil {
					return nil, err
				}
				hits := 0
				for _, ok := range split {
					if ok {
						hits++
					}
				}
				m := proportion(hits, n)
				r.Rows = append(r.Rows, show("samples of d·ln d that are separable", m, at("γ", margin), at("d", float64(d)),
					at("examples", float64(samples(d)))))
				measured = append(measured, m.point(float64(d)))
				if m.Value < confidence-e {
					least = 0
				} else if least == 0 {
					least = d
				}
			}
			if least > 0 {
				r.Rows = append(r.Rows, atMost("d from which on 1 - δ - ε of samples are separable",
					exact(float64(least), n), promised, at("γ", margin)))
			} else {
				r.Notes = append(r.Notes, fmt.Sprintf("At γ = %g no d of the list makes most samples separable; "+
					"%d are promised to.", margin, enough))
			}
			figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured, Joined: true})
		}
	}
	r.Figures = []Figure{figure}
	return r, nil
}

// samples is ⌈d·ln d⌉.
func samples(d int) int { return int(math.Ceil(float64(d) * math.Log(float64(d)))) }

// separates draws a map and a sample and says whether the sample is separable.
func (v world) separates(ctx context.Context, p Params, part, trial, marks, d int) (bool, error) {
	rng := p.rng(part, trial)
	m, err := v.fitF3(ctx, p, rng, marks, d, p.seedOf(part, trial))
	if err != nil {
		return false, err
	}
	rows := v.sample(rng, samples(d))
	image, err := feature.Apply(ctx, p.single(), m, rows.X)
	if err != nil {
		return false, err
	}
	bothLabels(image, rows.Y)
	program := linear.NewProgram()
	program.Unit, program.Feasible, program.Run = 0, true, p.single()
	_, _, report, err := program.Prove(ctx, data.Labeled[data.Vector, float64]{X: image, Y: rows.Y})
	if err != nil {
		return false, err
	}
	switch report.Status {
	case learn.Converged:
		return true, nil
	case learn.BelowTolerance:
		return false, nil
	}
	return false, fmt.Errorf("linear programming came to no end: %v", report.Status)
}

// bothLabels turns the first row and its label round where all labels are the same,
// which learners refuse: ℓ·(w·x) stays as it is for every w.
func bothLabels(x *data.Matrix, y []float64) {
	if slices.Contains(y, -1) && slices.Contains(y, 1) {
		return
	}
	y[0] = -y[0]
	for j, v := range x.Row(0) {
		x.Row(0)[j] = -v
	}
}
