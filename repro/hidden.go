package repro

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/linear"
)

// hidden measures landmarks that know the distribution against those that do not.
func hidden() Experiment {
	return Experiment{
		Name:  "necessity",
		Title: "Why landmarks must come from the distribution",
		Claim: "There are kernels under which the data, 2^(n/2) hidden points of {0, 1}^n with random labels, have " +
			"margin √3/2, and features of polynomially many points drawn without regard to the data are not even " +
			"weakly separable: the error is 1/2. The kernel can be positive definite.",
		Where: "Blum 2006, theorem 6; Balcan, Blum and Vempala 2004, section 5",
		Method: "F2 of 2n landmarks, drawn from the data or uniformly from {0, 1}^n. The separator is that of the " +
			"classes' means, or none, which says one label; its error is over all of the data. Below 1/2 - η it may be " +
			"where a landmark hits the data, and else with probability δ = 0.2. The positive definite " +
			"variant gives each point a twentieth of its squared length in a direction of its own.",
		Takes:   []Parameter{{N, "n, the bits of a point: even, from 10 to 24"}},
		Full:    Params{N: []int{10, 12, 16, 20, 24}},
		Quick:   Params{N: []int{10, 16}},
		Limit:   limitHidden,
		Run:     runHidden,
		falsify: 0.1,
	}
}

func limitHidden(p Params) error {
	for _, n := range p.N {
		if n < 10 || n > 24 || n%2 != 0 {
			return fmt.Errorf("--n is %d and must be even, from 10 to 24", n)
		}
	}
	return nil
}

func runHidden(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	figure := Figure{
		Title: "Theorem 6: error with landmarks of the data and of the space",
		X:     Axis{Label: "bits n of a point"}, Y: Axis{Label: "error of the best separator", Percent: true, Zero: true},
		Note: "Landmarks of the data tell the labels. Those of the space miss the data, but for small n, and tell nothing.",
	}
	var line []Point
	for k, own := range []float64{0, 0.05} {
		name := []string{"as in the paper", "positive definite"}[k]
		margin, err := bound.HiddenMargin(own)
		if err != nil {
			return nil, err
		}
		var from, blind []Point
		for i, bits := range p.N {
			marks := 2 * bits
			least, hit, err := blindness(bits, marks)
			if err != nil {
				return nil, err
			}
			promised := p.promised(1 - confidence + hit)
			games, err := trials(ctx, p, "hidden sets", 200, func(trial int) (game, error) {
				return play(ctx, p, i, trial, bits, marks, own)
			})
			if err != nil {
				return nil, err
			}
			var errs, blinds, margins []float64
			low := 0
			for _, g := range games {
				if g.blind < least {
					low++
				}
				errs, blinds, margins = append(errs, g.err), append(blinds, g.blind), append(margins, g.margin)
			}
			where := []Setting{in("kernel", name), at("n", float64(bits)), at("landmarks", float64(marks))}
			me, mb := exact(slices.Max(errs), len(errs)), between(mean(blinds), 0, 1)
			r.Rows = append(r.Rows,
				atMost("largest error with landmarks of the data", me, 0, where...),
				atMost("sets with an error below 1/2 - η with landmarks of the space", proportion(low, len(games)), promised,
					append(where[:3:3], at("1/2 - η", least))...),
				show("mean error with landmarks of the space", mb, where...),
				// The margin is computed to about 1e-6 of itself.
				atLeast("least margin with landmarks of the data", exact(slices.Min(margins), len(margins)),
					margin*(1-1e-5), where...))
			from, blind = append(from, me.point(float64(bits))), append(blind, mb.point(float64(bits)))
			if k == 0 {
				line = append(line, bare(float64(bits), (1-hit)*confidence*least))
			}
		}
		figure.Series = append(figure.Series, Series{Name: "data, " + name, Points: from, Joined: true},
			Series{Name: "space, " + name, Points: blind, Joined: true})
	}
	figure.Series = append(figure.Series, Series{Name: "space, promised on average at least", Points: line, Bound: true})
	r.Figures = []Figure{figure}
	return r, nil
}

// blindness returns the error that is promised of landmarks that miss the data,
// but with probability δ, and the probability that one hits.
func blindness(bits, marks int) (least, hit float64, err error) {
	if least, err = bound.HiddenError(bits, confidence); err != nil {
		return 0, 0, err
	}
	hit, err = bound.HiddenHit(bits, marks)
	return least, hit, err
}

// game is what one hidden set shows.
type game struct {
	err, blind float64 // errors with landmarks of the data and of the space
	margin     float64 // of the best separator with landmarks of the data
}

// play draws a hidden set and landmarks of both kinds.
func play(ctx context.Context, p Params, part, trial, bits, marks int, own float64) (g game, err error) {
	h := gen.Hidden{N: 1, Bits: bits, Seed: p.seedOf(part, trial)}
	k, all, rng := h.Kernel().Definite(own), h.Points(), p.rng(part, trial)
	for i := range 2 {
		z := make(data.Slice[data.Vector], marks)
		for j := range z {
			if i == 0 {
				z[j] = all.X.At(rng.IntN(all.X.Len()))
				continue
			}
			x := make([]float64, bits)
			for b := range x {
				x[b] = float64(rng.IntN(2))
			}
			z[j] = data.Dense(x...)
		}
		recipe := feature.NewF2[data.Vector](k, marks)
		recipe.Run = p.single()
		m, err := recipe.FitTo(ctx, z)
		if err != nil {
			return g, err
		}
		image, err := feature.Apply(ctx, p.single(), m, all.X)
		if err != nil {
			return g, err
		}
		d := data.Labeled[data.Vector, float64]{X: image, Y: all.Y}
		if i == 1 {
			g.blind = meansError(d)
			continue
		}
		g.err = meansError(d)
		machine := linear.NewHardMargin()
		machine.Unit, machine.Normalize, machine.Run = 0, true, p.single()
		_, proof, _, err := machine.Prove(ctx, d)
		if err != nil {
			return g, err
		}
		g.margin = proof.Margin
	}
	return g, nil
}

// meansError is the least error of three separators through the origin of the
// features: the difference of the classes' means, and the mean of all either way
// round, which says one label where features are all alike.
func meansError(d data.Labeled[data.Vector, float64]) float64 {
	dim := data.Dim(d.X)
	apart, all := make([]float64, dim), make([]float64, dim)
	count := map[float64]float64{}
	for _, y := range d.Y {
		count[y]++
	}
	for i, y := range d.Y {
		d.X.At(i).AddTo(apart, y/count[y])
		d.X.At(i).AddTo(all, 1)
	}
	wrong := [3]int{}
	for i, y := range d.Y {
		x := d.X.At(i)
		for k, score := range []float64{x.DotWith(apart), x.DotWith(all), -x.DotWith(all)} {
			// Features that are alike differ by rounding, of which no label may be read.
			if y*score <= 1e-9 {
				wrong[k]++
			}
		}
	}
	return float64(min(wrong[0], wrong[1], wrong[2])) / float64(len(d.Y))
}
