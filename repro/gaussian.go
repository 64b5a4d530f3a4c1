package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/linear"
)

// gaussian measures how many points a Gaussian kernel separates, and by what margin.
func gaussian() Experiment {
	return Experiment{
		Name:  "gaussian",
		Title: "A Gaussian kernel separates any finite set",
		Claim: "Whatever its width, a Gaussian kernel separates any finite set of different points, whatever their " +
			"labels. How does the margin-based theorem of generalisation apply to their images?",
		Where: "Tao, Linear Classification: The Kernel Method, the theorem on Gaussian kernels and the closing question",
		Method: "Points of a line at equal distances with alternating labels, the hardest ones. The largest margin " +
			"is that of the hard-margin separator on F2 of all points. Far apart, at three widths, the least that " +
			"Gershgorin's circles leave is promised; closer, rounding ends it, and the last n that was separated is reported.",
		Takes:   []Parameter{{N, "points, from 2 to 1000"}},
		Full:    Params{N: []int{2, 4, 8, 16, 32, 64, 128, 256, 512}},
		Quick:   Params{N: []int{2, 4, 8, 16, 32, 64}},
		Limit:   limitGaussian,
		Run:     runGaussian,
		falsify: 3,
	}
}

func limitGaussian(p Params) error {
	for _, v := range p.N {
		if v < 2 || v > 1000 {
			return fmt.Errorf("--n is %d and must be from 2 to 1000", v)
		}
	}
	return nil
}

func runGaussian(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	margins := Figure{
		Title: "Gaussian kernel: margin of alternating labels",
		X:     Axis{Label: "points", Log: true}, Y: Axis{Label: "margin", Log: true},
		Note: "Series end where float64 no longer separates the points. A step is the distance of neighbours, in widths σ.",
	}
	for _, step := range []float64{3, 1, 0.5, 0.25} {
		var measured, line []Point
		last := 0
		for _, n := range p.N {
			m, err := alternatingMargin(ctx, p, n, step)
			if err != nil {
				return nil, err
			}
			where := []Setting{at("step in widths", step), at("points", float64(n))}
			rho := 0.0
			for i := 1; i < n; i++ {
				rho += 2 * math.Exp(-step*step*float64(i)*float64(i)/2)
			}
			switch {
			case rho < 1:
				least, err := bound.SpreadMargin(n, rho)
				if err != nil {
					return nil, err
				}
				least = p.promised(least)
				r.Rows = append(r.Rows, atLeast("margin of points far apart", exact(m, 1), least, where...))
				line = append(line, bare(float64(n), least))
			case m > 0:
				r.Rows = append(r.Rows, show("margin of points close by", exact(m, 1), where...))
			}
			if m > 0 {
				last = n
				measured = append(measured, bare(float64(n), m))
				if err := generalises(r, m, n, step); err != nil {
					return nil, err
				}
			}
		}
		r.Rows = append(r.Rows, show("largest n that float64 separates, of those tried", exact(float64(last), 1),
			at("step in widths", step)))
		margins.Series = append(margins.Series, Series{Name: fmt.Sprintf("step %g", step), Points: measured, Joined: true})
		if len(line) > 0 {
			margins.Series = append(margins.Series, Series{Name: "√((1-ρ)/n), at least", Points: line, Bound: true})
		}
	}
	r.Figures = []Figure{margins}
	r.Notes = append(r.Notes, "The closing question: the theorem speaks of the margin γ in the kernel's space, "+
		"where all points have length 1, and of nothing else; so it applies as it stands, with the margin of the "+
		"images. That a set is separated is no promise: for labels without a rule γ is at most about 1/√n, so that "+
		"the sample that the theorem asks for, which grows like 1/γ², stays above the n points that there are.")
	return r, nil
}

// alternatingMargin returns the largest margin of n points at a distance of so many widths,
// 0 where none is found.
func alternatingMargin(ctx context.Context, p Params, n int, step float64) (float64, error) {
	x, y := data.NewMatrix(n, 1), make([]float64, n)
	for i := range n {
		x.Row(i)[0], y[i] = step*float64(i), float64(1-i%2*2)
	}
	direct := feature.NewDirect[data.Vector](kernel.GaussianWidth(1))
	direct.Tolerance, direct.Run = 1e-15, p.single()
	m, err := direct.Fit(ctx, x)
	if err != nil {
		return 0, err
	}
	phi, err := feature.Apply(ctx, p.single(), m, x)
	if err != nil {
		return 0, err
	}
	recipe := linear.NewHardMargin()
	recipe.Unit, recipe.Zero, recipe.Tolerance, recipe.MaxPasses, recipe.Run = 0, 1e-15, 1e-3, 10_000, p.single()
	s, _, err := recipe.Fit(ctx, data.Labeled[data.Vector, float64]{X: phi, Y: y})
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for i := range n {
		least = min(least, cosine(s.W, phi.Row(i), y[i]))
	}
	return max(least, 0), nil
}

// generalises says what the margin promises of new points.
func generalises(r *Result, margin float64, n int, step float64) error {
	const e, sure = 0.1, 0.95
	where := []Setting{at("step in widths", step), at("points", float64(n))}
	if margin > 1e-4 {
		need, err := bound.MarginSample(margin, e, sure)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, show("points that the theorem asks for, for error 0.1", exact(float64(need), 1), where...))
	}
	return nil
}
