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
var backends = devices()

// opener is a back end that looks for its device, and says whether that computes in double
// about as fast as it does in single.
type opener interface {
	Open() error
	FastDouble() bool
}

// errBackend says why a device has no back end.
func errBackend(d run.Device) error {
	if why := without; why != "" && d >= run.GPU {
		return fmt.Errorf("%v: %s", d, why)
	}
	return fmt.Errorf("this program has no back end for %v", d)
}

// auto is the GPU that is used for large work where nobody chose a device.
const auto = run.GPU

// autoWork is how many multiplications and additions are large work: less than that
// takes the cores about as long as it takes to bring it to a device.
const autoWork = 1e10

// DeviceName returns the name of a device, or why there is none. The one that runs use
// where nobody chose is run.Auto.
func DeviceName(d run.Device) (string, error) {
	switch d {
	case run.CPU:
		return compute.For(run.Float64).Name(), nil
	case run.Auto:
		d = auto
	}
	b, ok := backends[d]
	if !ok {
		return "", errBackend(d)
	}
	if o, ok := b.(opener); ok {
		if err := o.Open(); err != nil {
			return "", err
		}
	}
	return b.Name(), nil
}

// resolve returns the device of a run for a piece of work. Devices that nobody chose are
// for large work, and in double for those alone that are made for it.
func (c *Columns[T]) resolve(ctl run.Control, x data.Source[T]) run.Device {
	if ctl.Device != run.Auto {
		return ctl.Device
	}
	vectors, ok := any(c.y).(data.Source[data.Vector])
	if !ok || without != "" {
		return run.CPU
	}
	size := float64(x.Len()) * float64(c.Len())
	if size*maxAutoDim < autoWork || size*float64(data.Dim(vectors)+16) < autoWork {
		return run.CPU
	}
	if b, ok := backends[auto].(opener); !ok || b.Open() != nil || c.precision == run.Float64 && !b.FastDouble() {
		return run.CPU
	}
	return auto
}

// maxAutoDim is a dimension that no work below autoWork is looked at twice for.
const maxAutoDim = 1 << 14

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
	auto   bool  // nobody chose the device: where it fails the tiles compute
	values int64 // of K
}

// chosen reports whether a device is to compute.
func (r remote) chosen() bool { return r.matrix != nil || r.err != nil }

// remote returns K between x and the columns on the device of the run. Columns are
// bound there when they are first needed: they do not know of runs when they are
// made. often is for several products.
func (c *Columns[T]) remote(ctl run.Control, x data.Source[T], often bool) remote {
	return c.remoteOn(c.resolve(ctl, x), ctl, x, often)
}

// remoteOn is remote for a device that has been resolved.
func (c *Columns[T]) remoteOn(device run.Device, ctl run.Control, x data.Source[T], often bool) remote {
	if device == run.CPU {
		return remote{}
	}
	b, ok := backends[device]
	if !ok {
		return remote{err: errBackend(device)}
	}
	r := remote{name: b.Name(), values: int64(x.Len()) * int64(c.Len()), auto: ctl.Device == run.Auto}
	vectors, ok := any(x).(data.Source[data.Vector])
	if !ok {
		ctl.Places.Fell("instances that are no vectors stay on the CPU")
		return remote{}
	}
	bound, err := c.bindOn(device, b)
	if bound != nil {
		r.matrix, err = bound.Against(vectors, often)
	}
	if bound == nil && err == nil {
		ctl.Places.Fell("this kernel on these vectors stays on the CPU")
		return remote{}
	}
	if err != nil && r.auto {
		ctl.Places.Fell(r.named(err).Error())
		return remote{}
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
		if r.auto {
			ctl.Places.Fell(r.named(err).Error())
			return false, nil
		}
		return true, r.named(err)
	}
	ctl.Counter.Add(r.values)
	ctl.Places.Add(r.name, r.values)
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
	}, func() bool { return allFinite(ctl, dst) })
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
