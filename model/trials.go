package model

import (
	"context"
	"fmt"
	"iter"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// Scored is a model at one penalty, by its scores of rows that it was not fitted
// to.
type Scored struct {
	Penalty float64      // C or lambda
	Scores  *data.Matrix // a row each, as Pipeline.ScoreAll returns them
	Report  learn.Report

	weights *data.Matrix // of the separators
	bias    []float64
}

// separators returns those of a model of features, nil where there is none.
func (s Scored) separators() []*linear.Separator {
	var out []*linear.Separator
	for k, b := range s.bias {
		out = append(out, &linear.Separator{W: s.weights.Row(k), Bias: b})
	}
	return out
}

// Trials fits the recipe to a sample at one penalty after another, in place of the
// learner's own, and scores other instances. The map is fitted, and all instances
// are mapped, once; a learner that can starts each fit from the one before, which
// is fastest from the penalty of the simplest model on: increasing C, decreasing
// lambda. Each fit meets the tolerance by itself. A learner without a penalty is
// fitted once and gives the first one back.
//
// Nothing is chosen, calibrated or certified: Choose, Calibrate, Conformal and
// Claim are not looked at. The trials end with an error where there is one, which
// is the context's when ctx ends.
func (r Recipe[T]) Trials(
	ctx context.Context, s Sample[T], test data.Source[T], penalties []float64,
) iter.Seq2[Scored, error] {
	return r.trials(ctx, s, test, penalties, inTurn(len(penalties)), func() {})
}

// TrialsInOrder is Trials at those penalties whose places order gives, as long as it goes
// on: it may look at what came of the ones before.
func (r Recipe[T]) TrialsInOrder(
	ctx context.Context, s Sample[T], test data.Source[T], penalties []float64, order iter.Seq[int],
) iter.Seq2[Scored, error] {
	return r.trials(ctx, s, test, penalties, order, func() {})
}

// inTurn gives 0 to n-1.
func inTurn(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// trials is TrialsInOrder that tells when the instances are mapped.
func (r Recipe[T]) trials(
	ctx context.Context, s Sample[T], test data.Source[T], penalties []float64, order iter.Seq[int], mapped func(),
) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		r, s, err := r.ready(s)
		switch {
		case err == nil && len(penalties) == 0:
			err = fmt.Errorf("there are no penalties to try %s at", r.Learner.Name())
		case err == nil && r.Learner.Traits().Unsupervised:
			err = fmt.Errorf("%s looks at no labels, and there is nothing to try", r.Learner.Name())
		}
		if err != nil {
			yield(Scored{}, err)
			return
		}
		if l, ok := r.Learner.(Settler); ok && s.Task == Regress {
			r.Learner = l.Settle(s.Values, s.Weight)
		}
		if r.Learner.Traits().Penalty == "" {
			penalties, order = penalties[:1], inTurn(1)
		}
		r.try(ctx, s, test, penalties, order, mapped)(yield)
	}
}

// TryBest fits the recipe to one part of a sample at each penalty and returns the
// smallest loss on another part.
func (r Recipe[T]) TryBest(ctx context.Context, fit, measure Sample[T], penalties []float64) (float64, error) {
	w, pace := r.work(fit, float64(fit.Len())), r.pace()
	w.learn *= pace.trial / pace.fit
	stages := r.Run.Progress.Divide("", w.fitMap+w.mapAll+pathWork(w.learn, len(penalties)))
	defer stages.End()
	stages.Next("map", w.fitMap+w.mapAll)
	next := func(i int) { stages.Next("train", penaltyWork(w.learn, i)) }
	models := r.trials(ctx, fit, measure.X, penalties, inTurn(len(penalties)), func() { next(0) })
	best, err := tryPenalties(ctx, ctx, penalties, measure, false, models, next)
	return best.least, err
}

// try fits one part of a sample at penalties in an order and scores another part.
func (r Recipe[T]) try(
	ctx context.Context, s Sample[T], test data.Source[T], penalties []float64, order iter.Seq[int], mapped func(),
) iter.Seq2[Scored, error] {
	r.Claim, r.Checkpoint = nil, learn.Checkpoint{}
	if r.Learner.Traits().Kernel {
		mapped()
		return along(ctx, r, s, test, penalties, order)
	}
	return func(yield func(Scored, error) bool) {
		p := &Pipeline[T]{Kernel: r.Kernel, Head: Head{Task: s.Task, Classes: s.Classes}}
		var t Training
		size := r.work(s, float64(s.Len()))
		stages := r.Run.Progress.Divide("map", size.fitMap+size.mapAll)
		features, err := r.mapAll(ctx, p, s, &t, size, stages)
		stages.End()
		var held data.Source[data.Vector]
		if err == nil {
			held, err = p.features(ctx, r.Run, test)
		}
		if err != nil {
			yield(Scored{}, err)
			return
		}
		mapped()
		along(ctx, r, withX(s, features), held, penalties, order)(yield)
	}
}

// along fits a sample at penalties in an order and scores the instances of test. It ends
// with an error where there is one, which is the context's when ctx ends: a fit
// that was cut short is no measure of its penalty.
func along[T, U any](
	ctx context.Context, r Recipe[T], s Sample[U], test data.Source[U], penalties []float64, order iter.Seq[int],
) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		p, err := problem(r, s)
		var path Path[U]
		if err == nil {
			path, err = pathOf(ctx, r.Learner.(Fitter[U]), p, penalties)
		}
		if err != nil {
			yield(Scored{}, err)
			return
		}
		var known *data.Matrix // the features of test by the map of the whole sample
		for place := range order {
			penalty := penalties[place]
			m := Scored{Penalty: penalty}
			var f Fitted[U]
			if f, m.Report, err = path(ctx, penalty); err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = sound(r.Learner, f)
			}
			if err == nil {
				m.weights, m.bias = f.Separators, f.Bias
				if f.Whole && known == nil && len(penalties) > 1 {
					known, err = featuresOf(ctx, r.Run, f.Map, test)
				}
				if err == nil {
					m.Scores, err = scoresOf(ctx, r, s, test, f, known)
				}
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// featuresOf returns the features of instances, or nil where there is no room for them.
func featuresOf[T any](
	ctx context.Context, ctl run.Control, m feature.Map[T], x data.Source[T],
) (*data.Matrix, error) {
	if ctl.Reserve("", 2*8*float64(m.Dim())*float64(x.Len()), "") != nil { // half of it for those who come after
		return nil, nil
	}
	return feature.Apply(ctx, ctl, m, x)
}

// scoresOf returns the scores of instances by what a learner found. Known are their features
// by a map of the whole sample, which a path computes once; nil where they are not known.
func scoresOf[T, U any](
	ctx context.Context, r Recipe[T], s Sample[U], test data.Source[U], f Fitted[U], known *data.Matrix,
) (*data.Matrix, error) {
	if f.Whole && known != nil {
		p := &Pipeline[data.Vector]{Map: given{known.Cols}, Head: Head{Task: s.Task, Classes: s.Classes}}
		if err := p.take(f.Separators, f.Bias, f.Unit, f.Pairs, known.Cols); err != nil {
			return nil, unsound(r.Learner, err)
		}
		return p.ScoreAll(ctx, r.Run, known)
	}
	p := &Pipeline[U]{Map: f.Map, Head: Head{Task: s.Task, Classes: s.Classes}}
	if p.Map == nil {
		features := any(s.X).(data.Source[data.Vector])
		_, mapped := any(test).(*data.Matrix)
		head, err := headOf(s, features, r.Learner, s.Task == Classify || !mapped, any(f).(Fitted[data.Vector]))
		if err != nil {
			return nil, err
		}
		return head.ScoreAll(ctx, r.Run, any(test).(data.Source[data.Vector]))
	}
	if err := p.take(f.Separators, f.Bias, f.Unit, f.Pairs, p.Map.Dim()); err != nil {
		return nil, unsound(r.Learner, err)
	}
	return p.ScoreAll(ctx, r.Run, test)
}
