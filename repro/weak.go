package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/learn/boost"
)

// weak measures random separators.
func weak() Experiment {
	return Experiment{
		Name:  "weak-learner",
		Title: "A random separator as weak learner",
		Claim: "On a distribution with margin γ a random separator has error at most 1/2 - γ/4 with a probability of " +
			"at least p(γ) ≥ γ/15, so that algorithm 1, which draws until it has one, draws 1/p(γ) times at most on " +
			"average. On the side of the true separator it is wrong on x with probability α/π, for the angle α " +
			"between the two.",
		Where: "Blum 2006, theorem 1, algorithm 1 and figure 1",
		Method: "Random directions against examples of margin γ exactly, else random; the true error of a direction " +
			"is computed by formula. Algorithm 1 runs on samples of 400 such examples.",
		Takes: []Parameter{
			{Margin, "γ of the distribution"},
			{Dim, "dimensions of the space, at least 3"},
			{N, "random separators to draw"},
		},
		Full:    Params{Margin: []float64{0.05, 0.1, 0.2, 0.4, 0.8}, Dim: []int{3, 100}, N: []int{20_000}},
		Quick:   Params{Margin: []float64{0.1, 0.4}, Dim: []int{3, 30}, N: []int{3000}},
		Limit:   limitWeak,
		Run:     runWeak,
		falsify: 0.5,
	}
}

func limitWeak(p Params) error {
	work := 0.0
	for _, dim := range p.Dim {
		if dim < 3 {
			return fmt.Errorf("--dim is %d and must be at least 3", dim)
		}
		for _, margin := range p.Margin {
			for _, n := range p.N {
				work += float64(dim) * (10*float64(n) + 400*float64(algorithmRuns)*15/margin)
			}
		}
	}
	return affordable(work)
}

// algorithmRuns is how often algorithm 1 runs.
const algorithmRuns = 200

func runWeak(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	chance := Figure{
		Title: "Theorem 1: random separators that are good enough",
		X:     Axis{Label: "margin γ", Log: true}, Y: Axis{Label: "part with error ≤ 1/2 - γ/4", Log: true, Percent: true},
		Note: "Promised is p(γ) of docs/math/weak.md, which holds for every distribution with margin γ.",
	}
	tries := Figure{
		Title: "Algorithm 1: separators that are drawn",
		X:     Axis{Label: "margin γ", Log: true}, Y: Axis{Label: "draws until one is taken, on average", Log: true},
		Note: "Promised are 1/p(γ) draws at most.",
	}
	part := 0
	for _, dim := range p.Dim {
		for _, n := range p.N {
			var good, least, drawn, most []Point
			for _, margin := range p.Margin {
				c, err := bound.WeakChance(margin)
				if err != nil {
					return nil, err
				}
				where := []Setting{at("γ", margin), at("dimension", float64(dim))}
				part++
				m, err := goodSeparators(ctx, p, part, n, dim, margin)
				if err != nil {
					return nil, err
				}
				r.Rows = append(r.Rows, atLeast("part with error ≤ 1/2 - γ/4", m, c, where...))
				part++
				t, err := algorithm1(ctx, p, part, dim, margin)
				if err != nil {
					return nil, err
				}
				r.Rows = append(r.Rows, atMost("draws of algorithm 1", t, 1/c, where...))
				good, least = append(good, m.point(margin)), append(least, bare(margin, c))
				drawn, most = append(drawn, t.point(margin)), append(most, bare(margin, 1/c))
			}
			name := fmt.Sprintf("%d dimensions", dim)
			chance.Series = append(chance.Series, Series{Name: name, Points: good})
			tries.Series = append(tries.Series, Series{Name: name, Points: drawn})
			if len(chance.Series) == len(p.Dim)*len(p.N) {
				chance.Series = append(chance.Series, Series{Name: "p(γ), at least", Points: least, Bound: true})
				tries.Series = append(tries.Series, Series{Name: "1/p(γ), at most", Points: most, Bound: true})
			}
		}
	}
	angle, err := angles(ctx, p, r)
	r.Figures = []Figure{chance, tries, angle}
	return r, err
}

// goodSeparators counts random directions with error at most 1/2 - γ/4.
func goodSeparators(ctx context.Context, p Params, part, n, dim int, margin float64) (Measured, error) {
	good, err := trials(ctx, p, "random separators", blocks(n), func(b int) (int, error) {
		rng, hits := p.rng(part, b), 0
		h := make([]float64, dim)
		for range blockSize(b, n) {
			for j := range h {
				h[j] = rng.NormFloat64()
			}
			if shellError(h, margin, 0) <= 0.5-bound.WeakEdge*margin {
				hits++
			}
		}
		return hits, nil
	})
	return proportion(sum(good), n), err
}

// algorithm1 counts the draws of algorithm 1 on samples.
func algorithm1(ctx context.Context, p Params, part, dim int, margin float64) (Measured, error) {
	drawn, err := trials(ctx, p, "algorithm 1", algorithmRuns, func(trial int) (float64, error) {
		found, err := pickHalfspace(ctx, p, part, trial, 400, dim, margin, 1.0/4)
		return float64(found.Tries), err
	})
	return mean(drawn), err
}

// pickHalfspace draws a sample of margin γ and runs algorithm 1 on it: the first
// random direction with error at most 1/2 - share·γ on the sample.
func pickHalfspace(
	ctx context.Context, p Params, part, trial, n, dim int, margin, share float64,
) (boost.Found, error) {
	d := shells(p.rng(part, trial), n, dim, margin)
	s := &boost.Sample{Y: d.Y, Dim: dim}
	var w boost.Weights
	for i := range n {
		s.X = append(s.X, d.X.At(i))
		w.Signed = append(w.Signed, int64(d.Y[i]))
		if d.Y[i] > 0 {
			w.Plus++
		} else {
			w.Minus++
		}
	}
	recipe := boost.NewHalfspace()
	recipe.Margin, recipe.Least, recipe.Part, recipe.Confidence = margin, margin, share, 1-1e-9
	recipe.Seed = p.seedOf(part, trial)
	finder, err := recipe.Prepare(ctx, p.single(), s)
	if err != nil {
		return boost.Found{}, err
	}
	found, err := finder.Find(ctx, w)
	if err == nil && !found.OK {
		err = fmt.Errorf("algorithm 1 found no separator in %d draws", found.Tries)
	}
	return found, err
}

// angles measures figure 1.
func angles(ctx context.Context, p Params, r *Result) (Figure, error) {
	const dim, n = 20, 20_000
	var measured, line []Point
	for i, margin := range []float64{0.05, 0.3, 0.6, 0.9} {
		promised, err := bound.AngleError(margin)
		if err != nil {
			return Figure{}, err
		}
		promised = p.promised(promised)
		wrong, err := trials(ctx, p, "angles", blocks(n), func(b int) (int, error) {
			rng, hits := p.rng(1<<20+i, b), 0
			for range blockSize(b, n) {
				x, label := shell(rng, dim, margin)
				h := make([]float64, dim)
				for j := range h {
					h[j] = rng.NormFloat64()
				}
				// h[0] is h·w for the separator w of shell; -h is on the other side.
				if label*h[0]*dot(h, x) <= 0 {
					hits++
				}
			}
			return hits, nil
		})
		if err != nil {
			return Figure{}, err
		}
		m := proportion(sum(wrong), n)
		r.Rows = append(r.Rows, equal("wrong on x on the right side, α/π", m, promised, at("γ", margin)))
		measured, line = append(measured, m.point(margin)), append(line, bare(margin, promised))
	}
	return Figure{
		Title: "Figure 1: a random separator on the right side",
		X:     Axis{Label: "cosine of the angle α"}, Y: Axis{Label: "part wrong on x", Percent: true},
		Series: []Series{{Name: "measured", Points: measured}, {Name: "α/π", Points: line, Bound: true}},
		Note:   "The part of separators h with h·w ≥ 0 for which x is on the wrong side.",
	}, nil
}

// separatorBlock is how many draws a stream of goodSeparators and angles has.
const separatorBlock = 1000

func blocks(n int) int { return (n + separatorBlock - 1) / separatorBlock }

func blockSize(b, n int) int { return min(n-b*separatorBlock, separatorBlock) }

func sum(counts []int) (total int) {
	for _, c := range counts {
		total += c
	}
	return total
}
