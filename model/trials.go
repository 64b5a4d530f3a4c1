package model

import (
	"context"
	"fmt"
	"iter"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Trials fits the recipe to labelled instances at one price after another, C or
// lambda in place of the recipe's own, and scores other instances. The map is
// fitted, and all instances are mapped, once; a learner that can starts each fit
// from the one before, which is fastest from the price of the simplest model on:
// increasing C, decreasing lambda. Each fit meets the tolerance by itself. A
// learner without a price is fitted once and gives the first price back.
//
// Nothing is chosen, calibrated or certified: Auto, Choose of a learner with a
// price, Calibrate, Conformal and Claim are not looked at. The trials end with an
// error where there is one, which is the context's when ctx ends.
func (r Recipe[T]) Trials(ctx context.Context, d data.Labeled[T, string], test data.Source[T], prices []float64) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		err := r.checkTrials(d.X.Len(), d.Weight, Classify, prices)
		classes, y := data.Encode(d.Y)
		switch {
		case err == nil && r.Learner == LearnerOneClass:
			err = fmt.Errorf("%s looks at no labels, and there is nothing to try", r.Learner)
		case err == nil && classes.Len() < 2:
			err = fmt.Errorf("%w: %q", learn.ErrOneClass, classes.Names[0])
		case err == nil:
			err = checkClassWeights(classes, y, d.Weight)
		}
		if err != nil {
			yield(Scored{}, err)
			return
		}
		r, labeled := live(r, data.Labeled[T, int]{X: d.X, Y: y, Weight: d.Weight})
		r.tryLabels(ctx, classes, labeled, test, r.tried(prices))(yield)
	}
}

// ValueTrials is Trials for numbers.
func (r Recipe[T]) ValueTrials(ctx context.Context, d data.Labeled[T, float64], test data.Source[T], prices []float64) iter.Seq2[Scored, error] {
	return func(yield func(Scored, error) bool) {
		if err := r.checkTrials(d.X.Len(), d.Weight, Regress, prices); err != nil {
			yield(Scored{}, err)
			return
		}
		r, d := live(r, d)
		if r.Epsilon < 0 {
			r.Epsilon = spread(d.Y, d.Weight) / 10
		}
		r.tryValues(ctx, d, test, r.tried(prices))(yield)
	}
}

// checkTrials reports what keeps the recipe from being tried.
func (r Recipe[T]) checkTrials(n int, weight []float64, task Task, prices []float64) error {
	if len(prices) == 0 {
		return fmt.Errorf("there are no prices to try %s at", r.Learner)
	}
	return r.check(n, weight, task)
}

// tried returns the prices that make a difference.
func (r Recipe[T]) tried(prices []float64) []float64 {
	if r.traits().Price == "" {
		return prices[:1]
	}
	return prices
}

// bare returns the recipe without all that is for the model that is kept.
func (r Recipe[T]) bare() Recipe[T] {
	r.Auto, r.Calibrate, r.Conformal, r.Claim = nil, "", 0, nil
	r.Checkpoint.Save, r.Checkpoint.From = nil, nil
	return r
}

// tryLabels fits one part of a sample at each price and scores another part.
func (r Recipe[T]) tryLabels(ctx context.Context, classes data.Classes, train data.Labeled[T, int], test data.Source[T], prices []float64) iter.Seq2[Scored, error] {
	r = r.bare()
	if r.traits().Kernel {
		return along(ctx, r.Run, prices, train, test, r.expandPath(classes))
	}
	return func(yield func(Scored, error) bool) {
		p := &Pipeline[T]{Task: Classify, Kernel: r.Kernel, Classes: classes, Learner: r.Learner}
		var t Training
		features, err := r.mapAll(ctx, p, train, &t)
		var held data.Source[data.Vector]
		if err == nil {
			held, err = p.features(ctx, r.Run, test)
		}
		if err != nil {
			yield(Scored{}, err)
			return
		}
		along(ctx, r.Run, prices, data.Labeled[data.Vector, int]{X: features, Y: train.Y, Weight: train.Weight}, held, r.headPath(classes, data.Dim(features)))(yield)
	}
}

// tryValues is tryLabels for numbers.
func (r Recipe[T]) tryValues(ctx context.Context, train data.Labeled[T, float64], test data.Source[T], prices []float64) iter.Seq2[Scored, error] {
	r = r.bare()
	if r.traits().Kernel {
		return along(ctx, r.Run, prices, train, test, r.regressPath())
	}
	return along(ctx, r.Run, prices, train, test, func(_ context.Context, d data.Labeled[T, float64], _ []float64) (pricePath[T], error) {
		return func(ctx context.Context, _ float64) (*Pipeline[T], learn.Report, error) {
			p := &Pipeline[T]{Task: Regress, Kernel: r.Kernel, Learner: r.Learner}
			t, err := r.regressMapped(ctx, p, d)
			return p, t.Report, err
		}, nil
	})
}
