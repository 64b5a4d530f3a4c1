package repro

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// trials calls body for n independent trials, on all workers, and returns what
// each measured. A trial takes its randomness from p.rng and p.seedOf.
func trials[T any](ctx context.Context, p Params, task string, n int, body func(trial int) (T, error)) ([]T, error) {
	out := make([]T, n)
	err := par.For(ctx, p.ctl, task, n, func(i int) (err error) {
		out[i], err = body(i)
		return err
	})
	return out, err
}

// single returns the controls of what a trial calls: trials are on all workers
// already, and report progress.
func (p Params) single() run.Control {
	ctl := p.ctl
	ctl.Workers, ctl.Progress = 1, run.Progress{}
	return ctl
}

// pick returns the count of trials of a whole run or of a quick one.
func (p Params) pick(full, quick int) int {
	if p.Quick {
		return quick
	}
	return full
}

// affordable refuses work that would take hours, in multiplications about.
func affordable(work float64) error {
	const hour = 3e12
	if !(work <= hour) {
		return fmt.Errorf("these values would take about %.1g multiplications, and at most %.1g are taken on; "+
			"use larger margins and errors, or smaller sizes", work, float64(hour))
	}
	return nil
}
