package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/project"
)

// projection measures how often a random projection distorts a distance.
func projection() Experiment {
	return Experiment{
		Name:  "projection",
		Title: "Distances under random projections",
		Claim: "A random projection to d coordinates, with entries of N(0, 1) or ±1, takes the squared distance of two " +
			"points out of (1 ± g) times what it was with probability at most 2·exp(-(g² - g³)·d/4). The same holds " +
			"for projections onto a random subspace and for entries of which two thirds are 0; for sparser ones and " +
			"for Hadamard transforms nothing is promised.",
		Where: "Blum 2006, theorem 2 (Arriaga and Vempala 1999; Achlioptas 2003; Dasgupta and Gupta 2003)",
		Method: "Many projections of each kind of three vectors of 128 coordinates: of random entries, of two entries " +
			"and of a single one, which is hard for sparse kinds. The vector that is distorted most often counts.",
		Takes: []Parameter{
			{Error, "g, the distortion of a squared distance"},
			{Dim, "d, coordinates after the projection"},
			{N, "projections of each kind"},
		},
		Full:    Params{Error: []float64{0.3, 0.5, 0.7}, Dim: []int{20, 50, 100}, N: []int{4000}},
		Quick:   Params{Error: []float64{0.3, 0.6}, Dim: []int{20, 100}, N: []int{400}},
		Limit:   limitProjection,
		Run:     runProjection,
		falsify: 0.1,
	}
}

// projected is how many coordinates the vectors of the experiment have.
const projected = 128

func limitProjection(p Params) error {
	work := 0.0
	for _, d := range p.Dim {
		for _, n := range p.N {
			work += float64(n) * float64(d) * projected * (float64(d) + 100)
		}
	}
	return affordable(work)
}

// covered are the kinds of projection for which theorem 2 is proved.
var covered = map[string]bool{
	project.KindGaussian: true, project.KindSign: true, project.KindOrthogonal: true, project.KindAchlioptas: true,
}

func runProjection(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	kinds := project.Kinds()
	beyond := tally{}
	part := 0
	for _, n := range p.N {
		figures := make([]Figure, len(p.Error))
		for i, g := range p.Error {
			figures[i] = Figure{
				Title: fmt.Sprintf("Theorem 2: distortion of more than g = %g", g),
				X:     Axis{Label: "coordinates d"}, Y: Axis{Label: "probability", Percent: true, Zero: true},
				Note: "Sparse and Hadamard projections are not covered by the theorem; the others are.",
			}
		}
		lines := make([][]Point, len(p.Error))
		for k, kind := range kinds {
			points := make([][]Point, len(p.Error))
			for _, d := range p.Dim {
				part++
				ratios, err := trials(ctx, p, kind+" projections", n, func(trial int) ([3]float64, error) {
					return distortions(p, part, trial, kind, p.promisedCount(d))
				})
				if err != nil {
					return nil, err
				}
				for i, g := range p.Error {
					promised, err := bound.DistortionFailure(g, d)
					if err != nil {
						return nil, err
					}
					m := distorted(ratios, g)
					where := []Setting{in("kind", kind), at("d", float64(d)), at("g", g)}
					if covered[kind] {
						r.Rows = append(r.Rows, atMost("probability of a distortion above g", m, promised, where...))
					} else {
						beyond.add(kind, m.Low > promised)
						r.Rows = append(r.Rows, show("the same, where nothing is promised", m, where...))
					}
					// Kinds stand beside each other, so that their intervals can be told apart.
					points[i] = append(points[i], m.point(float64(d)*(1+0.02*(float64(k)-2.5))))
					if k == 0 {
						lines[i] = append(lines[i], bare(float64(d), promised))
					}
				}
			}
			for i := range figures {
				figures[i].Series = append(figures[i].Series, Series{Name: kind, Points: points[i]})
			}
		}
		for i := range figures {
			figures[i].Series = append(figures[i].Series,
				Series{Name: "2·exp(-(g² - g³)·d/4)", Points: lines[i], Bound: true})
		}
		r.Figures = append(r.Figures, figures...)
	}
	for _, kind := range kinds {
		if t := beyond[kind]; t[1] > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("Projections of kind %s, for which the theorem is not proved, are beyond "+
				"its bound in %d of %d settings.", kind, t[0], t[1]))
		}
	}
	return r, nil
}

// distortions draws a projection and returns the squared lengths of the images of
// the vectors, relative to what they were.
func distortions(p Params, part, trial int, kind string, d int) (out [3]float64, err error) {
	recipe, err := project.Recall(kind, d, p.seedOf(part, trial))
	if err != nil {
		return out, err
	}
	a, err := recipe.Fit(projected)
	if err != nil {
		return out, err
	}
	rng := p.rng(part, trial)
	spread, two, one := make([]float64, projected), make([]float64, projected), make([]float64, projected)
	for j := range spread {
		spread[j] = rng.NormFloat64()
	}
	two[rng.IntN(projected/2)], two[projected/2+rng.IntN(projected/2)] = 1, -1
	one[rng.IntN(projected)] = 1
	image := make([]float64, d)
	for i, v := range [][]float64{spread, two, one} {
		a.Apply(image, v)
		out[i] = dot(image, image) / dot(v, v)
	}
	return out, nil
}

// distorted is the probability of a distortion above g, of the vector that is
// worst off.
func distorted(ratios [][3]float64, g float64) Measured {
	var hits [3]int
	for _, q := range ratios {
		for i, v := range q {
			if math.Abs(v-1) > g {
				hits[i]++
			}
		}
	}
	return proportion(max(hits[0], hits[1], hits[2]), len(ratios))
}

// tally counts hits and trials by name.
type tally map[string][2]int

func (t tally) add(name string, hit bool) {
	c := t[name]
	if hit {
		c[0]++
	}
	t[name] = [2]int{c[0], c[1] + 1}
}
