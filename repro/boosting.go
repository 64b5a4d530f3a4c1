package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
)

// boosting measures random separators under AdaBoost, and the one that a sample
// picks.
func boosting() Experiment {
	return Experiment{
		Name:  "boosting",
		Title: "Boosting random separators",
		Claim: "The training error of AdaBoost's vote is at most Π 2√(e(1-e)) over the weighted errors e of its rounds; " +
			"with random separators of error at most 1/2 - γ/4 it falls below exp(-γ²n/8) in n rounds. A separator " +
			"that is picked for an error of at most 1/2 - γ/6 on a sample of O(1/γ²·log 1/γ) examples has true error " +
			"at most 1/2 - γ/12.",
		Where: "Blum 2006, section 2 and footnote 2; Freund and Schapire 1997",
		Method: "AdaBoost over algorithm 1 on samples of examples of margin γ exactly; means over samples. Picks are " +
			"judged on samples of the size that is enough with probability 0.8; their true errors are computed by formula.",
		Takes: []Parameter{
			{Margin, "γ of the examples"},
			{Dim, "dimensions of the space, at least 3"},
			{N, "examples of a sample to boost on, at least 2"},
		},
		Full:    Params{Margin: []float64{0.5, 0.2}, Dim: []int{50}, N: []int{1000}},
		Quick:   Params{Margin: []float64{0.5}, Dim: []int{20}, N: []int{300}},
		Limit:   limitBoosting,
		Run:     runBoosting,
		falsify: 0.1,
	}
}

func limitBoosting(p Params) error {
	work := 0.0
	for _, dim := range p.Dim {
		if dim < 3 {
			return fmt.Errorf("--dim is %d and must be at least 3", dim)
		}
		for _, margin := range p.Margin {
			for _, n := range p.N {
				if n < 2 {
					return fmt.Errorf("--n is %d and must be at least 2", n)
				}
				work += float64(dim) / margin * (1e5*float64(n) + 1e6/(margin*margin))
			}
		}
	}
	return affordable(work)
}

func runBoosting(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	part := 0
	for _, margin := range p.Margin {
		for _, dim := range p.Dim {
			for _, n := range p.N {
				part++
				if err := boostRounds(ctx, p, r, part, n, dim, margin); err != nil {
					return nil, err
				}
			}
			part++
			if err := picks(ctx, p, r, part, dim, margin); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// boostRounds measures the training error by rounds.
func boostRounds(ctx context.Context, p Params, r *Result, part, n, dim int, margin float64) error {
	rounds, samples := p.pick(1000, 100), p.pick(8, 4)
	histories, err := trials(ctx, p, "boost", samples, func(trial int) ([]boost.Round, error) {
		weak := boost.NewHalfspace()
		weak.Margin, weak.Least, weak.Part, weak.Confidence = margin, margin, bound.WeakEdge, 1-1e-9
		weak.Seed = p.seedOf(part, trial)
		recipe := boost.NewAdaBoost(weak)
		recipe.Rounds, recipe.Run = rounds, p.single()
		e, report, err := recipe.Fit(ctx, shells(p.rng(part, trial), n, dim, margin))
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		history := e.History
		for report.Status == learn.Converged && len(history) < rounds {
			history = append(history, history[len(history)-1]) // one rule is right on all rows, and is the vote
		}
		if len(history) < rounds {
			return nil, fmt.Errorf("boosting ended after %d rounds: %v", len(history), report.Status)
		}
		return history, nil
	})
	if err != nil {
		return err
	}
	var error1, product, edge []Point
	for k := 1; k <= rounds; k = next(k, rounds) {
		m, prod := 0.0, 0.0
		for _, h := range histories {
			errs := make([]float64, k)
			for t := range errs {
				errs[t] = h[t].Error
			}
			z, err := bound.BoostingProduct(errs)
			if err != nil {
				return err
			}
			prod += z / float64(samples)
			m += h[k-1].TrainError / float64(samples)
		}
		bought, err := bound.BoostingError(bound.WeakEdge*margin, k)
		if err != nil {
			return err
		}
		prod = p.promised(prod)
		where := []Setting{at("γ", margin), at("dimension", float64(dim)), at("examples", float64(n)),
			at("rounds", float64(k))}
		r.Rows = append(r.Rows, atMost("training error, Π 2√(e(1-e))", exact(m, samples), prod, where...),
			atMost("training error, exp(-γ²n/8)", exact(m, samples), bought, where...))
		error1, product = append(error1, bare(float64(k), m)), append(product, bare(float64(k), prod))
		edge = append(edge, bare(float64(k), bought))
	}
	r.Figures = append(r.Figures, Figure{
		Title: fmt.Sprintf("AdaBoost of random separators, γ = %g", margin),
		X:     Axis{Label: "rounds", Log: true}, Y: Axis{Label: "training error", Zero: true, Percent: true},
		Series: []Series{
			{Name: "measured", Points: error1, Joined: true}, {Name: "Π 2√(e(1-e))", Points: product, Bound: true},
			{Name: "exp(-γ²n/8)", Points: edge, Bound: true},
		},
		Note: "The product is over the rounds' own errors; the exponential holds whatever they are.",
	})
	return nil
}

// next returns the round after k to look at: about three a decade, and the last.
func next(k, last int) int {
	if k == last {
		return last + 1
	}
	return min(max(k+1, k*10/3), last)
}

// picks measures the true error of what a sample picks.
func picks(ctx context.Context, p Params, r *Result, part, dim int, margin float64) error {
	const confidence = 0.8
	_, n, err := bound.WeakSample(margin, confidence)
	if err != nil {
		return err
	}
	count := p.pick(200, 60)
	errs, err := trials(ctx, p, "picks", count, func(trial int) (float64, error) {
		found, err := pickHalfspace(ctx, p, part, trial, n, dim, margin, bound.SampleEdge)
		if err != nil {
			return 0, err
		}
		return shellError(found.Rule.W, margin, 0), nil
	})
	if err != nil {
		return err
	}
	bad := 0
	for _, e := range errs {
		if e > 0.5-bound.PickEdge*margin {
			bad++
		}
	}
	where := []Setting{at("γ", margin), at("dimension", float64(dim)), at("examples", float64(n))}
	r.Rows = append(r.Rows,
		atMost("part of picks with true error above 1/2 - γ/12", proportion(bad, count), 1-confidence, where...),
		show("true error of the pick", between(mean(errs), 0, 1), where...))
	return nil
}
