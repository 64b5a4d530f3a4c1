package gram

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Minimise solves a problem with the Gram matrix of a sample on the device of the run, as far as
// that gets, and leaves it where it was where it is not for a device. One that nobody chose fails
// without an error: what could not be done there the caller does.
func Minimise[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T], p run.Precision,
	q *compute.Quadratic, d compute.Descent,
) error {
	c := &Columns[T]{kernel: k, y: x, precision: p} // without tiles, which the cores would need
	device := c.resolve(ctl, x)
	if device == run.CPU {
		return nil
	}
	b, ok := backends[device]
	if !ok {
		return errBackend(device)
	}
	r := remote{name: b.Name(), auto: ctl.Device == run.Auto}
	if _, ok := any(c.y).(data.Source[data.Vector]); !ok {
		ctl.Places.Fell("instances that are no vectors stay on the CPU")
		return nil
	}
	bound, err := c.bindOn(device, b)
	solver, ok := bound.(compute.Solver)
	if err == nil && !ok {
		ctl.Places.Fell("this kernel on these vectors stays on the CPU")
		return nil
	}
	if err == nil {
		before := q.Values
		var stopped error
		round := d.Round
		d.Round = func(violation, tolerance float64, fetch func() error) error {
			stopped = round(violation, tolerance, fetch)
			return stopped
		}
		err = solver.Minimise(ctx, ctl.Quiet(), q, d)
		ctl.Counter.Add(q.Values - before)
		ctl.Places.Add(r.name, q.Values-before)
		if stopped != nil {
			return stopped
		}
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case r.auto || errors.Is(err, compute.ErrNoRoom):
		ctl.Places.Fell(r.named(err).Error())
		return nil
	}
	return r.named(err)
}
