package job

import (
	"cmp"
	"context"
	"iter"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
)

// evaluate measures candidates that differ in their penalty alone on a part of the
// rows. In each fold the rows are mapped once, and the learner goes from penalty to
// penalty, from that of the simplest model on.
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
	penalties := make([]float64, len(order))
	for k, i := range order {
		penalties[k] = group[i].penalty
	}
	scores, seconds, open := make([][]float64, len(order)), make([]float64, len(order)), len(order)
	for f, p := range t.parts {
		k := 0
		for loss, err := range t.try(ctx, group[0], penalties[:open], p) {
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

// try fits a candidate to the rows of a part that are for that, at each of the
// penalties in turn, and returns its losses on the others.
func (t *tuning[T]) try(
	ctx context.Context, c candidate, penalties []float64, p measuredPart[T],
) iter.Seq2[float64, error] {
	return func(yield func(float64, error) bool) {
		if len(penalties) == 0 {
			return
		}
		models, head, err := t.models(ctx, c, penalties, p)
		if err != nil {
			yield(0, err)
			return
		}
		if !t.choices.traits.Kernel && t.space.maps[c.way] != model.MapNone {
			t.maps++
		}
		known, err := truthOf(head, t.rows, p.tested)
		if err != nil {
			yield(0, err)
			return
		}
		for m, err := range models {
			loss := 0.0
			if err == nil {
				t.fits++
				loss = known.loss(t.targets.by, m.Scores, p.test.Weight)
			}
			if !yield(loss, err) {
				return
			}
		}
	}
}

// models returns the fits of a candidate to a part, and the head that says what
// their scores mean.
func (t *tuning[T]) models(
	ctx context.Context, c candidate, penalties []float64, p measuredPart[T],
) (iter.Seq2[model.Scored, error], *model.Head, error) {
	k, err := makeKernel(t.worker.kind, t.space, c, p.medians, t.o.Seed)
	if err != nil {
		return nil, nil, err
	}
	n := p.train.Len()
	if c.dim > n {
		c.dim = model.DimUpTo(t.space.maps[c.way], n)
	}
	r, err := recipe(&t.o.Options, c.choices(t.choices, t.space), k, n)
	if err != nil {
		return nil, nil, err
	}
	if t.space.penalty == "" { // it is given, or the learner has none
		penalties = model.Penalties(r.Learner, false, p.train, nil, nil)
	}
	r = r.Quick(n)
	r.Run.Progress = t.tick.inner()
	head := &model.Head{Task: t.choices.Task, Classes: p.train.Classes, Learner: r.Learner.Name()}
	return r.Trials(ctx, p.train, p.test.X, penalties), head, nil
}

// noteOf is what is kept of an evaluation beside its score.
func noteOf(scores []float64, seconds float64) noted {
	n := noted{seconds: seconds}
	if k := float64(len(scores)); k > 1 {
		n.std = ptr(deviation(scores) * math.Sqrt(k/(k-1))) // with the divisor k-1, as in a cross-validation
	}
	return n
}

// divide prepares the rows of a round: a part of those of the search, nested in
// those of the next round, divided into folds or into three quarters to train on
// and one to test on.
func (t *tuning[T]) divide(ctx context.Context, budget float64) error {
	rows, sd := t.index, t.o.Seed
	if budget < 1 {
		rows = t.sample(rows, budget, seed.Derive(sd, seed.SearchHeldOut))
	}
	class := selected(t.targets.y, rows)
	var folds [][2][]int
	if t.oneSplit() {
		train, test := data.SplitBy(class, model.HeldOutPart, seed.Derive(sd, seed.SearchSplit))
		folds = append(folds, [2][]int{train, test})
	} else {
		all, err := (eval.Folds{K: t.o.Folds, Repeats: 1, Seed: sd}).Stratified(class)
		if err != nil {
			return err
		}
		for _, fold := range all {
			folds = append(folds, [2][]int{fold.Train(), fold.Test})
		}
	}
	t.parts, t.budget = nil, budget
	for _, fold := range folds {
		train := selected(rows, fold[0])
		p, err := encode[T](&t.o.Options, t.rows, t.targets, train, train, coding{t.scale, t.o.Read.Categories})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			t.parts = nil
			return err
		}
		tested := selected(rows, fold[1])
		test := sampleRows(p.x, t.rows, tested)
		t.parts = append(t.parts, measuredPart[T]{part: p, test: test, tested: tested,
			medians: newMedians(t.space, p.train.X, sd)})
	}
	return nil
}
