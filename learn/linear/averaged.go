package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// AveragedPerceptron is the perceptron that returns the mean of its weights over
// all rows seen in all passes, whether a row changed them or not (Freund and
// Schapire 1999, who call it averaged prediction). Weights that last count for
// more, so that a late mistake does not spoil the result: on noisy data it errs
// much less than the last weights.
//
// A row of weight c is looked at c times in succession, as if it stood there so
// often, and what is left of c below 1 is part of a look: a mistake then sets
// w ← w + (that part)·y·x. Rows of weight 0 are not looked at.
//
// Passes end when one has no mistake. With weights 1 the number of mistakes is
// bounded as that of Perceptron. The mean itself need not be right on all rows
// then. Cost: one inner product a row and pass, O(n·d).
type AveragedPerceptron struct {
	MaxPasses int     // passes over the rows, at least 1; default 10
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Normalize bool    // learn from x/|x|; default false
	Shuffle   bool    // take the rows of each pass in random order; default true
	Seed      uint64  // of the orders
	Run       run.Control
}

// NewAveragedPerceptron returns the recipe with its defaults.
func NewAveragedPerceptron() AveragedPerceptron {
	return AveragedPerceptron{MaxPasses: 10, Unit: 1, Shuffle: true}
}

// Validate reports every field that is out of range.
func (p AveragedPerceptron) Validate() error {
	const f = learn.Fields("averaged perceptron")
	return errors.Join(f.AtLeast(1, "max passes", p.MaxPasses), f.NotNegative("unit", p.Unit))
}

// Fit learns from d. The status is Converged when the last pass had no mistake
// and IterationLimit when MaxPasses did not suffice. Report.Mistakes counts how
// often a pass came to a row and found it wrong, whatever its weight.
func (p AveragedPerceptron) Fit(
	ctx context.Context, d data.Labeled[data.Vector, float64],
) (*Separator, learn.Report, error) {
	began := time.Now()
	if err := p.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	s, err := gather(ctx, p.Run, d, p.Unit)
	if learn.Interrupted(ctx, err) {
		return untrained(ctx, d, p.Unit, began)
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	looks, scale := learn.Weights(len(s.rows), s.weight), learn.Weights(len(s.rows), nil)
	if i := slices.IndexFunc(looks, func(c float64) bool { return c > mostLooks }); i >= 0 {
		return nil, learn.Report{}, &learn.DataError{Row: i, Problem: fmt.Sprintf(
			"weight is %v and must be at most 2^53, for it counts looks at a row; divide all weights by the same", looks[i])}
	}
	if p.Normalize {
		for i, q := range s.norm {
			if q > 0 {
				scale[i] /= math.Sqrt(q)
			}
		}
	}
	// The sum of w over all rows seen is seen·w - late: an update after k rows
	// has been missing from k of them.
	w, late, seen := newWeights(s.dim), newWeights(s.dim), 0.0
	walk := passes{max: p.MaxPasses, shuffle: p.Shuffle, seed: p.Seed, ctl: p.Run}
	report := walk.run(ctx, len(s.rows), func(i int) bool {
		if looks[i] == 0 {
			return false
		}
		score := s.y[i] * s.score(w, i)
		wrong := !(score > 0)
		if wrong {
			whole, part := mistakes(score, scale[i]*s.norm[i], looks[i])
			s.add(w, i, s.y[i]*scale[i]*(whole+part))
			s.add(late, i, s.y[i]*scale[i]*(whole*seen+whole*(whole-1)/2+part*(seen+whole)))
		}
		seen += looks[i]
		return wrong
	})
	report.MistakeBound = math.Inf(1)
	if report.Status == learn.Converged && s.weight == nil {
		if p.Normalize {
			s.normalize()
		}
		report.MistakeBound = s.mistakeBound(p.Run, w)
	}
	if seen > 0 {
		late.scale(-1 / seen)
		for j, a := range w.w {
			late.w[j] += a
		}
		late.bias += w.bias
	}
	report.Elapsed = time.Since(began)
	return late.separator(p.Unit), report, nil
}

// mostLooks is how many times a row can be looked at and still be counted.
const mostLooks = 1 << 53

// mistakes returns how many of so many looks at a row find it wrong, where it has a
// score that is not positive and each mistake adds gain to it: whole ones, and the
// part of a look that comes after these, 0 where the row is right by then.
func mistakes(score, gain, looks float64) (whole, part float64) {
	if !(gain > 0) {
		return 0, 0 // no look changes anything
	}
	whole = math.Floor(looks)
	if needed := math.Floor(-score/gain) + 1; needed <= whole {
		return needed, 0
	}
	return whole, looks - whole
}

// passes goes over rows again and again.
type passes struct {
	max     int
	shuffle bool
	seed    uint64
	ctl     run.Control
	end     func(whole bool) // called after each pass that had a mistake, or was cut; nil for nothing
}

// run calls visit for all of n rows, pass after pass, until it reports no
// mistake throughout a pass. The report has status, passes and mistakes.
func (p passes) run(ctx context.Context, n int, visit func(i int) bool) learn.Report {
	report := learn.Report{Status: learn.IterationLimit}
	order := identity(n)
	p.ctl.Progress.Begin("train", int64(p.max))
	defer p.ctl.Progress.End()
	for pass := range p.max {
		if p.shuffle {
			seed.Reorder(order, p.seed, pass)
		}
		before := report.Mistakes
		for k, i := range order {
			if k%rowsPerCheck == 0 && ctx.Err() != nil {
				report.Status = learn.Stopped(ctx)
				p.ended(false)
				return report
			}
			if visit(i) {
				report.Mistakes++
			}
		}
		report.Iterations++
		p.ctl.Progress.Advance(int64(report.Iterations))
		if report.Mistakes == before {
			report.Status = learn.Converged
			return report
		}
		p.ended(true)
	}
	return report
}

func (p passes) ended(whole bool) {
	if p.end != nil {
		p.end(whole)
	}
}
