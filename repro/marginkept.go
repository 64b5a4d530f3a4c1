package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/project"
)

// marginKept measures what a random projection leaves of the margin.
func marginKept() Experiment {
	return Experiment{
		Name:  "margin-kept",
		Title: "Margins under random projections",
		Claim: "A random projection to O(1/γ²·log(1/(εδ))) coordinates takes a distribution with margin γ to one with " +
			"error at most ε at margin γ/2, with probability at least 1 - δ and whatever the dimension was: the " +
			"problem is a 1/γ²-dimensional one.",
		Where: "Blum 2006, theorem 3 and section 3.1",
		Method: "The separator and fresh examples of margin γ exactly, of 200 coordinates, are projected; the error " +
			"at γ/2 is that of the separator's image. δ is 0.2. The least d is that from which on the mean error " +
			"over Gaussian projections stays below ε.",
		Takes: []Parameter{
			{Margin, "γ of the distribution, at least 0.02"},
			{Error, "ε at margin γ/2"},
			{N, "projections at the promised d, at least 40"},
		},
		Full:    Params{Margin: []float64{0.1, 0.2, 0.4}, Error: []float64{0.1}, N: []int{60}},
		Quick:   Params{Margin: []float64{0.2, 0.4}, Error: []float64{0.1}, N: []int{40}},
		Limit:   limitMarginKept,
		Run:     runMarginKept,
		falsify: 0.01,
	}
}

// before and fresh are the coordinates and the count of examples to project.
const before, freshRows = 200, 200

// confidence is 1 - δ of the experiments on maps.
const confidence = 0.8

func limitMarginKept(p Params) error {
	work := 0.0
	for _, margin := range p.Margin {
		if margin < 0.02 {
			return fmt.Errorf("--margin is %v and must be at least 0.02", margin)
		}
		for _, e := range p.Error {
			d, err := bound.ProjectionDim(margin, e, confidence)
			if err != nil {
				return err
			}
			for _, n := range p.N {
				if n < 40 {
					return fmt.Errorf("--n is %d and must be at least 40, for an interval that tells", n)
				}
				work += 2 * float64(n) * float64(d) * before * freshRows
			}
		}
	}
	return affordable(work)
}

func runMarginKept(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	part := 0
	for _, margin := range p.Margin {
		for _, e := range p.Error {
			d, err := bound.ProjectionDim(margin, e, confidence)
			if err != nil {
				return nil, err
			}
			for _, kind := range []string{project.KindGaussian, project.KindSign} {
				for _, n := range p.N {
					part++
					errs, err := trials(ctx, p, "projections", n, func(trial int) (float64, error) {
						curve, err := marginErrors(ctx, p, part, trial, kind, p.promisedCount(d), margin)
						return last(curve), err
					})
					if err != nil {
						return nil, err
					}
					where := []Setting{in("kind", kind), at("γ", margin), at("ε", e), at("d", float64(d))}
					r.Rows = append(r.Rows, broken("projections with error above ε at γ/2", errs, e, where),
						show("mean error at γ/2", meanShare(errs), where...))
				}
			}
		}
	}
	return r, leastDims(ctx, p, r)
}

// broken is the part of maps with an error above ε, of which δ is promised.
func broken(what string, errs []float64, e float64, where []Setting) Row {
	count := 0
	for _, v := range errs {
		if v > e {
			count++
		}
	}
	return atMost(what, proportion(count, len(errs)), 1-confidence, where...)
}

func last(v []float64) float64 {
	if len(v) == 0 {
		return 1
	}
	return v[len(v)-1]
}

// marginErrors projects to d coordinates and returns the errors at γ/2 after the
// first 1, 2, … d of them, which for independent entries are projections as well.
func marginErrors(
	ctx context.Context, p Params, part, trial int, kind string, d int, margin float64,
) ([]float64, error) {
	recipe, err := project.Recall(kind, d, p.seedOf(part, trial))
	if err != nil {
		return nil, err
	}
	a, err := recipe.Fit(before)
	if err != nil {
		return nil, err
	}
	rows := shells(p.rng(part, trial), freshRows, before, margin)
	image, err := a.Map(ctx, p.single(), rows.X)
	if err != nil {
		return nil, err
	}
	w := make([]float64, d)
	a.ApplyVector(w, data.Dense(axis(before)...))
	errs := make([]float64, d)
	for i, label := range rows.Y {
		x := image.Row(i)
		wx, ww, xx := 0.0, 0.0, 0.0
		for j, v := range x {
			wx, ww, xx = wx+w[j]*v, ww+w[j]*w[j], xx+v*v
			if label*wx < bound.KeptByProjection*margin*math.Sqrt(ww*xx) {
				errs[j] += 1.0 / freshRows
			}
		}
	}
	return errs, nil
}

// leastDims measures the least d by γ, and its slope.
func leastDims(ctx context.Context, p Params, r *Result) error {
	const e = 0.1
	margins, groups, each := []float64{0.05, 0.1, 0.2}, p.pick(20, 12), p.pick(8, 4)
	var x, y []float64
	var measured, line []Point
	errorBy := Figure{
		Title: "Theorem 3: error at half of the margin",
		X:     Axis{Label: "coordinates d", Log: true}, Y: Axis{Label: "error at γ/2", Percent: true, Zero: true},
		Note: "Means over projections. Dashed is the error that d coordinates are promised to buy, with probability 0.8.",
	}
	for k, margin := range margins {
		enough, err := bound.ProjectionDim(margin, e, confidence)
		if err != nil {
			return err
		}
		most := int(16 / (margin * margin))
		curves, err := trials(ctx, p, "least dimensions", groups, func(group int) ([]float64, error) {
			mean := make([]float64, most)
			for i := range each {
				one, err := marginErrors(ctx, p, 1<<20+k, group*each+i, project.KindGaussian, most, margin)
				if err != nil {
					return nil, err
				}
				for j, v := range one {
					mean[j] += v / float64(each)
				}
			}
			return mean, nil
		})
		if err != nil {
			return err
		}
		var least []float64
		for _, c := range curves {
			d := float64(leastFrom(c, e))
			least = append(least, d)
			x, y = append(x, math.Log(margin)), append(y, math.Log(d))
		}
		m := mean(least)
		r.Rows = append(r.Rows, atMost("least d for ε", m, float64(enough), at("γ", margin), at("ε", e)))
		measured, line = append(measured, m.point(margin)), append(line, bare(margin, float64(enough)))
		if err := errorCurve(&errorBy, curves, margin, enough); err != nil {
			return err
		}
	}
	r.Rows = append(r.Rows, about("slope of log d by log γ", slope(x, y), bound.DimSlope, 0.3, at("ε", e)))
	r.Figures = append(r.Figures, errorBy, Figure{
		Title: "Theorem 3: least dimension by margin",
		X:     Axis{Label: "margin γ", Log: true}, Y: Axis{Label: "coordinates for ε = 0.1 at γ/2", Log: true},
		Series: []Series{{Name: "measured", Points: measured}, {Name: "promised to be enough", Points: line, Bound: true}},
		Note:   "Both fall by a factor of about 4 where γ doubles: d ~ 1/γ². What is promised holds for every distribution.",
	})
	return nil
}

// errorCurve adds the mean error by d, and what is promised.
func errorCurve(f *Figure, curves [][]float64, margin float64, enough int) error {
	var measured, line []Point
	for d := 1; d <= len(curves[0]); d = next(d, len(curves[0])) {
		at := make([]float64, len(curves))
		for i, c := range curves {
			at[i] = c[d-1]
		}
		measured = append(measured, between(mean(at), 0, 1).point(float64(d)))
	}
	for d := enough / 4; d <= 4*enough; d += enough / 4 {
		e, err := bound.ProjectionError(margin, confidence, d)
		if err != nil {
			return err
		}
		line = append(line, bare(float64(d), e))
	}
	f.Series = append(f.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured, Joined: true},
		Series{Name: fmt.Sprintf("promised at γ = %g", margin), Points: line, Bound: true})
	return nil
}

// leastFrom returns the least d from which on the errors after d coordinates are
// at most e.
func leastFrom(errs []float64, e float64) int {
	d := len(errs)
	for d > 1 && errs[d-2] <= e {
		d--
	}
	return d
}
