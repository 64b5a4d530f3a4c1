package gpu_test

import (
	"testing"

	"github.com/kerf-ml/kerf/internal/gpu"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/run"
)

// TestDouble runs the suite of back ends on the driver's double: all but the arithmetic
// of a device. On a device package gram runs it.
func TestDouble(t *testing.T) {
	b, d := gpu.OnDouble(1 << 30)
	kerftest.Backend(t, b, run.Float64, 34*0x1p-53)
	kerftest.Backend(t, b, run.Float32, 34*0x1p-24)
	kerftest.Factors(t, b)
	kerftest.Orthogonal(t, b)
	kerftest.Solver(t, b, run.Float64, 34*0x1p-53)
	kerftest.Solver(t, b, run.Float32, 34*0x1p-24)
	if err := b.Drain(); err != nil {
		t.Fatal(err)
	}
	if _, streams := d.Taken(); streams != 0 {
		t.Errorf("%d streams are left", streams)
	}
}
