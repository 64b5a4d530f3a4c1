package kernelized

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	// screenFrom is from how many values of K on labels are looked for in float32 first.
	screenFrom = 1 << 16
	// screenSum is how many terms a sum of float32 has at most: those of a row of a tile.
	screenSum = 512
	// slackBlock is of how many instances one task bounds the error.
	slackBlock = 256
)

// PredictAll returns +1 where the score of ScoreAll is at least 0 and -1 elsewhere. For a
// Gaussian in float64 scores are computed in float32 first, which takes half the time, with
// a bound on what they can be off (docs/math/precision.md); those of which it leaves the sign
// open are computed again. So the labels are those of float64.
func (e *Expansion[T]) PredictAll(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float64, error) {
	scores, err := e.signs(ctx, ctl, x)
	if err != nil {
		return nil, err
	}
	for i, s := range scores {
		if scores[i] = -1; s >= 0 {
			scores[i] = 1
		}
	}
	return scores, nil
}

// signs returns numbers of the signs of the scores.
func (e *Expansion[T]) signs(ctx context.Context, ctl run.Control, x data.Source[T]) ([]float64, error) {
	n, m := x.Len(), e.Support.Len()
	if ctl.Precision != run.Float64 || n*m < screenFrom {
		return e.ScoreAll(ctx, ctl, x)
	}
	if _, err := gram.DeviceName(ctl.Device); ctl.Device != run.CPU && (ctl.Device != run.Auto || err == nil) {
		return e.ScoreAll(ctx, ctl, x) // what another device computes has other errors
	}
	here := ctl
	here.Device, here.Precision = run.CPU, run.Float32
	c := gram.BindOn(here, e.Kernel, e.Support, run.Float32)
	var first [1]float64
	if !c.Slack(first[:], data.Range[T]{Of: x, Hi: 1}) || math.IsInf(first[0], 1) {
		return e.ScoreAll(ctx, ctl, x)
	}
	if err := ctl.Reserve("scores", 24*float64(n), "score fewer rows at a time"); err != nil {
		return nil, err
	}
	weight, size, total := data.NewMatrix(2, m), data.NewMatrix(2, n), 0.0
	for j, a := range e.Weight {
		weight.Row(0)[j], weight.Row(1)[j] = a, math.Abs(a)
		total += math.Abs(a)
	}
	if !(total < math.MaxFloat32) {
		return e.ScoreAll(ctx, ctl, x)
	}
	if err := c.ProductMany(ctx, here, size, x, weight); err != nil {
		return e.ScoreAll(ctx, ctl, x) // of what float32 does not hold
	}
	open, err := e.open(ctx, here, c, x, size, total)
	if err != nil || len(open) == 0 {
		return size.Row(0), err
	}
	again, err := e.ScoreAll(ctx, ctl, data.Subset[T]{Of: x, Index: open})
	for k, s := range again {
		size.Row(0)[open[k]] = s
	}
	return size.Row(0), err
}

// open adds the bias to the scores in row 0 of size, and returns the instances of which the
// sign is not sure. The bound is a part of Σ|a_j|·K_j, which row 1 has: the slack of the
// values, and γ of as many units as a sum has terms and a rounded weight. Row 1 is itself
// too small by that part at most. What is below the least normal number counts as lost.
func (e *Expansion[T]) open(
	ctx context.Context, ctl run.Control, c *gram.Columns[T], x data.Source[T], size *data.Matrix, total float64,
) ([]int, error) {
	n := x.Len()
	found := make([][]int, par.Blocks(n, slackBlock))
	err := par.For(ctx, ctl.Quiet(), "", len(found), func(b int) error {
		lo, hi := par.Range(b, n, slackBlock)
		slack := make([]float64, hi-lo)
		c.Slack(slack, data.Range[T]{Of: x, Lo: lo, Hi: hi})
		for i := lo; i < hi; i++ {
			part := slack[i-lo] + 1.01*(screenSum+1)*0x1p-24
			all := size.Row(1)[i]/(1-part) + total*0x1p-120
			score := size.Row(0)[i] + e.Bias
			size.Row(0)[i] = score
			// The last term is for what float64 rounds, here and in ScoreAll.
			if !(part < 0.5 && math.Abs(score) > all*part+total*0x1p-120+1e-12*(all+math.Abs(e.Bias))) {
				found[b] = append(found[b], i)
			}
		}
		return nil
	})
	var open []int
	for _, some := range found {
		open = append(open, some...)
	}
	return open, err
}
