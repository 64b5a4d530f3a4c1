package model

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Labels of what a one-class machine predicts.
const (
	Outlier = "outlier"
	Inlier  = "inlier"
)

// SampleError reports a sample that does not go with the recipe.
type SampleError struct{ Problem string }

func (e *SampleError) Error() string { return e.Problem }

// Fit trains a pipeline on labelled instances. The labels may be any strings;
// there must be two different ones at least, but for the one-class machine,
// which does not look at them and predicts Inlier or Outlier. Rows may have
// weights where the learner takes them: see Traits. When ctx ends
// while the learner runs, the result is the best so far and the status says so;
// before that the context's error comes back.
func (r Recipe[T]) Fit(ctx context.Context, d data.Labeled[T, string]) (*Pipeline[T], Training, error) {
	if err := r.check(d.X.Len(), d.Weight, Classify); err != nil {
		return nil, Training{}, err
	}
	if r.Learner == LearnerOneClass {
		d = data.Labeled[T, string]{X: d.X, Y: make([]string, d.X.Len()), Weight: d.Weight}
		r, d = live(r, d)
		return r.timed(func(r Recipe[T]) (*Pipeline[T], Training, error) { return r.fitOneClass(ctx, d.X, d.Weight) })
	}
	classes, y := data.Encode(d.Y)
	if classes.Len() < 2 {
		return nil, Training{}, fmt.Errorf("%w: %q", learn.ErrOneClass, classes.Names[0])
	}
	labeled := data.Labeled[T, int]{X: d.X, Y: y, Weight: d.Weight}
	if err := checkClassWeights(classes, labeled.Y, labeled.Weight); err != nil {
		return nil, Training{}, err
	}
	r, labeled = live(r, labeled)
	ctx = r.undivided(ctx)
	return r.timed(func(r Recipe[T]) (*Pipeline[T], Training, error) {
		return r.picked(func(r Recipe[T]) (Recipe[T], *Picked, error) { return r.pickForLabels(ctx, classes, labeled) },
			func(r Recipe[T]) (*Pipeline[T], Training, error) { return r.fitLabels(ctx, classes, labeled) })
	})
}

// FitValues trains a pipeline that predicts numbers. Rows may have weights.
func (r Recipe[T]) FitValues(ctx context.Context, d data.Labeled[T, float64]) (*Pipeline[T], Training, error) {
	if err := r.check(d.X.Len(), d.Weight, Regress); err != nil {
		return nil, Training{}, err
	}
	for i, y := range d.Y {
		if y-y != 0 {
			return nil, Training{}, &learn.DataError{Row: i, Problem: fmt.Sprintf("the target is %v and must be a finite number", y)}
		}
	}
	r, d = live(r, d)
	ctx = r.undivided(ctx)
	return r.timed(func(r Recipe[T]) (*Pipeline[T], Training, error) {
		return r.picked(func(r Recipe[T]) (Recipe[T], *Picked, error) { return r.pickForNumbers(ctx, d) },
			func(r Recipe[T]) (*Pipeline[T], Training, error) { return r.fitNumbers(ctx, d) })
	})
}

// picked makes the choices of Auto, where there are any, before the fit.
func (r Recipe[T]) picked(pick func(Recipe[T]) (Recipe[T], *Picked, error), fit func(Recipe[T]) (*Pipeline[T], Training, error)) (*Pipeline[T], Training, error) {
	if r.Auto == nil {
		p, t, err := fit(r)
		t.Map = r.Map
		return p, t, err
	}
	r.Run.Progress.Begin("choose kernel and dimension", 1)
	chosen, picked, err := pick(r)
	r.Run.Progress.End()
	if err != nil {
		return nil, Training{}, err
	}
	p, t, err := fit(chosen)
	t.Map, t.Picked = chosen.Map, picked
	return p, t, err
}

// check reports what keeps the recipe from being fitted to n rows of the given
// weights.
func (r Recipe[T]) check(n int, weight []float64, task Task) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if !r.traits().Can(task) {
		return fmt.Errorf("%s cannot %s", r.Learner, task)
	}
	if (r.ClassWeight != nil || r.Balanced) && (task == Regress || r.Learner == LearnerOneClass) {
		return fmt.Errorf("%s learns no classes that could have weights", r.Learner)
	}
	if (weight != nil || r.ClassWeight != nil || r.Balanced) && !r.traits().Weights {
		return fmt.Errorf("%s takes no weights; these learners do: %s", r.Learner, strings.Join(Weighted(), ", "))
	}
	if n == 0 {
		return learn.ErrNoRows
	}
	return learn.CheckWeights(n, weight)
}

// timed runs a fit, counts its kernel evaluations and takes its time.
func (r Recipe[T]) timed(fit func(Recipe[T]) (*Pipeline[T], Training, error)) (*Pipeline[T], Training, error) {
	begun, counter, outer := time.Now(), &run.Counter{}, r.Run.Counter
	r.Run.Counter = counter
	p, t, err := fit(r)
	if err != nil {
		return nil, t, err
	}
	t.Evaluations = counter.Count()
	outer.Add(t.Evaluations)
	t.Elapsed = time.Since(begun)
	return p, t, p.Validate()
}

// fitLabels trains on labelled instances.
func (r Recipe[T]) fitLabels(ctx context.Context, classes data.Classes, d data.Labeled[T, int]) (*Pipeline[T], Training, error) {
	var kept data.Labeled[T, int]
	if r.Conformal > 0 {
		rest, held := data.SplitBy(d.Y, r.Conformal, r.Seed+3)
		kept, d = d.Select(held), d.Select(rest)
	}
	p := &Pipeline[T]{Task: Classify, Kernel: r.Kernel, Classes: classes, Learner: r.Learner}
	fit := r.fitMapped
	if r.traits().Kernel {
		fit = r.fitExpansion
	}
	t, scored, err := fit(ctx, p, d)
	if err != nil {
		return nil, t, err
	}
	t.Kept = len(kept.Y)
	if err := r.calibrate(context.WithoutCancel(ctx), p, kept, scored); err != nil {
		return nil, t, err
	}
	return p, t, nil
}

// fitNumbers trains on numbers.
func (r Recipe[T]) fitNumbers(ctx context.Context, d data.Labeled[T, float64]) (*Pipeline[T], Training, error) {
	var kept data.Labeled[T, float64]
	if r.Conformal > 0 {
		rest, held := data.Split(len(d.Y), r.Conformal, r.Seed+3)
		kept, d = d.Select(held), d.Select(rest)
	}
	p := &Pipeline[T]{Task: Regress, Kernel: r.Kernel, Learner: r.Learner}
	fit := r.regressMapped
	if r.traits().Kernel {
		fit = r.regressExpansion
	}
	t, err := fit(ctx, p, d)
	if err != nil {
		return nil, t, err
	}
	t.Kept = len(kept.Y)
	return p, t, r.intervals(context.WithoutCancel(ctx), p, kept)
}
