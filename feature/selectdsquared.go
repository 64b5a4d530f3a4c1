package feature

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// dSquared chooses landmarks as k-means++ chooses its first centres (Arthur and
// Vassilvitskii 2007), in the kernel's feature space: the first uniformly, each
// next one with probability proportional to the squared distance
//
//	min_j K(x,x) - 2·K(x,z_j) + K(z_j,z_j)
//
// to the nearest landmark so far. It evaluates the kernel (landmarks+1)·pool
// times and holds a few numbers an instance.
func (r Chooser[T]) dSquared(
	ctx context.Context, ctl run.Control, pool *gram.Columns[T], diag []float64, limit limits, c *Chosen,
) error {
	n := len(diag)
	rng := seed.Stream(r.Seed, seed.Landmarks, lookBlock)
	nearest := make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	least := make([]float64, par.Blocks(n, selectRows))
	next := rng.IntN(n)
	for len(c.Index) < r.Size && next >= 0 {
		similar, err := similarities(ctx, ctl, pool, []int{next})
		if err != nil {
			return err
		}
		err = par.For(ctx, narrow(ctl, n), "", len(least), func(b int) error {
			lo, hi := par.Range(b, n, selectRows)
			least[b] = 0
			for i := lo; i < hi; i++ {
				d := (diag[i] + diag[next]) - 2*similar.Data[i]
				if d-d != 0 {
					return &gram.ValueError{Row: i, Col: next, Value: d}
				}
				scale := max(diag[i], diag[next]) // of the rounding of d
				if !(scale > 0) {
					scale = limit.scale[i]
				}
				least[b] = min(least[b], d/scale)
				nearest[i] = min(nearest[i], limit.clamp(d, scale))
			}
			return nil
		})
		if err != nil {
			return err
		}
		nearest[next] = 0
		c.Index = append(c.Index, next)
		for _, d := range least {
			if err := limit.check(d, "a squared distance between instances is negative"); err != nil {
				return err
			}
		}
		r.Run.Progress.Advance(int64(len(c.Index)))
		next = newLottery(nearest).draw(rng)
	}
	c.Residual = vmath.Sum(nearest) / vmath.Sum(diag)
	return nil
}

// narrow returns the controls with one worker where n instances are too few to
// share.
func narrow(ctl run.Control, n int) run.Control {
	if n < 4*selectRows {
		ctl.Workers = 1
	}
	return ctl
}
