package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/run"
)

// Test is the recipe of a certificate for a map that is already there. For each
// level L it bounds the part of a target of margin γ that the map may lose by
//
//	Pr[ρ ≥ γ²]             for L ≤ γ², the pointwise test
//	Pr[ρ > L] + λ(L)/γ²    otherwise, the spectral test
//
// where λ(L) is the largest eigenvalue of E[v·vᵀ; γ² ≤ ρ ≤ L], for k classes the
// sum of the k-1 largest, and takes the least. Probabilities are bounded as by BinomialUpper, the eigenvalue as by
// MeanUpper. All levels share the probability of error equally, so that the
// choice among them is paid for; a tenth of a share goes to the count.
//
// The eigenvalue of many fresh instances is bounded by the sum of those of parts of
// them: the spectral test needs 16p² bytes for parts of p, and for n instances np/2
// kernel evaluations and about 2npm + np²/3 operations for m features.
//
// Fresh instances that are the same as a landmark, or as one another, may be
// copies, which are no independent draws, or draws of a distribution that has
// few values. Nothing tells which. So the test is made with all of them and
// without the copies, and the larger bound stands, which holds in either case.
type Test[T any] struct {
	Claim  Claim
	Levels []float64 // each in [0, 1]; 0 is the pointwise test
	Atoms  bool      // instances that are the same are independent draws, and no copies
	Part   int       // exposed instances whose eigenvalue is computed at once, at most; 0 for DefaultPart
	Run    run.Control
}

// DefaultPart is how many fresh instances one eigenvalue is of. Twice as many take
// four times as long, and bring next to nothing: what is lost by taking parts is
// about the mean of ρ/p, far less than the price of the confidence.
const DefaultPart = 4000

// leastPart is the size of parts down to which they shrink with the memory.
const leastPart = 500

// partOf returns the size of parts. It goes by Memory alone, and not by what is left
// of it, so that results are the same from run to run.
func partOf(part int, ctl run.Control) int {
	if part == 0 {
		part = DefaultPart
		for ctl.Memory > 0 && part > leastPart && 4*8*float64(part)*float64(part) > float64(ctl.Memory)/2 {
			part /= 2
		}
	}
	return part
}

// DefaultLevels returns the levels of NewTest: the pointwise test, and the
// spectral one at four levels.
func DefaultLevels() []float64 { return []float64{0, 0.125, 0.25, 0.5, 1} }

// NewTest returns the recipe with the default levels.
func NewTest[T any](c Claim) Test[T] { return Test[T]{Claim: c, Levels: DefaultLevels()} }

// Validate reports every field that is out of range.
func (t Test[T]) Validate() error {
	faults := []error{t.Claim.Validate()}
	if len(t.Levels) == 0 {
		faults = append(faults, errors.New("there must be at least one level"))
	}
	for i, level := range t.Levels {
		faults = append(faults, check(fmt.Sprintf("level %d", i), level, level >= 0 && level <= 1,
			"at least 0 and at most 1"))
	}
	if t.Part < 0 {
		faults = append(faults, fmt.Errorf("part is %d and must be at least 0", t.Part))
	}
	return errors.Join(faults...)
}

// Certify tests the map on fresh instances: independent draws of the
// distribution that had no part in choosing the landmarks. Without any the
// bound is 1.
func (t Test[T]) Certify(ctx context.Context, m *feature.Orthogonal[T], fresh data.Source[T]) (Certificate, error) {
	if err := t.Validate(); err != nil {
		return Certificate{}, err
	}
	s, err := newSample(ctx, t.Run, m.Landmarks().Kernel(), m.Landmarks().Instances(), fresh, t.Atoms,
		partOf(t.Part, t.Run))
	if err != nil {
		return Certificate{}, err
	}
	return t.certify(ctx, s, m, 1-t.Claim.Confidence, 1)
}

// certify is Certify for look k at a sample, which may err with probability
// delta.
func (t Test[T]) certify(
	ctx context.Context, s *sample[T], m *feature.Orthogonal[T], delta float64, k int,
) (Certificate, error) {
	c, err := t.judge(ctx, s, m, delta, k)
	if err == nil && s.distinct != nil {
		var without Certificate
		without, err = t.judge(ctx, s.distinct, m, delta, k)
		c = worse(c, without)
		c.Copies = s.x.Len() - s.distinct.x.Len()
	}
	return c, err
}

// judge tests the map on one sample.
func (t Test[T]) judge(
	ctx context.Context, s *sample[T], m *feature.Orthogonal[T], delta float64, k int,
) (Certificate, error) {
	c := Certificate{
		Classes: t.Claim.classes(), Kind: Pointwise,
		Margin: t.Claim.Margin, Kept: t.Claim.Keep * t.Claim.Margin, Error: t.Claim.Error, Bound: 1,
		Confidence: t.Claim.Confidence, Spent: delta, Look: k, Fresh: s.x.Len(), Features: m.Dim(),
	}
	l, err := s.look(ctx, t.Run, m, t.Claim.Keep)
	if err != nil {
		return c, err
	}
	j := &judge[T]{look: l, claim: t.Claim, delta: delta / float64(len(t.Levels)), trials: c.Fresh,
		floor: t.Claim.Margin * t.Claim.Margin}
	best, err := j.choose(ctx, t.Run, t.Levels)
	if err != nil {
		return c, err
	}
	if best.kind == Spectral {
		best, err = j.prove(ctx, t.Run, best)
		if err != nil {
			return c, err
		}
	}
	c.Kind, c.Bound, c.Level, c.Counted, c.Eigenvalue = best.kind, best.bound, best.level, best.counted, best.eigenvalue
	c.Holds = c.Bound <= c.Error
	return c, nil
}

// countShare is the part of a level's probability of error that goes to the
// count of what is above it. The bound on a count costs about ln(1/δ)/n, that
// on an eigenvalue L/γ² times as much.
const countShare = 0.1

// finding is what one level shows.
type finding struct {
	kind       Kind
	bound      float64
	level      float64
	counted    int
	eigenvalue float64
}

// judge weighs the levels for one look.
type judge[T any] struct {
	look   *look[T]
	claim  Claim
	delta  float64 // of one level
	trials int     // for which to bound: those of the look, or of one that is foreseen
	floor  float64 // exposure from which on instances count for the eigenvalue

	matrix *spectrum // of the first part of the exposed instances
	parts  int
}

// estimate returns about the sum of the largest eigenvalues of the mean of v·vᵀ over
// the whole sample, with v = 0 for instances that are not exposed or above level. It
// goes by the first part alone, which is like the others.
func (j *judge[T]) estimate(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	if j.matrix == nil {
		parts := deal(j.look.exposed(j.floor, 1), j.look.part)
		var first []int
		if j.parts = len(parts); j.parts > 0 {
			first = parts[0]
		}
		var err error
		if j.matrix, err = j.look.spectrum(ctx, ctl, first, j.claim.classes()); err != nil {
			return 0, err
		}
	}
	top, err := j.matrix.estimate(ctx, ctl, level)
	return j.mean(float64(j.parts) * top), err
}

// upper returns an upper bound on the same: eigenvalues of a sum of matrices add up
// to no more than those of its terms. It overwrites what the estimates are made of.
func (j *judge[T]) upper(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	if j.matrix != nil && j.parts <= 1 {
		top, err := j.matrix.upper(ctx, ctl, level)
		return j.mean(top), err
	}
	j.matrix = nil // its memory is for the parts
	sum := 0.0
	for _, part := range deal(j.look.exposed(j.floor, level), j.look.part) {
		s, err := j.look.spectrum(ctx, ctl, part, j.claim.classes())
		if err != nil {
			return 0, err
		}
		top, err := s.upper(ctx, ctl, level)
		if err != nil {
			return 0, err
		}
		sum += top
	}
	return j.mean(sum), nil
}

// mean makes a mean of a sum over the sample, with what rounding may have taken.
func (j *judge[T]) mean(sum float64) float64 {
	n := len(j.look.exposure)
	if n == 0 {
		return 0
	}
	keep := j.look.keep
	return sum/float64(n) + float64(j.claim.classes()-1)*j.look.slack/(1-keep*keep)
}

// scaled is the count that is foreseen among the trials.
func (j *judge[T]) scaled(count int) int {
	n := len(j.look.exposure)
	if n == 0 || n == j.trials {
		return count
	}
	return min(j.trials, (count*j.trials+n-1)/n)
}

// choose returns the finding with the least bound; eigenvalues are estimates.
//
// An eigenvalue is expensive and grows with the level. So the levels are taken
// upwards from the first above which little is left, then those below it
// downwards, and one that cannot be better than the best is passed over: one
// whose count alone is too much, or its count with the eigenvalue of a level
// below it.
func (j *judge[T]) choose(ctx context.Context, ctl run.Control, levels []float64) (finding, error) {
	square := j.claim.Margin * j.claim.Margin
	best := finding{kind: Pointwise, bound: 1, level: square}
	levels = slices.Clone(levels)
	slices.Sort(levels)
	for len(levels) > 0 && levels[0] <= square {
		levels = levels[1:]
		f := finding{kind: Pointwise, level: square}
		f.counted = j.look.count(func(e float64) bool { return e >= square })
		f.bound = binomialUpper(j.scaled(f.counted), j.trials, j.delta)
		best = lesser(best, f)
	}
	start := slices.IndexFunc(levels, func(level float64) bool {
		_, lost := j.above(level)
		return lost <= j.claim.Error/2
	})
	if start < 0 {
		start = len(levels)
	}
	order := slices.Clone(levels[start:])
	slices.Reverse(levels[:start])
	order = append(order, levels[:start]...)
	least, from := 0.0, 2.0 // an eigenvalue, and its level
	for _, level := range order {
		f, lost := j.above(level)
		known := 0.0
		if from <= level {
			known = least
		}
		if j.with(f, lost, known).bound >= best.bound {
			continue
		}
		value, err := j.estimate(ctx, ctl, level)
		if err != nil {
			return best, err
		}
		least, from = value, level
		best = lesser(best, j.with(f, lost, value))
	}
	return best, nil
}

// above bounds the part that is above a level.
func (j *judge[T]) above(level float64) (f finding, lost float64) {
	f = finding{kind: Spectral, level: level}
	if level >= 1 {
		return f, 0
	}
	f.counted = j.look.count(func(e float64) bool { return e > level })
	return f, binomialUpper(j.scaled(f.counted), j.trials, countShare*j.delta)
}

// with completes a finding by the measured eigenvalue.
func (j *judge[T]) with(f finding, lost, value float64) finding {
	delta := j.delta
	if f.level < 1 {
		delta *= 1 - countShare
	}
	f.eigenvalue = meanUpper(min(value, f.level), f.level, j.trials, delta)
	f.bound = min(1, lost+f.eigenvalue/(j.claim.Margin*j.claim.Margin))
	return f
}

// prove replaces the estimate of the eigenvalue by an upper bound.
func (j *judge[T]) prove(ctx context.Context, ctl run.Control, f finding) (finding, error) {
	value, err := j.upper(ctx, ctl, f.level)
	if err != nil {
		return f, err
	}
	f, lost := j.above(f.level)
	return j.with(f, lost, value), nil
}

func lesser(a, b finding) finding {
	if b.bound < a.bound {
		return b
	}
	return a
}
