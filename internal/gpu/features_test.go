package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/run"
)

// mapped is a matrix in single precision with a triangle to multiply it by.
func mapped(t *testing.T, memory uint64, n int) (*matrix[float32], *data.Matrix) {
	t.Helper()
	b, _ := OnDouble(memory)
	bound, err := b.Bind(gaussian, points(130, 5), run.Float32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bound.Against(points(n, 5), false)
	if err != nil {
		t.Fatal(err)
	}
	triangle := points(130, 130)
	for j := range triangle.Rows {
		clear(triangle.Row(j)[j+1:])
	}
	return m.(*matrix[float32]), triangle
}

// TestChunks: how many rows are made at a time, and by how many cores they are brought, changes no feature
// by more than its rounding, and none that is brought.
func TestChunks(t *testing.T) {
	const n = 1000
	m, b := mapped(t, 1<<30, n)
	want := make([]float32, n*b.Rows)
	if finite, err := m.Map32(ctx, run.Control{Workers: 1}, want, b, true); err != nil || !finite {
		t.Fatal(err, finite)
	}
	again := make([]float32, len(want))
	if _, err := m.Map32(ctx, run.Control{Workers: 7}, again, b, true); err != nil || !slices.Equal(again, want) {
		t.Errorf("other cores bring other bits: %v", err)
	}
	few, _ := mapped(t, 3<<20, n)
	if _, err := few.Map32(ctx, run.Control{}, again, b, true); err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		// The unit of pieces is that of the rows that are made at a time: K is off by 2^-20, and a sum of 130
		// terms of about 1 by less than 130 times that.
		if !(math.Abs(float64(again[i]-w)) <= 130*0x1p-20) {
			t.Fatalf("feature %d is %v where memory is short, and else %v", i, again[i], w)
		}
	}
}

// TestMapEnds: calls that are cancelled, run out of memory or fail at any time end with their error, whoever
// waits; and a feature that is not finite is told.
func TestMapEnds(t *testing.T) {
	const n = 400
	m, b := mapped(t, 1<<30, n)
	dst := make([]float32, n*b.Rows)
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := m.Map32(ended, run.Control{}, dst, b, true); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	b.Data[5*b.Cols] = math.Inf(1)
	if finite, err := m.Map32(ctx, run.Control{}, dst, b, true); err != nil || finite {
		t.Errorf("an infinite matrix: %v, %v", finite, err)
	}
	if finite, err := m.Map64(ctx, run.Control{}, make([]float64, len(dst)), b, true); err != nil || finite {
		t.Errorf("an infinite matrix in double: %v, %v", finite, err)
	}
	small, b := mapped(t, 300<<10, n)
	if _, err := small.Map32(ctx, run.Control{}, dst, b, true); !cuda.IsOutOfMemory(err) {
		t.Errorf("no memory: %v", err)
	}
	methods := []string{"CopyRowsOut", "Wait", "Launch", "Alloc", "AllocHost", "NewStream", "NewEvent", "Record",
		"WaitFor"}
	for _, method := range methods {
		for at := 1; at < 36; at += 7 {
			backend, d := OnDouble(3 << 20)
			made, err := backend.Bind(gaussian, points(130, 5), run.Float32)
			if err != nil {
				t.Fatal(err)
			}
			of, err := made.Against(points(n, 5), false)
			if err != nil {
				t.Fatal(err)
			}
			before := d.Calls(method)
			d.Fail(method, before+at, before+at, cuda.InvalidValue)
			_, err = of.(*matrix[float32]).Map32(ctx, run.Control{}, dst, b, true)
			var fault *cuda.Error
			if d.Calls(method) >= before+at && !errors.As(err, &fault) {
				t.Errorf("call %d of %s fails: %v", at, method, err)
			}
		}
	}
}

// TestHalf: the double's numbers of 16 bits are there and back the same.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		a := number(uint16(h))
		if a == a && (half(a) != a || bits(a) != uint16(h) && a != 0) {
			t.Fatalf("%#x is %v and comes back as %#x", h, a, bits(half(a)))
		}
	}
	for _, c := range []struct{ a, want float64 }{
		{1 + 0x1p-12, 1}, {1 + 3*0x1p-12, 1 + 0x1p-10}, {0x1p-26, 0}, {7e4, math.Inf(1)},
	} {
		if got := half(c.a); got != c.want {
			t.Errorf("%v is rounded to %v, want %v", c.a, got, c.want)
		}
	}
}

// TestUnit: no sum of products hi·hi, norms included, is above 2^23 units squared, hi is a number of 16 bits, and
// pieces are not used where squared distances may be lost.
func TestUnit(t *testing.T) {
	m, _ := mapped(t, 1<<30, 10)
	for _, largest := range []float64{0, 1e-30, 0x1p-9, 0.7, 3, 40, m.gaussWeight()} {
		unit := m.unitOf(largest)
		if f, _ := math.Frexp(unit); f != 0.5 || 2*largest > 0x1p23*unit*unit || math.Sqrt(2*largest)/unit > 0x1p12 {
			t.Errorf("the unit of %v is %v", largest, unit)
		}
	}
	for _, largest := range []float64{m.gaussWeight() * 1.001, math.Inf(1), math.NaN()} {
		if m.unitOf(largest) != 0 {
			t.Errorf("there are pieces for norms of %v", largest)
		}
	}
}
