package learn

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// validateBinary reports the faults of a recipe that learns many classes by a
// learner of two.
func validateBinary[T any, M Separator[T]](name string, l Learner[T, float64, M], classes int, c Checkpoint) error {
	faults := []error{c.Validate(name)}
	if _, ok := l.(Keeper[T, float64, M]); c.On() && l != nil && !ok {
		faults = append(faults, fmt.Errorf("%s: a checkpoint needs a learner that keeps its state, and %T keeps none",
			name, l))
	}
	faults = append(faults, Fields(name).AtLeast(2, "classes", classes))
	if l == nil {
		faults = append(faults, fmt.Errorf("%s: learner is missing", name))
	} else {
		faults = append(faults, l.Validate())
	}
	return errors.Join(faults...)
}

// each is n separators that are fitted in parallel.
type each[T any, M Separator[T]] struct {
	name, task string
	learner    Learner[T, float64, M]
	ctl        run.Control
	checkpoint Checkpoint
	n          int
	part       func(i int) (what string, d data.Labeled[T, float64])
}

// fit fits the separators and returns them with the Merge of their reports. When
// ctx ends before every one has at least begun there are none: the report says
// Cancelled or TimeLimit and the error wraps the context's.
func (e each[T, M]) fit(ctx context.Context) ([]M, Report, error) {
	start := time.Now()
	var parts *Parts
	if e.checkpoint.On() {
		var err error
		if parts, err = e.checkpoint.Split(Mark(e.name), e.n); err != nil {
			return nil, Report{}, err
		}
	}
	binary, reports := make([]M, e.n), make([]Report, e.n)
	var fitted atomic.Int64
	err := par.For(ctx, e.ctl, e.task, e.n, func(i int) error {
		what, d := e.part(i)
		l := e.learner
		if parts != nil {
			l = l.(Keeper[T, float64, M]).Keeping(parts.At(i))
		}
		var err error
		if binary[i], reports[i], err = l.Fit(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		fitted.Add(1)
		if parts != nil && reports[i].Status.Ended() {
			return parts.Finish(i, nil)
		}
		return nil
	})
	if err == nil {
		r := Merge(reports...)
		r.Elapsed = time.Since(start)
		return binary, r, nil
	}
	if Interrupted(ctx, err) {
		err = fmt.Errorf("%s: stopped with %d of %d separators: %w", e.name, fitted.Load(), e.n, err)
		return nil, Report{Status: Stopped(ctx), Elapsed: time.Since(start)}, err
	}
	return nil, Report{}, err
}
