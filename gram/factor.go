package gram

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Triangle is the lower triangle of a Cholesky factorisation on a device.
type Triangle struct {
	factor compute.Factor
	remote remote
}

// LostError says that a device that nobody chose failed in the midst of its work: the cores
// can do it, from the beginning.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// Factor factors K(x_i, x_j) + shift·I in double precision on the device of the run. It returns nil
// where the cores are to do that, and a *linalg.NotPositiveError where there is no factor.
func Factor[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T], shift float64,
) (*Triangle, error) {
	m := x.Len()
	device, b := factorsOn(ctl, m)
	if b == nil {
		return nil, nil
	}
	c := &Columns[T]{kernel: k, y: x, precision: run.Float64} // without tiles, which the cores would need
	t := &Triangle{remote: remote{name: b.Name(), auto: ctl.Device == run.Auto}}
	bound, err := c.bindOn(device, b)
	factorer, ok := bound.(compute.Factorer)
	if err == nil && !ok {
		return nil, nil
	}
	if err == nil {
		t.factor, err = factorer.Factor(ctx, ctl.Quiet(), shift)
	}
	if err = t.judge(ctx, ctl, err); err != nil || t.factor == nil {
		return nil, err
	}
	values := int64(m) * int64(m)
	ctl.Counter.Add(values)
	ctl.Places.Add(t.remote.name, values)
	return t, nil
}

// factorsOn returns the back end of the run for a factorisation of m rows, nil for the cores or where there is none:
// products say what is wrong.
func factorsOn(ctl run.Control, m int) (run.Device, compute.Backend) {
	device := ctl.Device
	if device == run.Auto {
		device = auto
		o, ok := backends[auto].(opener)
		if work := float64(m) * float64(m) * float64(m); work < autoWork || !ok || o.Open() != nil || !o.FastDouble() {
			return device, nil
		}
	}
	if device == run.CPU {
		return device, nil
	}
	return device, backends[device]
}

// judge returns the error of a factorisation that is to be an error; the cores are to find out what is
// wrong with values that are no numbers.
func (t *Triangle) judge(ctx context.Context, ctl run.Control, err error) error {
	var fault *linalg.NotPositiveError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &fault):
		if math.IsNaN(fault.Pivot) || math.IsInf(fault.Pivot, 0) {
			return nil
		}
		return fault
	case t.remote.auto || errors.Is(err, compute.ErrNoRoom):
		ctl.Places.Fell(t.remote.named(err).Error())
		return nil
	}
	return t.remote.named(err)
}

// Inner factors scale·LᵀL + shift·I, with the results of Factor.
func (t *Triangle) Inner(ctx context.Context, ctl run.Control, scale, shift float64) (*Triangle, error) {
	f, err := t.factor.Inner(ctx, ctl.Quiet(), scale, shift)
	if err = t.judge(ctx, ctl, err); err != nil || f == nil {
		return nil, err
	}
	return &Triangle{factor: f, remote: t.remote}, nil
}

// Solve replaces every row v of x by L⁻¹v or, transposed, L⁻ᵀv.
func (t *Triangle) Solve(ctx context.Context, x *data.Matrix, transposed bool) error {
	return t.failed(ctx, t.factor.Solve(ctx, x, transposed))
}

// MulTransposed replaces every row v of x by Lᵀv.
func (t *Triangle) MulTransposed(ctx context.Context, x *data.Matrix) error {
	return t.failed(ctx, t.factor.MulTransposed(ctx, x))
}

func (t *Triangle) failed(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case t.remote.auto:
		return &LostError{t.remote.named(err)}
	}
	return fmt.Errorf("%s: %w", t.remote.name, err)
}

// Release gives back what is on the device.
func (t *Triangle) Release() {
	if t != nil && t.factor != nil {
		t.factor.Release()
	}
}
