package boost

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// weightBits is how many bits the sum of all weights has, about.
const weightBits = 61

// weighting holds the vote's margin on each row and the weights that follow
// from it: row i of given weight c has the weight c·exp(-margin[i]), up to a factor
// that is common to all.
type weighting struct {
	ctl    run.Control
	s      *Sample
	given  given
	base   []int64   // the weights of the first round
	all    int64     // their sum
	margin []float64 // y·score of the vote so far
	share  []float64 // exp(least margin - margin), at most 1
	least  []float64 // least margin of each block of rows
	right  []bool    // of the last rule
	w      Weights
}

func newWeighting(ctx context.Context, ctl run.Control, s *Sample, p given) (*weighting, error) {
	n := len(s.X)
	g := &weighting{
		ctl: ctl, s: s, given: p,
		base: make([]int64, n), margin: make([]float64, n), share: make([]float64, n), right: make([]bool, n),
		least: make([]float64, par.Blocks(n, blockRows)), w: Weights{Signed: make([]int64, n)},
	}
	if err := g.spread(ctx); err != nil {
		return nil, err
	}
	for i, v := range g.w.Signed {
		g.base[i] = max(v, -v)
	}
	g.all = g.w.Total()
	return g, nil
}

// resume takes over the margins of a vote.
func (g *weighting) resume(ctx context.Context, margin []float64) error {
	copy(g.margin, margin)
	for b := range g.least {
		lo, hi := par.Range(b, len(g.margin), blockRows)
		g.least[b] = slices.Min(g.margin[lo:hi])
	}
	return g.spread(ctx)
}

// blocks calls f for each block of rows and returns the sums of what it
// returns.
func (g *weighting) blocks(ctx context.Context, f func(lo, hi int) (a, b int64)) (a, b int64, err error) {
	n := len(g.s.X)
	part := make([][2]int64, par.Blocks(n, blockRows))
	err = par.For(ctx, g.ctl, "", len(part), func(k int) error {
		lo, hi := par.Range(k, n, blockRows)
		part[k][0], part[k][1] = f(lo, hi)
		return nil
	})
	for _, p := range part {
		a += p[0]
		b += p[1]
	}
	return a, b, err
}

// spread computes the weights from the margins. The scale is a power of two
// that depends on whole numbers alone; a weight is rounded to a whole number
// and is never below the weight that the row was given, so that no row is forgotten.
func (g *weighting) spread(ctx context.Context) error {
	least := slices.Min(g.least)
	limit := int64(len(g.s.X))
	if g.given.count != nil {
		limit = 0
		for _, c := range g.given.count {
			limit += c
		}
	}
	// share ≤ 1, so that the sum is about 2^weightBits at most.
	power := weightBits - bits.Len64(uint64(limit))
	scale := math.Ldexp(1, power)
	total, _, err := g.blocks(ctx, func(lo, hi int) (int64, int64) {
		share := g.share[lo:hi]
		for i, m := range g.margin[lo:hi] {
			share[i] = least - m
		}
		vmath.Exp(share, share)
		sum := int64(0)
		for i := lo; i < hi; i++ {
			sum += g.units(i, scale)
		}
		return sum, 0
	})
	if err != nil {
		return err
	}
	// Most of the weight may lie on few rows: use the bits that are left.
	if more := weightBits - bits.Len64(uint64(total)); more > 0 {
		scale = math.Ldexp(scale, more)
	}
	g.w.Plus, g.w.Minus, err = g.blocks(ctx, func(lo, hi int) (plus, minus int64) {
		for i := lo; i < hi; i++ {
			u := g.units(i, scale)
			if g.s.Y[i] > 0 {
				g.w.Signed[i] = u
				plus += u
			} else {
				g.w.Signed[i] = -u
				minus += u
			}
		}
		return plus, minus
	})
	return err
}

// units returns the weight of row i in whole units of 1/scale. A row of whole
// weight k has exactly k times the units of a row of weight 1.
func (g *weighting) units(i int, scale float64) int64 {
	if g.given.count != nil {
		return g.given.count[i] * max(1, int64(g.share[i]*scale+0.5))
	}
	return max(1, int64(g.given.real[i]*g.share[i]*scale+0.5))
}

// judge notes on which rows the rule that was found is right and returns the
// weight of the others.
func (g *weighting) judge(ctx context.Context, found Found) (wrong int64, err error) {
	_, wrong, err = g.blocks(ctx, func(lo, hi int) (right, wrong int64) {
		says := g.right[lo:hi]
		if found.says != nil {
			copy(says, found.says[lo:hi])
		} else {
			for i := range says {
				says[i] = found.Rule.Predict(g.s.X[lo+i]) > 0
			}
		}
		sum := [2]int64{}
		for i, v := range g.w.Signed[lo:hi] {
			ok := says[i] == (v > 0)
			says[i] = ok
			sum[one(ok)] += max(v, -v)
		}
		return sum[1], sum[0]
	})
	return wrong, err
}

// one is 1 for true and 0 for false.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// add gives the last rule its weight in the vote and returns the weight, of the
// first round, of the rows that the vote has wrong. A score of 0 is +1. It does
// not stop half way.
func (g *weighting) add(alpha float64) int64 {
	step := [2]float64{-alpha, alpha}
	wrong, _, err := g.blocks(context.Background(), func(lo, hi int) (int64, int64) {
		wrong, least := int64(0), math.Inf(1)
		for i := lo; i < hi; i++ {
			m := g.margin[i] + step[one(g.right[i])]
			g.margin[i] = m
			if m < least {
				least = m
			}
			if m < 0 || m == 0 && g.s.Y[i] < 0 {
				wrong += g.base[i]
			}
		}
		g.least[lo/blockRows] = least
		return wrong, 0
	})
	if err != nil {
		panic("boost: " + err.Error())
	}
	return wrong
}
