package kernelized

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/run"
)

// awaySteps is how many steps a variable, and in all, are taken on a device before the
// cores go on: steps are several times as fast there, but where so many are needed the
// variables inside their ranges are badly conditioned, and leaps are worth more.
const (
	awaySteps    = 16
	awayStepsAll = 1 << 21
)

// awayMost bounds how many variables are solved for at a time there: with more, steps wait longer for
// rows of K, with less there are more rounds.
const awayMost = 2048

// away takes rounds on the device of the run, as far as that gets; the caller goes on from
// there. That is for one group of variables, of more instances than steps over all variables
// are for, all of which are active.
func (w *round[T, F]) away(ctx context.Context, rough bool) error {
	s, d := w.smo, w.dual
	if s.ctl.Device == run.CPU || s.squares != nil || s.place != nil || d.n <= sequenceMost {
		return nil
	}
	if d.ties != all {
		if s.ctl.Device != run.Auto {
			s.ctl.Places.Fell("duals without a bias or with two sums stay on the CPU")
		}
		return nil
	}
	precision, unit := run.Float64, 0x1p-53
	if _, single := any(F(0)).(float32); single {
		precision, unit = run.Float32, 0x1p-24
	}
	tolerance := s.tolerance
	if rough {
		tolerance *= 0.9
	}
	q := &compute.Quadratic{E: d.e, Lo: d.lo, Hi: d.hi, B: d.b, Scores: s.scores, Set: s.state.set, Largest: s.largest,
		Steps: s.state.steps, Rounds: s.state.rounds}
	widest := 0.0
	err := gram.Minimise(ctx, s.ctl, s.kernel, s.x, precision, q, compute.Descent{
		Tolerance: tolerance, Unit: unit, Steps: min(s.iterations, awaySteps*len(d.b)+awayStepsAll),
		Size: func(inside int) int { return sizeOf(len(d.b), inside, min(awayMost, len(d.b))) },
		Round: func(violation, tolerance float64, fetch func() error) error {
			widest = max(widest, violation)
			s.ctl.Progress.Advance(int64(q.Steps))
			s.ctl.Progress.Approach(widest, violation, tolerance)
			var failed error
			err := s.checkpoint.Keep(q.Rounds, false, func() []byte {
				if failed = fetch(); failed == nil {
					s.here(q)
				}
				return s.encode()
			})
			return errors.Join(failed, err)
		},
	})
	s.here(q)
	return err
}

// here takes over where a device is.
func (s *smo[T]) here(q *compute.Quadratic) {
	s.largest, s.state.set, s.state.steps, s.state.rounds = q.Largest, q.Set, q.Steps, q.Rounds
}
