package calibrate

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Temperature divides all scores by one number T and takes their softmax,
//
//	p_k = exp(s_k/T)/Σ_j exp(s_j/T)
//	min_{T>0}  -Σ_rows Σ_k t_k·ln p_k
//
// with the targets t = (n + 1/K)/(n + 1) for the class of a row and
// 1/(K(n + 1)) for each other class of n rows, or of rows whose weights sum to n, as if one row of n + 1 had a label by
// chance, which keeps T away from 0 where every row is right. The order of the
// classes stays that of the scores. Where scores say nothing of the classes T
// becomes so large that all classes are alike but for the order.
//
// The loss is convex in 1/T, which is found by Newton's method with bisection
// where a step leaves the interval that is left: O(nK) a step, about ten steps.
//
// Reference: Guo, Pleiss, Sun and Weinberger 2017.
type Temperature struct {
	Weight []float64 // of each row, not negative: a row of weight k counts as k rows; nil for 1
	Run    run.Control
}

// rowBlock is how many rows a worker sums at a time.
const rowBlock = 4096

// Fit finds the temperature for the scores of held-out rows and their classes,
// from 0 to scores.Cols-1.
func (t Temperature) Fit(ctx context.Context, scores *data.Matrix, y []int) (*Calibration, error) {
	if err := errors.Join(check(scores, y), learn.CheckWeights(len(y), t.Weight)); err != nil {
		return nil, err
	}
	c := &Calibration{Method: Softmax, Classes: scores.Cols, Temperature: 1}
	spread := 0.0 // the largest difference of two scores of a row
	for i := range y {
		if t.weigh(i) == 0 {
			continue
		}
		lo, hi := scores.Row(i)[0], scores.Row(i)[0]
		for _, s := range scores.Row(i) {
			lo, hi = min(lo, s), max(hi, s)
		}
		spread = max(spread, hi-lo)
	}
	if spread < 1e-290 {
		return c, nil
	}
	// The invariant is that the best u = spread/T is in [lo, hi]. At the lower
	// end chances differ by a millionth part; at the upper one scores that
	// differ by a millionth of the spread differ as 1 to exp(1000).
	lo, hi, u := 1e-6, 1e9, 1.0
	for range 200 {
		slope, bend, err := t.derivatives(ctx, scores, y, spread, u)
		if err != nil {
			return nil, err
		}
		if slope > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - slope/bend
		if math.Abs(next-u) <= 1e-12*u {
			break
		}
		if !(next > lo && next < hi) {
			next = math.Sqrt(lo * hi)
		}
		if hi-lo <= 1e-12*lo {
			break
		}
		u = next
	}
	c.Temperature = spread / u
	return c, nil
}

func (t Temperature) weigh(i int) float64 {
	if t.Weight == nil {
		return 1
	}
	return t.Weight[i]
}

// derivatives are the first and the second of the loss with respect to u, the
// inverse of the temperature in units of 1/spread: the sums over rows of
// Σ_k (p_k - t_k)·z_k and of the variance of z under p, for z = s/spread. Blocks
// of rows are added in their order.
func (t Temperature) derivatives(
	ctx context.Context, scores *data.Matrix, y []int, spread, u float64,
) (slope, bend float64, err error) {
	n, classes, total := len(y), scores.Cols, 0.0
	for i := range y {
		total += t.weigh(i)
	}
	other := 1 / (float64(classes) * (total + 1))
	part := make([][2]float64, par.Blocks(n, rowBlock))
	err = par.For(ctx, t.Run.Quiet(), "", len(part), func(b int) error {
		p := make([]float64, classes)
		lo, hi := par.Range(b, n, rowBlock)
		for i := lo; i < hi; i++ {
			row := scores.Row(i)
			softmax(p, row, u/spread)
			var mean, square, sum float64
			for k, s := range row {
				// Relative to the own score, whose target then has no part.
				z := (s - row[y[i]]) / spread
				mean += p[k] * z
				square += p[k] * z * z
				sum += z
			}
			part[b][0] += t.weigh(i) * (mean - other*sum)
			part[b][1] += t.weigh(i) * max(square-mean*mean, 0)
		}
		return nil
	})
	for _, v := range part {
		slope += v[0]
		bend += v[1]
	}
	return slope, bend, err
}

// softmax writes exp(b·s_k)/Σ_j exp(b·s_j). dst may be scores. A class of a lower
// score than the largest has a lower probability, too, if only by the last bits:
// what rounding would make equal is kept apart by more than the division rounds.
func softmax(dst, scores []float64, b float64) {
	top := -limit
	for _, s := range scores {
		top = max(top, bounded(s))
	}
	for k, s := range scores {
		if s = bounded(s); s < top {
			dst[k] = min(math.Exp(b*(s-top)), 1-0x1p-50)
		} else {
			dst[k] = 1
		}
	}
	normalise(dst)
}
