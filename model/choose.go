package model

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Trial is one price that was tried on held-out rows.
type Trial struct {
	Price float64 `json:"price"` // C or lambda
	Error float64 `json:"error"` // part of the rows, or the root of the mean square of numbers
}

const (
	chooseFewest    = 4000  // rows that a choice looks at, at least
	chooseMost      = 20000 // and at most
	chooseWork      = 1e7   // weights times rows, in between
	chooseFraction  = 0.25  // of the rows held out
	chooseTolerance = 1e-2
	choosePasses    = 200       // at least
	chooseVisits    = 4_000_000 // rows visited, for more passes over few rows
	chooseSteps     = 100_000   // steps of a kernel machine, or
	chooseRowSteps  = 100       // so many a row if that is more
)

// The prices that are tried, from the one that gives the simplest model on.
var (
	chooseC      = []float64{0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}
	chooseLambda = []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}
)

// prices returns the prices to try: the one that is given, or those of the
// learner's kind.
func (r Recipe[T]) prices() []float64 {
	switch price := r.traits().Price; {
	case price != "" && r.Choose && r.grid != nil:
		return r.grid
	case price == priceC && r.Choose:
		return chooseC
	case price == priceLambda && r.Choose:
		return chooseLambda
	}
	return []float64{r.Price()}
}

// Price returns the price that is given, C or Lambda; 0 for a learner without.
func (r Recipe[T]) Price() float64 {
	switch r.traits().Price {
	case priceC:
		return r.C
	case priceLambda:
		return r.Lambda
	}
	return 0
}

// quick returns the recipe for trials on n rows.
func (r Recipe[T]) quick(n int) Recipe[T] {
	r.Tolerance, r.MaxPasses = max(r.Tolerance, chooseTolerance), min(r.MaxPasses, max(choosePasses, chooseVisits/max(n, 1)))
	r.steps = max(chooseSteps, chooseRowSteps*n)
	r.Run = r.Run.Quiet()
	r.Checkpoint = learn.Checkpoint{}
	return r
}

// chooseShare is the part of the time that is left which a choice may take.
const chooseShare = 0.4

// undividedTime marks a context whose time is not shared out.
type undividedTime struct{}

// undivided returns a context in which choices may take all of the time, where a
// state is kept: the choice must be the same when a training goes on, and so it
// must not depend on the clock.
func (r Recipe[T]) undivided(ctx context.Context) context.Context {
	if !r.Checkpoint.On() {
		return ctx
	}
	return context.WithValue(ctx, undividedTime{}, true)
}

// share returns a context that ends when a part of the time that ctx has left is
// over, ctx itself where it has no deadline or is undivided.
func share(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok || ctx.Value(undividedTime{}) != nil {
		return ctx, func() {}
	}
	left := time.Until(end)
	return context.WithDeadline(ctx, end.Add(-left+time.Duration(part*float64(left))))
}

// over reports whether the share of a choice is over, and the whole is not.
func over(share, whole context.Context) bool { return share.Err() != nil && whole.Err() == nil }

// heldOut are the scores of rows that had no part in a fit, and their classes.
type heldOut struct {
	scores *data.Matrix
	y      []int
	weight []float64 // nil for 1 each
}

// choice is a choice of a price.
type choice struct {
	price  float64
	least  float64 // its error; infinite where nothing was tried
	trials []Trial
	best   Scored   // the model of that price; empty where nothing was tried
	held   *heldOut // of the best price; nil where there were too few rows
}

// chooseLabels returns the price with the smallest error on held-out rows, the
// first such one in a tie. It looks at a sample of the rows. It stops early when
// three prices in turn brought nothing, and, of learners for which those after
// are harder still, at a price for which the learner does not get to its optimum
// in the passes it has.
func chooseLabels[U any](ctx context.Context, ctl run.Control, prices []float64, d data.Labeled[U, int], rows int, s uint64, harder bool, start startPath[U, int]) (choice, error) {
	classes := 0
	for _, c := range d.Y {
		classes = max(classes, c+1)
	}
	if d.X.Len() > rows {
		_, sample := data.SplitBy(d.Y, float64(rows)/float64(d.X.Len()), s)
		d = d.Select(sample)
	}
	rest, held := data.SplitBy(d.Y, chooseFraction, s+1)
	train, test := d.Select(rest), d.Select(held)
	if len(held) == 0 || learn.CheckClasses(train.X.Len(), train.Y, train.Weight, classes) != nil {
		return choice{price: prices[0]}, nil // too few rows to hold any out
	}
	part, cancel := share(ctx, chooseShare)
	defer cancel()
	out, err := tryPrices(part, ctx, ctl, prices, test.Y, test.Weight, harder, along(part, ctl, prices, train, test.X, start), wrong)
	if scores := out.best.Scores; scores != nil {
		out.held = &heldOut{scores: scores, y: test.Y, weight: test.Weight}
	}
	return out, err
}

// tryPrices goes through the models of prices and returns the price with the
// smallest error of y, by weight, with its model. It ends with the best so far when ctx
// ends before whole does.
func tryPrices[Y any](ctx, whole context.Context, ctl run.Control, prices []float64, y []Y, weight []float64, harder bool, models iter.Seq2[Scored, error], measure func(*data.Matrix, []Y, []float64) float64) (choice, error) {
	ctl.Progress.Begin("choose", int64(len(prices)))
	defer ctl.Progress.End()
	out, idle := choice{price: prices[0], least: math.Inf(1)}, 0
	for m, err := range models {
		if over(ctx, whole) {
			break
		}
		if err != nil {
			return choice{price: prices[0]}, err
		}
		if m.Report.Status != learn.Converged && len(out.trials) > 0 && harder {
			break
		}
		trial := Trial{Price: m.Price, Error: measure(m.Scores, y, weight)}
		out.trials = append(out.trials, trial)
		ctl.Progress.Advance(int64(len(out.trials)))
		if trial.Error < out.least {
			out.least, idle, out.price, out.best = trial.Error, 0, m.Price, m
		} else if idle++; idle == 3 {
			break
		}
	}
	return out, nil
}

// chooseValues is chooseLabels for numbers, by the root of the mean squared
// error.
func chooseValues[U any](ctx context.Context, ctl run.Control, prices []float64, d data.Labeled[U, float64], rows int, s uint64, start startPath[U, float64]) (choice, error) {
	if len(prices) == 1 {
		return choice{price: prices[0]}, nil
	}
	if n := d.X.Len(); n > rows {
		_, sample := data.Split(n, float64(rows)/float64(n), s)
		d = d.Select(sample)
	}
	rest, held := data.Split(d.X.Len(), chooseFraction, s+1)
	train, test := d.Select(rest), d.Select(held)
	if len(held) == 0 || len(rest) < 2 {
		return choice{price: prices[0]}, nil
	}
	part, cancel := share(ctx, chooseShare)
	defer cancel()
	out, err := tryPrices(part, ctx, ctl, prices, test.Y, test.Weight, true, along(part, ctl, prices, train, test.X, start), rootMeanSquare)
	return out, err
}
