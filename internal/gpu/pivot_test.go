package gpu

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/run"
)

// orthogonalised is the rank of K of some points.
func orthogonalised(ctx context.Context, b *Backend, y data.Source[data.Vector]) (rank int, err error) {
	bound, err := b.Bind(gaussian, y, run.Float64)
	if err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(bound)
	pivot, inverse, err := bound.(compute.Orthogonaliser).Orthogonalise(ctx, run.Control{Workers: 3}, 1e-9, 1e-10)
	if err == nil && inverse.Rows != len(pivot) {
		err = errors.New("an inverse of another size")
	}
	return len(pivot), err
}

// TestOrthogonaliseFaults: whatever call of the driver fails, also in the midst of the panels, the error comes back,
// what was taken is given back, and a context that has ended ends it.
func TestOrthogonaliseFaults(t *testing.T) {
	y := points(140, 9)
	methods := []string{"Alloc", "AllocHost", "CopyIn", "CopyOut", "CopyRowsOut", "Launch", "LaunchTogether", "Wait",
		"MemInfo", "NewStream", "NewEvent"}
	for _, method := range methods {
		for _, fault := range []cuda.Result{cuda.InvalidValue, cuda.LaunchFailed, cuda.OutOfMemory} {
			for at := 1; at < 40; at += 1 + at/4 {
				b, d := OnDouble(1 << 28)
				to := at
				if fault == cuda.OutOfMemory {
					to = at + 40 // it is tried again
				}
				d.Fail(method, at, to, fault)
				_, err := orthogonalised(ctx, b, y)
				if d.Calls(method) < at {
					break
				}
				var failed *cuda.Error
				if !errors.As(err, &failed) && !errors.Is(err, compute.ErrNoRoom) {
					t.Errorf("call %d of %s fails by %d: %v", at, method, fault, err)
				}
				if fault == cuda.LaunchFailed || b.device == nil {
					continue
				}
				if err := b.Drain(); err != nil {
					t.Fatal(err)
				}
				if _, streams := d.Taken(); streams != 0 || d.Events() != 0 {
					t.Errorf("call %d of %s fails by %d: %d streams and %d events are left", at, method, fault, streams,
						d.Events())
				}
			}
		}
	}
	rooms := 0
	for memory := uint64(1 << 23); memory > 1<<14; memory /= 2 {
		b, _ := OnDouble(memory)
		_, err := orthogonalised(ctx, b, y)
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
	if _, err := orthogonalised(ended, b, y); err != context.Canceled {
		t.Error(err)
	}
	if rank, err := orthogonalised(ctx, b, y); err != nil || rank != 140 {
		t.Errorf("rank %d, %v", rank, err)
	}
	bound, err := b.Bind(gaussian, y, run.Float32)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := bound.(compute.Orthogonaliser).Orthogonalise(ctx, run.Control{}, 1, 1); err == nil {
		t.Error("a factor in single precision")
	}
}

// TestOrthogonaliseLowRank: of few pivots the inverse does not keep the memory of all.
func TestOrthogonaliseLowRank(t *testing.T) {
	y := points(200, 3)
	for i := range y.Rows {
		copy(y.Row(i), y.Row(i%7))
	}
	b, _ := OnDouble(1 << 28)
	bound, err := b.Bind(gaussian, y, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	pivot, inverse, err := bound.(compute.Orthogonaliser).Orthogonalise(ctx, run.Control{}, 1e-9, 1e-10)
	if err != nil || len(pivot) != 7 || cap(inverse.Data) != 49 {
		t.Errorf("%v, an inverse of %d numbers, %v", pivot, cap(inverse.Data), err)
	}
}
