package gram

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Orthogonalise factors K(z_i, z_j) in double precision on the device of the run, with the pivots and to the rank of
// linalg.PivotedCholesky, and returns the pivots and the inverse of the factor. done is false where the cores have
// to: there is no such device or no room on it, it does not support the kernel, or K is no kernel by more than the
// slack, and they tell where.
func Orthogonalise[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], z data.Source[T], tolerance, slack float64,
) (pivot []int, inverse *data.Matrix, done bool, err error) {
	device, b := factorsOn(ctl, z.Len())
	if b == nil {
		return nil, nil, false, nil
	}
	c := &Columns[T]{kernel: k, y: z, precision: run.Float64} // without tiles, which the cores would need
	r := remote{name: b.Name(), auto: ctl.Device == run.Auto}
	bound, err := c.bindOn(device, b)
	o, ok := bound.(compute.Orthogonaliser)
	if err == nil && !ok {
		return nil, nil, false, nil
	}
	if err == nil {
		ctl.Progress.Begin("kernel", 1)
		defer ctl.Progress.End()
		pivot, inverse, err = o.Orthogonalise(ctx, ctl.Quiet(), tolerance, slack)
	}
	switch {
	case err == nil:
		values := int64(z.Len()) * int64(z.Len())
		ctl.Counter.Add(values)
		ctl.Places.Add(r.name, values)
		ctl.Progress.Advance(1)
		return pivot, inverse, true, nil
	case ctx.Err() != nil:
		return nil, nil, true, ctx.Err()
	case errors.Is(err, compute.ErrNotPSD):
		return nil, nil, false, nil
	case r.auto || errors.Is(err, compute.ErrNoRoom):
		ctl.Places.Fell(r.named(err).Error())
		return nil, nil, false, nil
	}
	return nil, nil, true, r.named(err)
}
