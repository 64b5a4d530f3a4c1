package boost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// AdaBoost learns a weighted vote of rules. Rows begin with equal weights, or
// those of the sample. In each round the weak learner finds a rule, of weighted
// error ε; the rule enters the vote with
//
//	α = ½·ln((1-ε)/ε)
//
// and the weight of each row is multiplied by exp(-α·y·h(x)), so that rows the
// rule has wrong weigh more in the next round.
//
// After any number of rounds the vote is wrong on at most a part
// Π 2√(ε(1-ε)) ≤ exp(-2·Σ(½-ε)²) of the training sample (Freund and Schapire
// 1997; docs/math/boosting.md). Ensemble.History has both for every round.
//
// A rule that is right on all rows ends the fit: it is then the whole vote,
// with α = 1. Cost: the weak learner's and O(n) a round.
type AdaBoost struct {
	Weak       Weak // finds the rules
	Rounds     int  // at most so many, at least 1; default 100
	StopAtZero bool // stop once the vote is right on all rows; default false: more rounds widen its margin

	// Checkpoint keeps the state of a fit, of a weak learner whose Finder is a
	// Resumer: 8 bytes a row, and the rules.
	Checkpoint learn.Checkpoint

	Run run.Control
}

// NewAdaBoost returns the recipe with its defaults.
func NewAdaBoost(weak Weak) AdaBoost { return AdaBoost{Weak: weak, Rounds: 100} }

// Validate reports every field that is out of range, those of Weak included.
func (a AdaBoost) Validate() error {
	var faults []error
	if a.Weak == nil {
		faults = append(faults, errors.New("adaboost: the weak learner is missing"))
	} else {
		faults = append(faults, a.Weak.Validate())
	}
	rounds := learn.Fields("adaboost").AtLeast(1, "rounds", a.Rounds)
	return errors.Join(append(faults, a.Checkpoint.Validate("adaboost"), rounds)...)
}

// Fit learns from d. The status is Converged when the vote is right on all
// rows, IterationLimit when the rounds, or the tries of the weak learner, ran
// out before, and BelowTolerance when the weak learner's rule was no better than
// chance, by 2⁻⁴⁰ at least: where the learner finds the best rule, as Stump
// does, no vote of its rules is right on all rows by a larger part of Σ α than
// twice that. When ctx ends the vote is that of the
// rounds so far.
//
// In the report Iterations counts rounds and Objective is the last Bound, which
// is the mean of exp(-y·score).
func (a AdaBoost) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Ensemble, learn.Report, error) {
	start := time.Now()
	if err := a.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	e, report, err := a.fit(ctx, d)
	if learn.Interrupted(ctx, err) {
		e, report, err = empty(data.Dim(d.X)), learn.Report{Status: learn.Stopped(ctx), Objective: 1}, nil
	}
	if err != nil {
		return nil, learn.Report{}, err
	}
	report.Elapsed = time.Since(start)
	return e, report, nil
}

// fit is Fit whose error may be the context's, where it ended before the first
// round.
func (a AdaBoost) fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*Ensemble, learn.Report, error) {
	ctl := a.Run.Quiet()
	// Of each row a Vector, label and weight, and what weighting has.
	const perRow = 48 + 2*8 + 4*8 + 1
	if err := ctl.Reserve("the rows and their weights", perRow*float64(d.X.Len()), "use fewer rows"); err != nil {
		return nil, learn.Report{}, err
	}
	s, given, err := gather(ctx, ctl, d)
	if err != nil {
		return nil, learn.Report{}, err
	}
	g, err := newWeighting(ctx, ctl, s, given)
	if err != nil {
		return nil, learn.Report{}, err
	}
	b := &booster{g: g, bound: 1, wrong: g.all}
	keep, err := a.resume(ctx, ctl, b, a.mark(d.Y, d.Weight))
	if learn.Interrupted(ctx, err) && len(b.rules) > 0 {
		b.status = learn.Stopped(ctx)
	} else if err != nil {
		return nil, learn.Report{}, err
	}
	a.Run.Progress.Begin("boost", int64(a.Rounds))
	defer a.Run.Progress.End()
	for !b.ended && b.status == "" {
		more, err := b.round(ctx)
		if learn.Interrupted(ctx, err) {
			break
		}
		if err != nil {
			return nil, learn.Report{}, err
		}
		a.Run.Progress.Advance(int64(len(b.history)))
		b.ended = !more || a.StopAtZero && b.wrong == 0 || len(b.history) == a.Rounds
		if !b.ended {
			if err := g.spread(ctx); learn.Interrupted(ctx, err) {
				b.status = learn.Stopped(ctx)
				break
			} else if err != nil {
				return nil, learn.Report{}, err
			}
		}
		if err := keep(); err != nil {
			return nil, learn.Report{}, err
		}
	}
	e, err := b.ensemble()
	if err != nil {
		return nil, learn.Report{}, err
	}
	return e, learn.Report{Status: b.outcome(), Iterations: len(b.history), Objective: b.bound}, nil
}

// edgeBits sets the edge that counts as none, 2⁻⁴⁰: weights are exponentials of
// sums that were rounded, and not known much better than that.
const edgeBits = 40

// booster is a fit on its way.
type booster struct {
	g       *weighting
	finder  Finder
	rules   []Rule
	alpha   []float64
	history []Round
	bound   float64
	wrong   int64        // weight of the rows that the vote has wrong
	status  learn.Status // why there is no further round; empty where there may be one
	ended   bool         // there is none
}

// round finds one more rule. It returns false where there is no further round,
// and the error of a context that ended: what it found is dropped then.
func (b *booster) round(ctx context.Context) (more bool, err error) {
	defer func() {
		if learn.Interrupted(ctx, err) {
			b.status = learn.Stopped(ctx)
		}
	}()
	found, err := b.finder.Find(ctx, b.g.w)
	if err != nil {
		return false, err
	}
	if !found.OK {
		b.status = learn.IterationLimit
		return false, nil
	}
	if err := b.check(found.Rule); err != nil {
		return false, err
	}
	wrong, err := b.g.judge(ctx, found)
	if err != nil {
		return false, err
	}
	total := b.g.w.Total()
	if wrong >= total/2-total>>edgeBits {
		b.status = learn.BelowTolerance
		return false, nil
	}
	eps := float64(wrong) / float64(total)
	r := Round{Error: eps, Edge: 0.5 - eps, Alpha: 1, Tries: found.Tries, Margin: found.Margin}
	if wrong == 0 {
		b.rules, b.alpha, b.bound, b.wrong = []Rule{found.Rule}, []float64{1}, 0, 0
		b.history = append(b.history, r)
		b.status = learn.Converged
		return false, nil
	}
	r.Alpha = 0.5 * math.Log(float64(total-wrong)/float64(wrong))
	b.wrong = b.g.add(r.Alpha)
	b.bound *= 2 * math.Sqrt(eps*(1-eps))
	r.TrainError, r.Bound = float64(b.wrong)/float64(b.g.all), b.bound
	b.rules, b.alpha, b.history = append(b.rules, found.Rule), append(b.alpha, r.Alpha), append(b.history, r)
	return true, nil
}

// check reports a rule that cannot be applied, and one too many for memory.
func (b *booster) check(r Rule) error {
	if err := r.check(b.g.s.Dim); err != nil {
		return fmt.Errorf("the weak learner's rule: %w", err)
	}
	if n := len(b.rules) + 1; r.W != nil && n&(n-1) == 0 {
		// Rules of the next doubling, once as found and once in the model.
		return b.g.ctl.Reserve("the rules of the vote", 32*float64(n)*float64(len(r.W)), "ask for fewer rounds")
	}
	return nil
}

// outcome returns the status at the end.
func (b *booster) outcome() learn.Status {
	switch {
	case b.status == learn.Cancelled || b.status == learn.TimeLimit:
		return b.status
	case b.wrong == 0:
		return learn.Converged
	case b.status != "":
		return b.status
	}
	return learn.IterationLimit
}

// ensemble returns the vote so far.
func (b *booster) ensemble() (*Ensemble, error) {
	v, err := votesOf(b.g.s.Dim, b.rules)
	if err != nil {
		return nil, err
	}
	return &Ensemble{Votes: v, Alpha: b.alpha, History: b.history}, nil
}

func empty(dim int) *Ensemble { return &Ensemble{Votes: &Votes{width: dim}} }
