package par

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/run"
)

// errStopped ends the making of values that nobody takes any more.
var errStopped = errors.New("nobody takes what is handed over")

// Ahead makes values while the ones before them are used: make hands them over one by one, on
// a goroutine of its own, and use takes them in that order, on the calling one. One value
// at most is made ahead. On a single core they take turns.
//
// Ahead returns when both have ended. The error is the one that there would be if every
// value were used as soon as it was made: that of use, after which the context of make is
// cancelled and hand returns an error, or, when all that came before is used, that of make.
// A panic of make comes back as an error.
func Ahead[V any](
	ctx context.Context, ctl run.Control, make func(ctx context.Context, hand func(V) error) error, use func(V) error,
) error {
	if ctl.Cores() <= 1 {
		return make(ctx, use)
	}
	return ahead(ctx, make, use)
}

func ahead[V any](ctx context.Context, produce func(context.Context, func(V) error) error, use func(V) error) error {
	making, stop := context.WithCancel(ctx)
	values, ended := make(chan V), make(chan error, 1)
	go func() {
		defer close(values)
		ended <- guarded(func(int) error {
			return produce(making, func(v V) error {
				select {
				case values <- v:
					return nil
				case <-making.Done():
					if ctx.Err() != nil {
						return ctx.Err()
					}
					return errStopped
				}
			})
		}, 0)
	}()
	defer func() { // also if use panics
		stop()
		for range values { // until the goroutine has ended
		}
	}()
	for v := range values {
		if err := use(v); err != nil {
			return err
		}
	}
	return <-ended
}
