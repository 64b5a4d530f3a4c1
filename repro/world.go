package repro

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// world is a distribution of labelled unit vectors that separator, of length 1,
// gets right by margin. The kernel is their inner product: as a black box it is
// as good as any other.
type world struct {
	dim       int
	margin    float64
	separator []float64
	parts     []float64 // probabilities of the parts that the distribution is a mixture of
	draw      func(rng *rand.Rand, part int) (x []float64, label float64)
}

// shellWorld is the world of shell.
func shellWorld(dim int, margin float64) world {
	draw := func(rng *rand.Rand, _ int) ([]float64, float64) { return shell(rng, dim, margin) }
	return world{dim, margin, axis(dim), []float64{1}, draw}
}

// blur is how much of an instance of axesWorld is a direction of its own.
const blur = 0.3

// axesWorld is hard for landmarks: instances lie around one of k axes, each with
// a label of its own, so that the separator is the labelled sum of the axes and
// the margin 1/√k, less what the blur takes. The first axis has all but a part
// rare of the probability; a landmark says nothing of other axes than its own, so
// about k/rare of them must be drawn. Instances of an axis that no landmark is
// near fall on either side. k is the largest with a margin of at least γ, and dim
// must exceed it by 2.
func axesWorld(dim int, margin, rare float64) world {
	k := axes(margin)
	w := make([]float64, dim)
	for i := range k {
		w[i] = (1 - 2*float64(i%2)) / math.Sqrt(float64(k))
	}
	parts := make([]float64, k)
	for i := range parts {
		parts[i] = rare / float64(max(k-1, 1))
	}
	parts[0] = 1 - rare*float64(min(k-1, 1))
	draw := func(rng *rand.Rand, i int) ([]float64, float64) {
		x := make([]float64, dim)
		for j := k; j < dim; j++ {
			x[j] = rng.NormFloat64()
		}
		scale := blur / math.Sqrt(dot(x, x))
		for j := k; j < dim; j++ {
			x[j] *= scale
		}
		x[i] = math.Sqrt(1 - blur*blur)
		return x, math.Copysign(1, w[i])
	}
	return world{dim, math.Sqrt((1 - blur*blur) / float64(k)), w, parts, draw}
}

// axes is the number of axes of axesWorld.
func axes(margin float64) int { return max(1, int((1-blur*blur)/(margin*margin))) }

// sample draws n rows.
func (v world) sample(rng *rand.Rand, n int) data.Labeled[data.Vector, float64] {
	return v.rows(n, func(int) ([]float64, float64) {
		u, part := rng.Float64(), 0
		for part < len(v.parts)-1 && u >= v.parts[part] {
			u -= v.parts[part]
			part++
		}
		return v.draw(rng, part)
	})
}

// rows gathers n rows.
func (v world) rows(n int, draw func(i int) ([]float64, float64)) data.Labeled[data.Vector, float64] {
	x := data.NewMatrix(n, v.dim)
	d := data.Labeled[data.Vector, float64]{X: x, Y: make([]float64, n)}
	for i := range n {
		row, label := draw(i)
		copy(x.Row(i), row)
		d.Y[i] = label
	}
	return d
}

// fitF2 fits F2 to landmarks that are drawn from the world.
func (v world) fitF2(
	ctx context.Context, p Params, rng *rand.Rand, marks int,
) (*feature.Orthogonal[data.Vector], error) {
	recipe := feature.NewF2[data.Vector](kernel.Linear{}, marks)
	recipe.Run = p.single()
	return recipe.FitTo(ctx, v.sample(rng, marks).X)
}

// errors maps fresh rows and returns the probability, as they show it, that the
// margin is below each of the thresholds, under the image of the separator: what
// there is of it in the span of the landmarks, as in the proof of lemma 1. Each
// part of the distribution has its own rows, so that rare ones count as they are.
func (v world) errors(
	ctx context.Context, p Params, rng *rand.Rand, m feature.Map[data.Vector], thresholds ...float64,
) ([]float64, error) {
	each := max(400/len(v.parts), 40)
	rows := v.rows(each*len(v.parts), func(i int) ([]float64, float64) { return v.draw(rng, i/each) })
	image, err := feature.Apply(ctx, p.single(), m, rows.X)
	if err != nil {
		return nil, err
	}
	w := make([]float64, m.Dim())
	m.MapTo(w, data.Dense(v.separator...))
	errs := make([]float64, len(thresholds))
	for i, label := range rows.Y {
		c := cosine(w, image.Row(i), label)
		for k, t := range thresholds {
			if c < t || c <= 0 {
				errs[k] += v.parts[i/each] / float64(each)
			}
		}
	}
	return errs, nil
}

// column returns entry k of each.
func column(rows [][]float64, k int) []float64 {
	out := make([]float64, len(rows))
	for i, r := range rows {
		out[i] = r[k]
	}
	return out
}

// landmarkErrors draws n sets of landmarks and returns the errors of F2 at the
// thresholds; at 0 they are those of F1, which has the same separators.
func (v world) landmarkErrors(
	ctx context.Context, p Params, part, n, marks int, thresholds ...float64,
) ([][]float64, error) {
	return trials(ctx, p, "landmarks", n, func(trial int) ([]float64, error) {
		rng := p.rng(part, trial)
		m, err := v.fitF2(ctx, p, rng, marks)
		if err != nil {
			return nil, err
		}
		return v.errors(ctx, p, rng, m, thresholds...)
	})
}

// leastMarks measures how many landmarks make the mean error at a threshold at
// most e: for several groups of draws, the first count of a grid that does.
func (v world) leastMarks(ctx context.Context, p Params, part int, threshold, e float64) (Measured, error) {
	const most = 20_000
	each := p.pick(8, 4)
	least, err := trials(ctx, p, "least landmarks", p.pick(16, 8), func(group int) (float64, error) {
		for d := 1; ; d = max(d+1, d*6/5) {
			rng, total := p.rng(part+d, group), 0.0
			for range each {
				m, err := v.fitF2(ctx, p, rng, d)
				if err != nil {
					return 0, err
				}
				errs, err := v.errors(ctx, p, rng, m, threshold)
				if err != nil {
					return 0, err
				}
				total += errs[0] / float64(each)
			}
			if total <= e || d > most {
				return float64(d), nil
			}
		}
	})
	return between(mean(least), 1, math.Inf(1)), err
}
