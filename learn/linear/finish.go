package linear

import (
	"context"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
)

// bandTolerance is the least gap, relative to the objective, for which a band is
// narrowed. Beyond, the band has about as many rows as there are coordinates,
// its Hessian is no longer near that of the step before, and descent over the
// few rows that still move is faster. It was found by trial.
const bandTolerance = 1e-5

// finish hands the tasks that are not within the tolerance of the recipe to
// coordinate descent, from the dual points that Newton's method has ended at and
// with the passes that it has left. D never falls there, so that the gap is the
// smaller of the two.
func (s SVM) finish(ctx context.Context, f *primalFit) error {
	var open []int
	for k := range f.reports {
		r := &f.reports[k]
		switch {
		case s.within(r.Gap, r.Objective):
		case ctx.Err() != nil:
			r.Status = learn.Stopped(ctx)
		case r.Iterations >= s.MaxPasses:
			r.Status = learn.IterationLimit
		default:
			open = append(open, k)
		}
	}
	if len(open) == 0 {
		return nil
	}
	rest := s
	if len(open) > 1 {
		rest.Run = s.Run.Quiet()
		rest.Run.Workers = 1
	}
	x, order := f.p.sample.pack(ctx, s.Run, s.Seed)
	return par.For(context.WithoutCancel(ctx), s.Run.Quiet(), "", len(open), func(j int) error {
		rest.finishOne(ctx, f, open[j], x, order)
		return nil
	})
}

// finishOne descends for task k, with the rows x in the given order.
func (s SVM) finishOne(ctx context.Context, f *primalFit, k int, x *sample, order []int) {
	own := *x
	own.y = inOrder(f.p.label[k], order)
	before := f.reports[k]
	s.MaxPasses -= before.Iterations
	d := newDescent(&own, s.machine(x), s.C, inOrder(f.dual(k), order))
	w, after := s.descend(ctx, d)
	after.Iterations += before.Iterations
	f.alpha[k] = fromOrder(d.alpha, order)
	if now := f.tasks[k].now.w; after.Objective <= before.Objective || after.Status == learn.Converged {
		copy(now, w.w)
		now[f.p.dim] = w.bias
	} else {
		// Any D bounds the gap of any w.
		after.Gap = max(0, after.Gap-(after.Objective-before.Objective))
		after.Objective = before.Objective
		if s.within(after.Gap, after.Objective) {
			after.Status = learn.Converged
		}
	}
	f.reports[k] = after
}
