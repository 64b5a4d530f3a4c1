package feature

import (
	"context"

	"github.com/kerf-ml/kerf/run"
)

// greedy takes as the next pivot the instance that is farthest from the span of
// those before, the first of several: pivoted Cholesky factorisation (Fine and
// Scheinberg 2001), of whose Gram matrix only the diagonal and the columns of
// the pivots are computed. It evaluates the kernel (pivots+1)·n times and takes
// n·pivots² operations.
func (p *partial[T]) greedy(ctx context.Context, ctl run.Control, progress run.Progress) error {
	for len(p.pivot) < p.size {
		best := 0
		for i, d := range p.rest {
			if d > p.rest[best] {
				best = i
			}
		}
		if !(p.rest[best] > 0) {
			return nil
		}
		if err := p.add(ctx, ctl, best); err != nil {
			return err
		}
		progress.Advance(int64(len(p.pivot)))
	}
	return nil
}
