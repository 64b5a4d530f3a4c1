package gram

import (
	"context"
	"fmt"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// backends lists what computes on each device but the CPU, whose back end is the
// tiles of this package; they also serve what other back ends do not support.
var backends = map[run.Device]compute.Backend{}

// bindings holds the columns on each device that a run has asked for.
type bindings struct {
	mu    sync.Mutex
	bound map[run.Device]compute.Bound // nil for a kernel that it does not support
}

// remote is K between instances and the columns on a device. Its zero value stands
// for the tiles of this package.
type remote struct {
	matrix compute.Matrix
	err    error // why there is none
	name   string
	values int64 // of K
}

// chosen reports whether a device is to compute.
func (r remote) chosen() bool { return r.matrix != nil || r.err != nil }

// remote returns K between x and the columns on the device of the run. Columns are
// bound there when they are first needed: they do not know of runs when they are
// made. often is for several products.
func (c *Columns[T]) remote(ctl run.Control, x data.Source[T], often bool) remote {
	if ctl.Device == run.Auto || ctl.Device == run.CPU {
		return remote{}
	}
	b, ok := backends[ctl.Device]
	if !ok {
		return remote{err: fmt.Errorf("this program has no back end for %v", ctl.Device)}
	}
	r := remote{name: b.Name(), values: int64(x.Len()) * int64(c.Len())}
	vectors, ok := any(x).(data.Source[data.Vector])
	if !ok {
		return remote{}
	}
	bound, err := c.bindOn(ctl.Device, b)
	if bound != nil {
		r.matrix, err = bound.Against(vectors, often)
	}
	r.err = r.named(err)
	return r
}

// bindOn returns the columns on a device, nil where it does not support the kernel.
func (c *Columns[T]) bindOn(d run.Device, b compute.Backend) (compute.Bound, error) {
	form, ok := kernel.FormOf(c.kernel)
	vectors, isVector := any(c.y).(data.Source[data.Vector])
	if !ok || !isVector {
		return nil, nil
	}
	c.bindings.mu.Lock()
	defer c.bindings.mu.Unlock()
	if bound, known := c.bindings.bound[d]; known {
		return bound, nil
	}
	var bound compute.Bound
	if b.Supports(form, vectors, c.precision) {
		var err error
		if bound, err = b.Bind(form, vectors, c.precision); err != nil {
			return nil, err
		}
	}
	if c.bindings.bound == nil {
		c.bindings.bound = map[run.Device]compute.Bound{}
	}
	c.bindings.bound[d] = bound
	return bound, nil
}

func (r remote) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// try runs a call of the back end. It returns false where the tiles of this package
// have to compute: there is no back end, or what it gave is not finite, and they
// tell which value of K is at fault, if one is.
func (r remote) try(
	ctx context.Context, ctl run.Control, call func(ctl run.Control) error, finite func() bool,
) (done bool, err error) {
	if r.err != nil || r.matrix == nil {
		return r.err != nil, r.err
	}
	ctl.Progress.Begin("kernel", 1)
	defer ctl.Progress.End()
	quiet := ctl.Quiet()
	quiet.Counter = nil
	if err := call(quiet); err != nil {
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		return true, r.named(err)
	}
	ctl.Counter.Add(r.values)
	ctl.Progress.Advance(1)
	return finite(), nil
}

// remoteBlock sets dst to K.
func remoteBlock[F float32 | float64](ctx context.Context, ctl run.Control, r remote, dst []F) (bool, error) {
	return r.try(ctx, ctl, func(ctl run.Control) error {
		if single, ok := any(dst).([]float32); ok {
			return r.matrix.Block32(ctx, ctl, single)
		}
		return r.matrix.Block64(ctx, ctl, any(dst).([]float64))
	}, func() bool { return vmath.Finite(dst) < 0 })
}

// product is ProductMany of Columns.
func (r remote) product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) (bool, error) {
	return r.try(ctx, ctl, func(ctl run.Control) error {
		return r.matrix.Product(ctx, ctl, dst, v)
	}, func() bool { return vmath.Finite(dst.Data) < 0 })
}

// normal is ProductNormalMany of Columns.
func (r remote) normal(
	ctx context.Context, ctl run.Control, dst, v, u *data.Matrix, weight []float64,
) (bool, error) {
	return r.try(ctx, ctl, func(ctl run.Control) error {
		return r.matrix.ProductNormal(ctx, ctl, dst, v, u, weight)
	}, func() bool { return vmath.Finite(dst.Data) < 0 })
}
