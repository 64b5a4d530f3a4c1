package gpu

import (
	"context"
	"errors"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/run"
)

// factored factors, solves and multiplies.
func factored(ctx context.Context, b *Backend, y data.Source[data.Vector]) error {
	bound, err := b.Bind(gaussian, y, run.Float64)
	if err != nil {
		return err
	}
	f, err := bound.(compute.Factorer).Factor(ctx, run.Control{}, 1e-3)
	if err != nil {
		return err
	}
	defer f.Release()
	g, err := f.Inner(ctx, run.Control{}, 1, 1e-3)
	if err != nil {
		return err
	}
	defer g.Release()
	x := points(2, y.Len())
	return errors.Join(f.Solve(ctx, x, false), g.Solve(ctx, x, true), f.MulTransposed(ctx, x))
}

// TestFactorFaults: whatever call of the driver fails, the error comes back, what was taken is given
// back, and a context that has ended ends it.
func TestFactorFaults(t *testing.T) {
	y := points(140, 2)
	for _, method := range []string{"Alloc", "AllocHost", "CopyIn", "CopyOut", "Launch", "Wait", "MemInfo"} {
		for at := 1; at < 25; at++ {
			b, d := OnDouble(1 << 28)
			d.Fail(method, at, at, cuda.InvalidValue)
			err := factored(ctx, b, y)
			if d.Calls(method) < at {
				break
			}
			var fault *cuda.Error
			if !errors.As(err, &fault) {
				t.Errorf("call %d of %s fails: %v", at, method, err)
			}
		}
	}
	rooms := 0
	for memory := uint64(1 << 22); memory > 1<<14; memory /= 2 {
		b, _ := OnDouble(memory)
		err := factored(ctx, b, y)
		if errors.Is(err, compute.ErrNoRoom) {
			rooms++
		} else if err != nil && !cuda.IsOutOfMemory(err) {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
	if rooms == 0 {
		t.Error("there is always room")
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	b, _ := OnDouble(1 << 28)
	if err := factored(ended, b, y); err != context.Canceled {
		t.Error(err)
	}
	bound, err := b.Bind(gaussian, y, run.Float32)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bound.(compute.Factorer).Factor(ctx, run.Control{}, 1); err == nil {
		t.Error("a factor in single precision")
	}
}
