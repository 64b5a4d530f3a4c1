package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/linear"
)

// f1 measures the mapping F1.
func f1() Experiment {
	return Experiment{
		Name:  "f1",
		Title: "Mapping F1: similarities to landmarks",
		Claim: "Draw d ≥ 8/ε·(1/γ² + ln 1/δ) landmarks from a distribution that has margin γ under a kernel K. With " +
			"probability at least 1 - δ the features K(x, x_1), …, K(x, x_d) are linearly separable with error at most " +
			"ε. The margin may be lost, where many landmarks are alike; mapping F2 keeps half of it.",
		Where: "Blum 2006, lemma 1 and corollary 1",
		Method: "Examples lie around 1/γ² axes, of which all but one are rare, with inner products as kernel: landmarks " +
			"of rare axes must be met. The separator is the part of the true one in the landmarks' span, which is one " +
			"of F1's. δ is 0.2. For the margin, ever more landmarks lie next to one example and a single one next " +
			"to the other; it is that of the best separator, by a support vector machine without errors.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.05"},
			{Error, "ε"},
			{Dim, "dimensions of the space, above 1/γ² + 2 and at most 2000"},
			{N, "draws of landmarks, at least 40"},
		},
		Full:    Params{Margin: []float64{0.3, 0.5}, Error: []float64{0.3, 0.1, 0.05}, Dim: []int{100}, N: []int{40}},
		Quick:   Params{Margin: []float64{0.4}, Error: []float64{0.3, 0.1}, Dim: []int{60}, N: []int{40}},
		Limit:   limitLandmarks,
		Run:     runF1,
		falsify: 0.01,
	}
}

// limitLandmarks refuses what the experiments with landmarks cannot do in time.
func limitLandmarks(p Params) error {
	work := 0.0
	for _, margin := range p.Margin {
		if margin < 0.05 {
			return fmt.Errorf("--margin is %v and must be at least 0.05", margin)
		}
		for _, e := range p.Error {
			marks, err := bound.Landmarks(margin, e, confidence)
			if err != nil {
				return err
			}
			if marks > 10_000 {
				return fmt.Errorf("margin %v and error %v ask for %d landmarks, and at most 10,000 are drawn", margin, e, marks)
			}
			for _, n := range p.N {
				work += float64(n) * float64(marks) * float64(marks)
			}
		}
	}
	total := 0.0
	for _, dim := range p.Dim {
		for _, margin := range p.Margin {
			if least := axes(margin) + 2; dim < least || dim > 2000 {
				return fmt.Errorf("--dim is %d and must be from %d to 2000 at margin %v", dim, least, margin)
			}
		}
		total += work * 2 * float64(dim)
	}
	for _, n := range p.N {
		if n < 40 {
			return fmt.Errorf("--n is %d and must be at least 40, for an interval that tells", n)
		}
	}
	return affordable(total)
}

func runF1(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure, err := runLandmarks(ctx, p, r, "", func(world) float64 { return 0 })
	if err != nil {
		return nil, err
	}
	figure.Title = "Lemma 1 and corollary 1: landmarks for F1"
	lost, err := marginLost(ctx, p, r)
	r.Figures = []Figure{figure, lost}
	return r, err
}

// runLandmarks measures errors at a threshold with as many landmarks as lemma 1
// asks for, and how many would have been enough. Rows say where errors are taken.
func runLandmarks(
	ctx context.Context, p Params, r *Result, where string, threshold func(world) float64,
) (Figure, error) {
	figure := Figure{
		X:    Axis{Label: "error ε that is allowed", Log: true},
		Y:    Axis{Label: "landmarks", Log: true},
		Note: "Points are where the mean error falls to ε. What is promised holds for every distribution of margin γ.",
	}
	part := 0
	for _, dim := range p.Dim {
		for _, margin := range p.Margin {
			var measured, line []Point
			for _, e := range p.Error {
				v := axesWorld(dim, margin, min(4*e, 0.9))
				marks, err := bound.Landmarks(margin, e, confidence)
				if err != nil {
					return figure, err
				}
				place := []Setting{at("γ", margin), at("ε", e), at("dimension", float64(dim)), at("landmarks", float64(marks))}
				for _, n := range p.N {
					part++
					errs, err := v.landmarkErrors(ctx, p, part, n, p.promisedCount(marks), threshold(v))
					if err != nil {
						return figure, err
					}
					r.Rows = append(r.Rows, broken("draws with error above ε"+where, column(errs, 0), e, place),
						show("mean error"+where, meanShare(column(errs, 0)), place...))
				}
				part++
				m, err := v.leastMarks(ctx, p, part<<20, threshold(v), e)
				if err != nil {
					return figure, err
				}
				r.Rows = append(r.Rows, atMost("landmarks for a mean error of ε"+where, m, float64(marks), place[:3]...))
				measured, line = append(measured, m.point(e)), append(line, bare(e, float64(marks)))
			}
			figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured},
				Series{Name: fmt.Sprintf("promised to be enough, γ = %g", margin), Points: line, Bound: true})
		}
	}
	return figure, nil
}

// marginLost measures the best margins of F1 and F2 where most landmarks lie next
// to one of two examples of margin γ.
func marginLost(ctx context.Context, p Params, r *Result) (Figure, error) {
	const margin = 0.3
	var one, two, half []Point
	counts := []int{1, 4, 16, 64, 256}
	for i, copies := range counts {
		f1, f2, err := bestMargins(ctx, p, i, copies, margin)
		if err != nil {
			return Figure{}, err
		}
		where := []Setting{at("γ", margin), at("landmarks alike", float64(copies))}
		r.Rows = append(r.Rows, atLeast("margin of F2 with landmarks alike", exact(f2, 1), bound.KeptByF2*margin, where...))
		if copies == counts[len(counts)-1] {
			r.Rows = append(r.Rows, atMost("margin of F1 with landmarks alike", exact(f1, 1), bound.KeptByF2*margin, where...))
		} else {
			r.Rows = append(r.Rows, show("margin of F1 with landmarks alike", exact(f1, 1), where...))
		}
		x := float64(copies)
		one, two, half = append(one, bare(x, f1)), append(two, bare(x, f2)), append(half, bare(x, bound.KeptByF2*margin))
	}
	return Figure{
		Title: "Corollary 1 and theorem 4: margins with landmarks alike",
		X:     Axis{Label: "landmarks next to each other", Log: true},
		Y:     Axis{Label: "margin of the best separator", Log: true},
		Series: []Series{
			{Name: "F1", Points: one, Joined: true}, {Name: "F2", Points: two, Joined: true},
			{Name: "γ/2, promised of F2", Points: half, Bound: true},
		},
		Note: "The margin of F1 goes to 0 where features say the same over and over; F2 makes them orthogonal.",
	}, nil
}

// bestMargins returns the largest margins of two examples x± = (√(1-γ²), ±γ) under
// F1 and F2, with landmarks that are copies of x+, all but the same, and one of x-.
func bestMargins(ctx context.Context, p Params, part, copies int, margin float64) (f1, f2 float64, err error) {
	const dim, jitter = 30, 1e-3
	rng := p.rng(1<<24+part, 0)
	around := func(label float64) data.Vector {
		x, _ := shell(rng, dim, 1-jitter*jitter) // near the first axis
		y := make([]float64, dim)
		copy(y[2:], x[2:])
		y[1], y[0] = label*margin, 1
		y[0] = sqrt0(1 - dot(y[1:], y[1:]))
		return data.Dense(y...)
	}
	marks := data.Slice[data.Vector]{around(-1)}
	for range copies {
		marks = append(marks, around(1))
	}
	d := data.Labeled[data.Vector, float64]{}
	rows := data.Slice[data.Vector]{}
	for range 10 {
		for _, label := range []float64{1, -1} {
			rows, d.Y = append(rows, around(label)), append(d.Y, label)
		}
	}
	recipe := feature.NewF2[data.Vector](kernel.Linear{}, len(marks))
	recipe.Run = p.single()
	second, err := recipe.FitTo(ctx, marks)
	if err != nil {
		return 0, 0, err
	}
	first := feature.NewLandmarks[data.Vector](kernel.Linear{}, marks, p.ctl.Precision)
	out := [2]float64{}
	for i, m := range []feature.Map[data.Vector]{first, second} {
		image, err := feature.Apply(ctx, p.single(), m, rows)
		if err != nil {
			return 0, 0, err
		}
		d.X = image
		machine := linear.NewHardMargin()
		machine.Unit, machine.Normalize, machine.Run = 0, true, p.single()
		_, proof, _, err := machine.Prove(ctx, d)
		if err != nil {
			return 0, 0, err
		}
		out[i] = proof.Margin
	}
	return out[0], out[1], nil
}
