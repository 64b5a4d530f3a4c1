package repro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// offset measures separators that miss the origin.
func offset() Experiment {
	return Experiment{
		Name:  "offset",
		Title: "Separators that miss the origin",
		Claim: "For a normalised kernel all results carry over to separators w·φ(x) ≥ β: with one more coordinate, " +
			"that is with (K + 1)/2 in place of K, they pass through the origin and keep at least half of the margin.",
		Where: "Blum 2006, section 4.5; the constant is of docs/math/margins.md",
		Method: "Unit vectors with ℓ·(w·x - β) = γ, else random. The lifted margin is the least over examples, under " +
			"the lifted separator; inner products of lifted vectors are the lifted kernel's values. F2 then has as many " +
			"landmarks as half of γ asks for. δ is 0.2.",
		Takes: []Parameter{
			{Margin, "γ of the separator that misses the origin, from 0.1 to 0.3"},
			{Error, "ε of F2 at a quarter of γ"},
			{N, "draws of landmarks, at least 40"},
		},
		Full:    Params{Margin: []float64{0.2, 0.3}, Error: []float64{0.3}, N: []int{40}},
		Quick:   Params{Margin: []float64{0.3}, Error: []float64{0.4}, N: []int{40}},
		Limit:   limitOffset,
		Run:     runOffset,
		falsify: 2.5,
	}
}

// offsets are the β that are measured.
var offsets = []float64{0, 0.3, 0.6}

func limitOffset(p Params) error {
	for _, margin := range p.Margin {
		if margin < 0.1 || margin > 0.3 {
			return fmt.Errorf("--margin is %v and must be from 0.1 to 0.3", margin)
		}
	}
	halved := p
	halved.Margin = nil
	for _, margin := range p.Margin {
		halved.Margin = append(halved.Margin, bound.KeptByLift*margin)
	}
	halved.Dim = []int{2000}
	return limitLandmarks(halved)
}

// offsetDim is the dimension of the space before it is lifted.
const offsetDim = 40

func runOffset(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure := Figure{
		Title: "Section 4.5: margin after lifting",
		X:     Axis{Label: "offset β of the separator"}, Y: Axis{Label: "margin", Zero: true},
		Note: "Half of the margin is promised for every β; at β = 0 more is left.",
	}
	part := 0
	for _, margin := range p.Margin {
		var measured, line []Point
		for _, beta := range offsets {
			v := liftedWorld(offsetDim, margin, beta)
			part++
			least, err := v.liftedMargin(p, part)
			if err != nil {
				return nil, err
			}
			where := []Setting{at("γ", margin), at("β", beta)}
			promised := p.promised(bound.KeptByLift * margin)
			r.Rows = append(r.Rows, atLeast("lifted margin", exact(least, 1), promised, where...))
			measured, line = append(measured, bare(beta, least)), append(line, bare(beta, promised))
			for _, e := range p.Error {
				marks, err := bound.Landmarks(bound.KeptByLift*margin, e, confidence)
				if err != nil {
					return nil, err
				}
				for _, n := range p.N {
					part++
					errs, err := v.landmarkErrors(ctx, p, part, n, marks, bound.KeptByF2*bound.KeptByLift*margin)
					if err != nil {
						return nil, err
					}
					place := append(where[:2:2], at("ε", e), at("landmarks", float64(marks)))
					r.Rows = append(r.Rows, broken("draws with error of F2 above ε at γ/4", column(errs, 0), e, place))
				}
			}
		}
		figure.Series = append(figure.Series, Series{Name: fmt.Sprintf("γ = %g", margin), Points: measured},
			Series{Name: fmt.Sprintf("γ/2 for γ = %g", margin), Points: line, Bound: true})
	}
	r.Figures = []Figure{figure}
	return r, nil
}

// liftedWorld draws unit vectors x with ℓ·(x_0 - β) = γ, and lifts them to (x, 1)/√2.
// The separator is (w, -β), of length 1.
func liftedWorld(dim int, margin, beta float64) world {
	w := make([]float64, dim+1)
	w[0], w[dim] = 1/math.Hypot(1, beta), -beta/math.Hypot(1, beta)
	draw := func(rng *rand.Rand, _ int) ([]float64, float64) {
		label := float64(2*rng.IntN(2) - 1)
		x, _ := shell(rng, dim, math.Abs(beta+label*margin))
		x[0] = math.Copysign(x[0], beta+label*margin)
		for j := range x {
			x[j] /= math.Sqrt2
		}
		return append(x, 1/math.Sqrt2), label
	}
	return world{dim + 1, bound.KeptByLift * margin, w, []float64{1}, draw}
}

// liftedMargin is the least margin of lifted examples. It reports inner products
// that are not those of the lifted kernel.
func (v world) liftedMargin(p Params, part int) (float64, error) {
	const rows = 500
	k, err := feature.LiftKernel[data.Vector](kernel.Linear{}, 1)
	if err != nil {
		return 0, err
	}
	rng, least := p.rng(part, 0), 1.0
	var last []float64
	for range rows {
		x, label := v.draw(rng, 0)
		least = min(least, cosine(v.separator, x, label))
		if last != nil {
			got, want := k.Eval(unlifted(x), unlifted(last)), dot(x, last)
			if math.Abs(got-want) > 1e-12 {
				return 0, fmt.Errorf("the lifted kernel is %v where inner products are %v", got, want)
			}
		}
		last = x
	}
	return least, nil
}

// unlifted returns the vector without its last coordinate, as long as it was.
func unlifted(x []float64) data.Vector {
	y := make([]float64, len(x)-1)
	for j := range y {
		y[j] = x[j] * math.Sqrt2
	}
	return data.Dense(y...)
}
