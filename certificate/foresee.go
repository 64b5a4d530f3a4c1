package certificate

import (
	"context"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// Foresee returns about what a test of the largest map that FitFresh would try
// could show for each of some margins: the Bound that its rehearsal foresees. The
// claim's own margin is not used. It helps to choose a margin, and proves nothing.
func (g Grow[T]) Foresee(ctx context.Context, x, fresh data.Source[T], margins []float64) ([]float64, error) {
	if len(margins) == 0 {
		return nil, nil
	}
	g.Claim.Margin = slices.Min(margins)
	f, err := g.begin(ctx, x, fresh)
	if err != nil {
		return nil, err
	}
	m, err := f.fit(ctx, f.rehearsed)
	if err != nil {
		return nil, err
	}
	l, err := f.rehearsal.look(ctx, f.Run, m, f.Claim.Keep)
	if err != nil {
		return nil, err
	}
	j := &judge[T]{look: l, claim: f.Claim, delta: f.budget.Look(1), trials: f.result.Fresh}
	out := make([]float64, len(margins))
	for i, margin := range margins {
		counted := l.count(func(e float64) bool { return e >= margin*margin })
		out[i] = binomialUpper(j.scaled(counted), j.trials, j.delta)
	}
	for _, level := range rehearsalLevels()[1:] {
		at, lost := j.above(level)
		value, err := j.estimate(ctx, f.Run, level)
		if err != nil {
			return nil, err
		}
		for i, margin := range margins {
			j.claim.Margin = margin
			out[i] = min(out[i], j.with(at, lost, value).bound)
		}
	}
	return out, nil
}
