package gram

import (
	"context"
	"sync/atomic"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// FillThere sets dst[i·m+j] = K(x_i, y_j) on the device of the run. done is false where the caller has to:
// there is no such device, it does not support the kernel, or some value is not finite. A device that nobody
// chose is used where rows come back sooner than the cores compute them.
func FillThere[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []F, x data.Source[T],
) (done bool, err error) {
	if ctl.Device == run.Auto && !c.rowsPay(ctl, x) {
		return false, nil
	}
	return remoteBlock(ctx, ctl, c.remote(ctl, x, false), dst)
}

// rowsPay reports whether rows of K that come back whole come sooner than the cores compute them.
func (c *Columns[T]) rowsPay(ctl run.Control, x data.Source[T]) bool {
	b, ok := backends[c.resolve(ctl, x)].(interface{ RowsPay(dim int) bool })
	vectors, isVector := any(c.y).(data.Source[data.Vector])
	return !ok || !isVector || b.RowsPay(data.Dim(vectors))
}

// MapThere sets dst[i·dim+j] = Σ_k b[j][k]·K(x_i, y_k) for a matrix b of dim rows on the device of the run,
// like FillThere. lower says that b[j][k] = 0 for k > j. The product is in the precision of dst, but in
// double where K is. Fewer rows than b has stay with the caller: to bring b takes as long.
func MapThere[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, c *Columns[T], dst []F, x data.Source[T], b *data.Matrix, lower bool,
) (done bool, err error) {
	device := ctl.Device
	if device == run.Auto {
		device = c.resolveMap(dst, x, b)
	}
	if x.Len() < b.Rows || device == run.CPU {
		return false, nil
	}
	r := c.remoteOn(device, ctl, x, false)
	mapper, ok := r.matrix.(compute.Mapper)
	if r.matrix != nil && !ok {
		return false, nil
	}
	finite := false
	return r.try(ctx, ctl, func(ctl run.Control) (err error) {
		if single, ok := any(dst).([]float32); ok {
			finite, err = mapper.Map32(ctx, ctl, single, b, lower)
		} else {
			finite, err = mapper.Map64(ctx, ctl, any(dst).([]float64), b, lower)
		}
		return err
	}, func() bool { return finite })
}

// resolveMap returns the device that maps where nobody chose: a GPU for large work, in double only where it is
// made for that.
func (c *Columns[T]) resolveMap(dst any, x data.Source[T], b *data.Matrix) run.Device {
	_, isVector := any(c.y).(data.Source[data.Vector])
	if without != "" || !isVector || float64(x.Len())*float64(len(b.Data)) < autoWork {
		return run.CPU
	}
	_, single := dst.([]float32)
	o, ok := backends[auto].(opener)
	if !ok || o.Open() != nil || !(single && c.precision == run.Float32) && !o.FastDouble() {
		return run.CPU
	}
	return auto
}

// finiteBlock is how many values are looked at by one call of a worker.
const finiteBlock = 1 << 20

// allFinite reports whether all values are.
func allFinite[F float32 | float64](ctl run.Control, values []F) bool {
	var found atomic.Bool
	err := par.For(context.Background(), ctl.Quiet(), "", par.Blocks(len(values), finiteBlock), func(i int) error {
		lo, hi := par.Range(i, len(values), finiteBlock)
		if vmath.Finite(values[lo:hi]) >= 0 {
			found.Store(true)
		}
		return nil
	})
	return err == nil && !found.Load()
}
