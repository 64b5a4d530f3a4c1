package repro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/project"
)

// f3 measures the mapping F3.
func f3() Experiment {
	return Experiment{
		Name:  "f3",
		Title: "Mapping F3: dimensions by the logarithm of 1/ε",
		Claim: "F2 and then a random projection to O(1/γ²·log(1/(εδ))) coordinates has error at most ε at margin γ/4, " +
			"with probability at least 1 - δ. It has fewer features than F2 where ε is small.",
		Where: "Blum 2006, theorem 5",
		Method: "Examples lie around 1/γ² axes, of which all but one are rare, with inner products as kernel, and " +
			"Gaussian projections. Margins are those of the true separator's image. δ is 0.2. For the crossover both " +
			"maps get the same number of features, F2 one a landmark, F3 those of many landmarks; the errors that are " +
			"promised cross where kerf plan has it.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.2"},
			{Error, "ε at margin γ/4"},
			{N, "maps, at least 40"},
		},
		Full:    Params{Margin: []float64{0.4, 0.6}, Error: []float64{0.2, 0.1}, N: []int{40}},
		Quick:   Params{Margin: []float64{0.4}, Error: []float64{0.2}, N: []int{40}},
		Limit:   limitF3,
		Run:     runF3,
		falsify: 0.005,
	}
}

// f3Space is the dimension of the space.
const f3Space = 60

func limitF3(p Params) error {
	work := 0.0
	for _, margin := range p.Margin {
		if margin < 0.2 {
			return fmt.Errorf("--margin is %v and must be at least 0.2", margin)
		}
		for _, e := range p.Error {
			marks, dim, err := bound.Compressed(margin, e, confidence)
			if err != nil {
				return err
			}
			if marks > 10_000 {
				return fmt.Errorf("margin %v and error %v ask for %d landmarks, and at most 10,000 are drawn", margin, e, marks)
			}
			for _, n := range p.N {
				if n < 40 {
					return fmt.Errorf("--n is %d and must be at least 40, for an interval that tells", n)
				}
				m := float64(marks)
				work += float64(n) * (2*f3Space*m*m + 400*m*float64(dim))
			}
		}
	}
	return affordable(work)
}

func runF3(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure := Figure{
		Title: "Theorem 5: error of F3 at a quarter of the margin",
		X:     Axis{Label: "features d", Log: true}, Y: Axis{Label: "error at γ/4", Percent: true, Zero: true},
		Note: "Means over maps. Dashed is the error that d features are promised to buy, with probability 0.8.",
	}
	part := 0
	for _, margin := range p.Margin {
		for _, e := range p.Error {
			marks, dim, err := bound.Compressed(margin, e, confidence)
			if err != nil {
				return nil, err
			}
			v := axesWorld(f3Space, margin, min(4*e, 0.9))
			place := []Setting{at("γ", margin), at("ε", e), at("landmarks", float64(marks)), at("features", float64(dim))}
			for _, n := range p.N {
				part++
				errs, err := v.compressedErrors(ctx, p, part, n, p.promisedCount(marks), p.promisedCount(dim))
				if err != nil {
					return nil, err
				}
				r.Rows = append(r.Rows, broken("maps with error above ε at γ/4", errs, e, place),
					show("mean error at γ/4", meanShare(errs), place...))
			}
			if e != p.Error[0] {
				continue
			}
			series, err := f3Curve(ctx, p, v, marks, margin)
			if err != nil {
				return nil, err
			}
			figure.Series = append(figure.Series, series...)
		}
	}
	cross, err := crossover(ctx, p, r)
	r.Figures = []Figure{figure, cross}
	return r, err
}

// f3Curve measures the error by features.
func f3Curve(ctx context.Context, p Params, v world, marks int, margin float64) ([]Series, error) {
	var measured, line []Point
	for d := 1; d <= 1000; d = max(d+1, d*5/2) {
		errs, err := v.compressedErrors(ctx, p, 1<<30+int(1000*margin)<<12+d, p.pick(20, 8), marks, d)
		if err != nil {
			return nil, err
		}
		measured = append(measured, between(mean(errs), 0, 1).point(float64(d)))
	}
	for d := 100; d <= 10_000; d = d * 5 / 4 {
		e, err := bound.CompressedError(margin, confidence, marks, d)
		if err != nil {
			return nil, err
		}
		line = append(line, bare(float64(d), e))
	}
	return []Series{{Name: fmt.Sprintf("γ = %g", margin), Points: measured, Joined: true},
		{Name: fmt.Sprintf("promised at γ = %g", margin), Points: line, Bound: true}}, nil
}

// fitF3 fits F3 with a Gaussian projection.
func (v world) fitF3(
	ctx context.Context, p Params, rng *rand.Rand, marks, dim int, seed uint64,
) (*feature.Compressed[data.Vector], error) {
	f2, err := v.fitF2(ctx, p, rng, marks)
	if err != nil {
		return nil, err
	}
	a, err := project.Gaussian{Dim: dim, Seed: seed}.Fit(f2.Dim())
	if err != nil {
		return nil, err
	}
	return feature.NewCompressed(ctx, p.single(), f2, a)
}

// compressedErrors fits n maps and returns their errors at γ/4.
func (v world) compressedErrors(ctx context.Context, p Params, part, n, marks, dim int) ([]float64, error) {
	errs, err := trials(ctx, p, "maps", n, func(trial int) ([]float64, error) {
		rng := p.rng(part, trial)
		m, err := v.fitF3(ctx, p, rng, marks, dim, p.seedOf(part, trial))
		if err != nil {
			return nil, err
		}
		return v.errors(ctx, p, rng, m, bound.KeptByF3*v.margin)
	})
	if err != nil {
		return nil, err
	}
	return column(errs, 0), nil
}

// crossover gives F2 and F3 the same number of features, on a world of which one
// axis is so rare that F2 mostly misses it: the error that is left is that of the
// rarest axis, counted by its probability.
func crossover(ctx context.Context, p Params, r *Result) (Figure, error) {
	const margin = 0.6
	many := p.pick(4000, 1000)
	var two, three, twoLine, threeLine []Point
	draws := p.pick(16, 8)
	cross := 0
	for d := 4; d <= 4096; d *= 4 {
		second, third, err := promisedErrors(margin, d)
		if err != nil {
			return Figure{}, err
		}
		twoLine, threeLine = append(twoLine, bare(float64(d), second)), append(threeLine, bare(float64(d), third))
		if d > many/4 {
			continue
		}
		v := axesWorld(f3Space, margin, 1/(2*float64(d)))
		errs, err := trials(ctx, p, "crossover", draws, func(trial int) ([2]float64, error) {
			return v.compare(ctx, p, 1<<35+d, trial, many, d)
		})
		if err != nil {
			return Figure{}, err
		}
		a, b := make([]float64, draws), make([]float64, draws)
		for i, e := range errs {
			a[i], b[i] = e[0], e[1]
		}
		ma, mb := between(mean(a), 0, 1), between(mean(b), 0, 1)
		two, three = append(two, ma.point(float64(d))), append(three, mb.point(float64(d)))
		if mb.Value < ma.Value && cross == 0 {
			cross = d
		}
		r.Rows = append(r.Rows, show("error of F2 with d landmarks, at γ/2", ma, at("γ", margin), at("features", float64(d))),
			show("error of F3 with d features, at γ/4", mb, at("γ", margin), at("features", float64(d))))
	}
	plan, err := plannedCrossover(margin)
	if err != nil {
		return Figure{}, err
	}
	if cross == 0 {
		cross = math.MaxInt32
	}
	r.Rows = append(r.Rows, atMost("features from which on F3 beats F2", exact(float64(cross), draws), float64(plan),
		at("γ", margin)))
	return Figure{
		Title: "Theorems 4 and 5: where F3 beats F2",
		X:     Axis{Label: "features", Log: true}, Y: Axis{Label: "error", Log: true, Percent: true},
		Series: []Series{
			{Name: "F2 at γ/2", Points: two, Joined: true}, {Name: "promised of F2", Points: twoLine, Bound: true},
			{Name: "F3 at γ/4", Points: three, Joined: true}, {Name: "promised of F3", Points: threeLine, Bound: true},
		},
		Note: fmt.Sprintf("The promises cross at %d features, from where on kerf plan has fewer for F3. At each number "+
			"of features F2 is measured where it is weak: an axis that so many landmarks often miss.", plan),
	}, nil
}

// promisedErrors are the errors that d features of F2 and of F3 are promised to buy.
func promisedErrors(margin float64, d int) (second, third float64, err error) {
	b, err := bound.NewBudget(bound.UnknownError, margin, 0, confidence, 0, d)
	if err != nil {
		return 0, 0, err
	}
	second, third = 1, 1
	if b.F2 != nil {
		second = *b.F2
	}
	if b.F3 != nil {
		third = *b.F3
	}
	return second, third, nil
}

// plannedCrossover is the least number of features for which F3 promises less
// error than F2.
func plannedCrossover(margin float64) (int, error) {
	low, high := 1, 1<<24 // F2 is better at low, F3 at high
	for high-low > 1 {
		mid := (low + high) / 2
		second, third, err := promisedErrors(margin, mid)
		if err != nil {
			return 0, err
		}
		if third < second {
			high = mid
		} else {
			low = mid
		}
	}
	return high, nil
}

// compare fits F2 to d landmarks and F3 with d features to many, and returns their
// errors at γ/2 and γ/4.
func (v world) compare(ctx context.Context, p Params, part, trial, many, d int) (out [2]float64, err error) {
	rng := p.rng(part, trial)
	second, err := v.fitF2(ctx, p, rng, d)
	if err != nil {
		return out, err
	}
	third, err := v.fitF3(ctx, p, rng, many, d, p.seedOf(part, trial))
	if err != nil {
		return out, err
	}
	for i, m := range []feature.Map[data.Vector]{second, third} {
		errs, err := v.errors(ctx, p, rng, m, v.margin/float64(2+2*i))
		if err != nil {
			return out, err
		}
		out[i] = errs[0]
	}
	return out, nil
}
