package certificate

import (
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/run"
)

// Margin returns the certified margin: the least γ that the test shows to be
// kept but for the claim's error, with the claim's confidence. Every target with
// at least that margin keeps the claim's part of it. The claim's own margin is
// not used, and none has to be guessed. It reports false where the fresh
// instances show it of no margin up to 1.
//
// The pointwise test gives √ρ of the instance with the (k+1)-th largest
// exposure, for the largest k with BinomialUpper(k, n, δ) ≤ ε; the spectral one
// √(λ(L)/(ε - Pr[ρ > L])) with λ(L) over all ρ ≤ L.
func (t Test[T]) Margin(ctx context.Context, m *feature.Orthogonal[T], fresh data.Source[T]) (float64, bool, error) {
	t.Claim.Margin = 1
	if err := t.Validate(); err != nil {
		return 0, false, err
	}
	s, err := newSample(ctx, t.Run, m.Landmarks().Kernel(), m.Landmarks().Instances(), fresh, t.Atoms,
		partOf(t.Part, t.Run))
	if err != nil {
		return 0, false, err
	}
	least, err := t.least(ctx, s, m)
	if err == nil && s.distinct != nil {
		var without float64
		without, err = t.least(ctx, s.distinct, m)
		least = max(least, without)
	}
	if err != nil || !(least <= 1) {
		return 0, false, err
	}
	return least, true, nil
}

// least returns the least margin that one sample shows to be kept, and infinity
// for none.
func (t Test[T]) least(ctx context.Context, s *sample[T], m *feature.Orthogonal[T]) (float64, error) {
	l, err := s.look(ctx, t.Run, m, t.Claim.Keep)
	if err != nil {
		return 0, err
	}
	j := &judge[T]{look: l, claim: t.Claim, delta: (1 - t.Claim.Confidence) / float64(len(t.Levels)), trials: s.x.Len()}
	best, by := math.Inf(1), -1.0
	for _, level := range t.Levels {
		var least float64
		if level == 0 {
			least = j.quantile()
		} else if least, err = j.margin(ctx, t, level, j.estimate); err != nil {
			return 0, err
		}
		if least < best {
			best, by = least, level
		}
	}
	if by > 0 {
		best, err = j.margin(ctx, t, by, j.upper)
	}
	return best, err
}

// quantile returns the least margin by the pointwise test.
func (j *judge[T]) quantile() float64 {
	k := mostHits(j.trials, j.claim.Error, j.delta)
	if k < 0 {
		return math.Inf(1)
	}
	e := slices.Clone(j.look.exposure)
	slices.Sort(e)
	// The test counts ρ ≥ γ², so γ² is just above the exposure.
	return math.Sqrt(max(rounding, e[len(e)-1-k])) * (1 + 0x1p-50)
}

// measure is estimate or upper.
type measure func(ctx context.Context, ctl run.Control, level float64) (float64, error)

// margin returns the least margin by the spectral test at one level.
func (j *judge[T]) margin(ctx context.Context, t Test[T], level float64, measure measure) (float64, error) {
	f, lost := j.above(level)
	if lost >= j.claim.Error {
		return math.Inf(1), nil
	}
	value, err := measure(ctx, t.Run, level)
	if err != nil {
		return 0, err
	}
	return math.Sqrt(j.with(f, lost, value).eigenvalue / (j.claim.Error - lost)), nil
}
