package cli

import (
	"cmp"
	"context"
	"iter"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// evaluate measures candidates that differ in their price alone on a part of the
// rows. In each fold the rows are mapped once, and the learner goes from price to
// price, from that of the simplest model on.
func (t *tuning[T]) evaluate(ctx context.Context, group []candidate, budget float64, done func(int, float64, error)) {
	all := func(err error) {
		for i := range group {
			done(i, 0, err)
		}
	}
	begun := time.Now()
	if t.unkept != nil {
		all(t.unkept)
		return
	}
	if t.recall(group, budget, done) {
		return
	}
	if t.parts == nil || budget != t.budget {
		if err := t.divide(ctx, budget); err != nil {
			all(err)
			return
		}
	}
	order := t.space.path(group)
	prices := make([]float64, len(order))
	for k, i := range order {
		prices[k] = group[i].price
	}
	scores, seconds, open := make([][]float64, len(order)), make([]float64, len(order)), len(order)
	for f, p := range t.parts {
		k := 0
		for loss, err := range t.tryPart(ctx, group[0], prices[:open], p) {
			if ctx.Err() != nil {
				done(order[k], 0, ctx.Err())
				return
			}
			if err != nil { // what comes after is harder still
				for ; open > k; open-- {
					done(order[open-1], 0, err)
				}
				break
			}
			scores[k] = append(scores[k], loss)
			seconds[k] += time.Since(begun).Seconds()
			begun = time.Now()
			if f == len(t.parts)-1 {
				n, m := note{group[order[k]], budget}, keptTrial{mean(scores[k]), noteOf(scores[k], seconds[k])}
				t.notes[n] = m.noted
				done(order[k], m.score, t.keep(n, m))
			}
			k++
		}
	}
}

// tryPart fits a candidate to the rows of a part that are for that, at each of the
// prices in turn, and returns its losses on the others.
func (t *tuning[T]) tryPart(ctx context.Context, c candidate, prices []float64, p measuredPart[T]) iter.Seq2[float64, error] {
	return func(yield func(float64, error) bool) {
		if len(prices) == 0 {
			return
		}
		models, err := t.models(ctx, c, prices, p)
		if err != nil {
			yield(0, err)
			return
		}
		if !t.flags.machine && t.space.maps[c.way] != model.MapNone {
			t.maps++
		}
		for m, err := range models {
			loss := 0.0
			if err == nil {
				t.fits++
				var s *score
				if s, err = scoreOf(m, &t.flags.learnerFlags, t.input, p.test); err == nil {
					loss = s.loss()
				}
			}
			if !yield(loss, err) {
				return
			}
		}
	}
}

// models returns the fits of a candidate to a part.
func (t *tuning[T]) models(ctx context.Context, c candidate, prices []float64, p measuredPart[T]) (iter.Seq2[model.Scored, error], error) {
	k, err := makeKernel(t.kind, t.space, c, p.medians, t.app.seed)
	if err != nil {
		return nil, err
	}
	n := p.train.X.Len()
	c.dim = min(c.dim, n)
	r, err := learnerRecipe(t.app, c.flags(&t.flags.learnerFlags, t.space), k, n)
	if err != nil {
		return nil, err
	}
	if t.space.price == "" { // it is given, or the learner has none
		prices = []float64{r.Price()}
	}
	r = quick(r, n, t.tick)
	if !t.flags.regresses() {
		return r.Trials(ctx, p.train, p.test.X, prices), nil
	}
	y, err := dataset.Values(t.input.Name, p.train.Y)
	if err != nil {
		return nil, err
	}
	return r.ValueTrials(ctx, data.Labeled[T, float64]{X: p.train.X, Y: y, Weight: p.train.Weight}, p.test.X, prices), nil
}

// noteOf is what is kept of an evaluation beside its score.
func noteOf(scores []float64, seconds float64) noted {
	n := noted{seconds: seconds}
	if k := float64(len(scores)); k > 1 {
		n.std = deviation(scores) * math.Sqrt(k/(k-1)) // with the divisor k-1, as kerf cv has it
	}
	return n
}

func mean(v []float64) float64 {
	out := 0.0
	for _, s := range v {
		out += s / float64(len(v))
	}
	return out
}

// loss is the measure that a search makes small.
func (s *score) loss() float64 {
	if s.Regression != nil {
		return s.RMSE
	}
	return s.Metrics.Error
}

// quick returns the recipe of a trial on n rows, which need not be exact,
// needs no probabilities and leaves nothing open.
func quick[T any](r model.Recipe[T], n int, tick ticker) model.Recipe[T] {
	r.Tolerance, r.MaxPasses = max(r.Tolerance, 1e-2), min(r.MaxPasses, max(200, 4_000_000/n))
	r.Calibrate, r.Conformal, r.Auto, r.Run.Progress = "", 0, nil, tick.inner()
	return r
}

// divide prepares the rows of a round: a part of those of the search, nested in
// those of the next round, divided into folds or into three quarters to train on
// and one to test on.
func (t *tuning[T]) divide(ctx context.Context, budget float64) error {
	rows, sd := t.rows, t.app.seed
	if budget < 1 {
		rows = t.sample(rows, budget, sd+6)
	}
	var folds [][2][]int
	if t.oneSplit() {
		train, test := data.SplitBy(t.classesOf(rows), 0.25, sd+7)
		folds = append(folds, [2][]int{train, test})
	} else {
		all, err := (eval.Folds{K: t.flags.folds, Repeats: 1, Seed: sd}).Stratified(t.classesOf(rows))
		if err != nil {
			return err
		}
		for _, fold := range all {
			folds = append(folds, [2][]int{fold.Train(), fold.Test})
		}
	}
	t.parts, t.budget = nil, budget
	for _, fold := range folds {
		p, err := encodePart[T](t.input, selected(rows, fold[0]), selected(rows, fold[1]), t.scale, &t.flags.inputFlags)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			t.parts = nil
			return err
		}
		t.parts = append(t.parts, measuredPart[T]{part: p, medians: newMedians(t.space, p.train.X, sd)})
	}
	return nil
}
