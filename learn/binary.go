package learn

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// validateBinary reports the faults of a recipe that learns many classes by a
// learner of two.
func validateBinary[T any, M Separator[T]](name string, l Learner[T, float64, M], classes int) error {
	var faults []error
	if classes < 2 {
		faults = append(faults, fmt.Errorf("%s: classes is %d and must be at least 2", name, classes))
	}
	if l == nil {
		faults = append(faults, fmt.Errorf("%s: learner is missing", name))
	} else {
		faults = append(faults, l.Validate())
	}
	return errors.Join(faults...)
}

// fitEach fits n separators in parallel and returns them with the Merge of their
// reports. When ctx ends before every one has at least begun there are none: the
// report says Cancelled or TimeLimit and the error wraps the context's.
func fitEach[T any, M Separator[T]](ctx context.Context, ctl run.Control, name, task string, n int, fit func(i int) (M, Report, error)) ([]M, Report, error) {
	start := time.Now()
	binary, reports := make([]M, n), make([]Report, n)
	var fitted atomic.Int64
	err := par.For(ctx, ctl, task, n, func(i int) error {
		var err error
		if binary[i], reports[i], err = fit(i); err != nil {
			return err
		}
		fitted.Add(1)
		return nil
	})
	if err == nil {
		r := Merge(reports...)
		r.Elapsed = time.Since(start)
		return binary, r, nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%s: stopped with %d of %d separators: %w", name, fitted.Load(), n, err)
		return nil, Report{Status: Stopped(ctx), Elapsed: time.Since(start)}, err
	}
	return nil, Report{}, err
}
