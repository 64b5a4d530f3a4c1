package model

import (
	"context"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
)

// Trial is one penalty that was tried on held-out rows.
type Trial struct {
	Penalty float64 `json:"price"` // C or lambda
	Error   float64 `json:"error"` // part of the rows, or the root of the mean square of numbers
}

const (
	chooseFewest = 4000  // rows that a choice looks at, at least
	chooseMost   = 20000 // and at most
	chooseWork   = 1e7   // weights times rows, in between
)

// HeldOutPart is the part of the rows that choices are measured on.
const HeldOutPart = 0.25

// The penalties that are tried, from the one that gives the simplest model on.
var (
	GridC      = []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}
	GridLambda = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}
)

// Penalties returns those to choose among on a sample: the one that is given, or a
// grid. C weighs a unit of the rows' weight and of the targets' spread, so that
// those to choose among are the same in whatever units these are.
func Penalties[T any](l Learner, choose bool, s Sample[T], gridC, gridLambda []float64) []float64 {
	switch penalty := l.Traits().Penalty; {
	case penalty == PenaltyC && choose:
		unit := s.Spread()
		if s.Weight != nil {
			unit *= float64(s.Len()) / total(s.Weight, s.Len())
		}
		return scaled(gridC, unit)
	case penalty == PenaltyLambda && choose:
		return gridLambda
	}
	if r, ok := l.(Rated); ok && r.Rate() > 0 {
		return []float64{rated(r.Rate(), total(s.Weight, s.Len()))}
	}
	return []float64{penaltyOf(l)}
}

// Quick returns the recipe for trials on n rows: not exact, without all that is for
// the model that is kept.
func (r Recipe[T]) Quick(n int) Recipe[T] {
	if q, ok := r.Learner.(Quicker); ok {
		r.Learner = q.Quick(n)
	}
	r.Calibrate, r.Conformal, r.Claim = "", 0, nil
	r.Checkpoint = learn.Checkpoint{}
	return r
}

// ChooseShare is the part of the time that is left which a choice may take.
const ChooseShare = 0.4

// undividedTime marks a context whose time is not shared out.
type undividedTime struct{}

// Undivided returns a context in which choices may take all of the time, for a
// training whose state is kept: the choice must be the same when it goes on, and
// so it must not depend on the clock.
func Undivided(ctx context.Context) context.Context {
	return context.WithValue(ctx, undividedTime{}, true)
}

// undivided returns a context that is undivided where a state is kept.
func (r Recipe[T]) undivided(ctx context.Context) context.Context {
	if !r.Checkpoint.On() {
		return ctx
	}
	return Undivided(ctx)
}

// Share returns a context that ends when a part of the time that ctx has left is
// over, ctx itself where it has no deadline or is undivided.
func Share(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok || ctx.Value(undividedTime{}) != nil {
		return ctx, func() {}
	}
	left := time.Until(end)
	return context.WithDeadline(ctx, end.Add(-left+time.Duration(part*float64(left))))
}

// wholeTime marks a context that ends all of a fit.
type wholeTime struct{}

// TimeLimit returns a context in which a learner stops after d, unless that is 0, and
// all that comes after the learner goes on with the best so far. The end of ctx itself
// ends that too: the fit then returns the error of ctx and no model.
func TimeLimit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	limited := context.WithValue(ctx, wholeTime{}, ctx)
	if d <= 0 {
		return context.WithCancel(limited)
	}
	return context.WithTimeout(limited, d)
}

// after returns the context of what comes after the learner.
func after(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(wholeTime{}).(context.Context); ok {
		return whole
	}
	return context.WithoutCancel(ctx)
}

// Over reports whether the share of a choice is over, and the whole is not.
func Over(share, whole context.Context) bool { return share.Err() != nil && whole.Err() == nil }

// HeldOut are the scores of rows that had no part in a fit, and what is true of
// them.
type HeldOut struct {
	Scores *data.Matrix
	Y      []int     // classes
	Values []float64 // numbers
	Weight []float64 // nil for 1 each
}

// choice is a choice of a penalty.
type choice struct {
	penalty float64
	least   float64 // its error; infinite where nothing was tried
	trials  []Trial
	best    Scored   // the model of that penalty; empty where nothing was tried
	held    *HeldOut // of the best penalty; nil where there were too few rows
	slow    float64  // see slowness; 0 where nothing was tried
}

// mostSlow limits what one fit of a few rows says about one of all.
const mostSlow = 3.0

// pathUnits is the size of the first fit of a choice, of whose progress others are
// parts.
const pathUnits = 1000

// choosePenalty returns the penalty with the smallest error on held-out rows, the
// first such one in a tie. It looks at a sample of about so many rows.
func choosePenalty[T, U any](ctx context.Context, r Recipe[T], s Sample[U], rows int) (choice, error) {
	penalties := Penalties(r.Learner, r.Choose, s, GridC, GridLambda)
	none := choice{penalty: penalties[0]}
	if len(penalties) == 1 && (s.Task == Regress || r.Calibrate == "" || r.Learner.Traits().Unsupervised) {
		return none, nil
	}
	quick := r.Quick(min(rows, s.Len()))
	few := s.atMost(rows, seed.Derive(r.Seed, seed.Choice))
	fit, measure, ok := few.HoldOut(HeldOutPart, seed.Derive(r.Seed, seed.ChoiceHeldOut))
	if !ok {
		return none, nil // too few rows to hold any out
	}
	part, cancel := Share(ctx, ChooseShare)
	defer cancel()
	harder := !r.Learner.Traits().Scheduled
	stages := r.Run.Progress.Divide("choose the penalty", pathWork(pathUnits, len(penalties)))
	defer stages.End()
	var begun []time.Time
	next := func(i int) {
		begun = append(begun, time.Now())
		stages.Next("", penaltyWork(pathUnits, i))
	}
	next(0)
	out, err := tryPenalties(part, ctx, penalties, measure, harder, along(part, quick, fit, measure.X, penalties,
		inTurn(len(penalties))), next)
	if scores := out.best.Scores; scores != nil {
		out.held = &HeldOut{Scores: scores, Y: measure.Y, Values: measure.Values, Weight: measure.Weight}
		out.slow = slowness(append(begun, time.Now()), slices.Index(penalties, out.penalty))
	}
	return out, err
}

// slowness is how many times as long as all fits of a path the one of the given number
// took for its size, at least 1. Fits begin one after another at the given times, and the last time
// is the end.
func slowness(begun []time.Time, i int) float64 {
	last := len(begun) - 1
	all := begun[last].Sub(begun[0]).Seconds()
	if i < 0 || i >= last || all <= 0 {
		return 1
	}
	took := begun[i+1].Sub(begun[i]).Seconds()
	slow := took / penaltyWork(1, i) / (all / pathWork(1, last))
	return min(max(slow, 1), mostSlow) // one that was quick from another's end may not be on more rows
}

// tryPenalties goes through the models of penalties and returns the one with the
// smallest loss, with its model. It stops early when three penalties in turn
// brought nothing, and, of learners for which those after are harder still, at a
// penalty for which the learner does not get to its optimum in the passes it has.
// It ends with the best so far when ctx ends before whole does. Before each penalty
// but the first, next is told.
func tryPenalties[U any](
	ctx, whole context.Context, penalties []float64, on Sample[U], harder bool, models iter.Seq2[Scored, error],
	next func(i int),
) (choice, error) {
	out, idle := choice{penalty: penalties[0], least: math.Inf(1)}, 0
	for m, err := range models {
		if Over(ctx, whole) {
			break
		}
		if err != nil {
			return choice{penalty: penalties[0]}, err
		}
		if m.Report.Status != learn.Converged && len(out.trials) > 0 && harder {
			break
		}
		trial := Trial{Penalty: m.Penalty, Error: on.Loss(m.Scores)}
		out.trials = append(out.trials, trial)
		if trial.Error < out.least {
			out.least, idle, out.penalty, out.best = trial.Error, 0, m.Penalty, m
		} else if idle++; idle == 3 {
			break
		}
		if len(out.trials) < len(penalties) {
			next(len(out.trials))
		}
	}
	return out, nil
}
