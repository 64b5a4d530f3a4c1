package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/cuda/double"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

var gaussian = kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.3}}

func points(n, d int) *data.Matrix {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	m := data.NewMatrix(n, d)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// results computes everything that a matrix can be asked for, twice, so that K is kept
// where it may be.
func results(m *matrix[float64]) (out [][]float64, err error) {
	v, u, w := points(3, m.m), points(3, m.n), points(1, m.n)
	for range 2 {
		block := make([]float64, m.n*m.m)
		product, normal := data.NewMatrix(3, m.n), data.NewMatrix(3, m.m)
		err = errors.Join(err, m.Block64(ctx, run.Control{}, block), m.Product(ctx, run.Control{}, product, v),
			m.ProductNormal(ctx, run.Control{}, normal, v, u, w.Data))
		features, b := make([]float64, m.n*m.m), points(m.m, m.m)
		finite, e := m.Map64(ctx, run.Control{}, features, b, false)
		if err = errors.Join(err, e); err == nil && !finite {
			err = errNotFinite
		}
		out = append(out, block, product.Data, normal.Data, features)
	}
	return out, err
}

func against(t *testing.T, b *Backend, x, y data.Source[data.Vector]) *matrix[float64] {
	t.Helper()
	bound, err := b.Bind(gaussian, y, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bound.Against(x, true)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*matrix[float64])
}

// TestStreamed: rows that come in chunks, or a K that is not kept, change no bit of
// what is computed from tiles; a kept K changes rounding alone.
func TestStreamed(t *testing.T) {
	const n, m, d, chunk = 700, 130, 6, 256
	x, y := points(n, d), points(m, d)
	plenty, _ := OnDouble(1 << 30)
	whole := against(t, plenty, x, y)
	whole.chunk = chunk
	if whole.rows == nil {
		t.Fatal("rows are streamed though there is room")
	}
	want, err := results(whole)
	if err != nil {
		t.Fatal(err)
	}
	if whole.kept == nil || slices.Contains(whole.full, false) {
		t.Error("K is not kept though there is room")
	}
	streamed := against(t, plenty, x, y)
	streamed.rows, streamed.chunk = nil, chunk
	got, err := results(streamed)
	if err != nil {
		t.Fatal(err)
	}
	for r := range want {
		if streamed.kept == nil || !slices.Equal(want[r], got[r]) {
			t.Errorf("result %d has other bits where rows are streamed", r)
		}
	}
	tight, _ := OnDouble(2400 << 10) // K takes 1.4 MB, and may take half of what is free
	narrow := against(t, tight, x, y)
	narrow.chunk = chunk
	got, err = results(narrow)
	if err != nil {
		t.Fatal(err)
	}
	if narrow.kept != nil {
		t.Error("K is kept though there is no room")
	}
	for r := range want {
		for i, w := range want[r] {
			if !(math.Abs(got[r][i]-w) <= 1e-12*(1+math.Abs(w))) { // sums of 700 terms below 10
				t.Fatalf("number %d of result %d is %v, want %v", i, r, got[r][i], w)
			}
		}
	}
}

// TestMemory: with less and less memory rows are streamed, then there is an error that
// says what could not be taken; never anything else.
func TestMemory(t *testing.T) {
	const n, m, d = 700, 40, 20
	x, y := points(n, d), points(m, d)
	plenty, _ := OnDouble(1 << 30)
	want, err := results(against(t, plenty, x, y))
	if err != nil {
		t.Fatal(err)
	}
	streamed, failed := 0, 0
	for memory := uint64(1 << 21); memory > 1000; memory = memory * 4 / 5 {
		b, _ := OnDouble(memory)
		bound, err := b.Bind(gaussian, y, run.Float64)
		var got [][]float64
		if err == nil {
			made, fault := bound.Against(x, true)
			if err = fault; err == nil {
				a := made.(*matrix[float64])
				if a.rows == nil {
					streamed++
				}
				a.chunk = 256
				got, err = results(a)
			}
		}
		if err != nil {
			failed++
			if !cuda.IsOutOfMemory(err) || !strings.Contains(err.Error(), "bytes of Double") {
				t.Errorf("%d bytes: %v", memory, err)
			}
			continue
		}
		for r := range want {
			for i, w := range want[r] {
				if !(math.Abs(got[r][i]-w) <= 1e-12*(1+math.Abs(w))) {
					t.Fatalf("%d bytes: number %d of result %d is %v, want %v", memory, i, r, got[r][i], w)
				}
			}
		}
	}
	if streamed == 0 || failed == 0 {
		t.Errorf("%d streamed, %d failed", streamed, failed)
	}
}

// TestFaults: whatever call of the driver fails, the error comes back, and the next
// call works unless the device is lost.
func TestFaults(t *testing.T) {
	x, y := points(300, 4), points(20, 4)
	for _, method := range []string{"Alloc", "AllocHost", "CopyIn", "CopyOut", "CopyRowsOut", "NewStream", "Launch",
		"Wait", "Load", "Function", "Shared", "SetCurrent", "MemInfo"} {
		for at := 1; at < 60; at++ {
			b, d := OnDouble(1 << 24)
			d.Fail(method, at, at, cuda.InvalidValue)
			m, err := bindAgainst(b, x, y)
			if err == nil {
				_, err = results(m)
			}
			if d.Calls(method) < at {
				if at == 1 {
					t.Errorf("%s is never called", method)
				}
				break
			}
			var fault *cuda.Error
			another := method == "Load" && Built && err == nil // image of the module, which does as well
			if !errors.As(err, &fault) && !another {
				t.Errorf("call %d of %s fails: %v", at, method, err)
			}
			m, err = bindAgainst(b, x, y)
			if err == nil {
				_, err = results(m)
			}
			if err != nil {
				t.Errorf("after call %d of %s failed: %v", at, method, err)
			}
		}
	}
	b, d := OnDouble(1 << 24)
	d.Fail("Wait", 7, 7, cuda.LaunchFailed)
	for range 2 {
		m, err := bindAgainst(b, x, y)
		if err == nil {
			_, err = results(m)
		}
		if err == nil || !strings.Contains(err.Error(), "719") {
			t.Errorf("a lost device: %v", err)
		}
	}
}

func bindAgainst(b *Backend, x, y data.Source[data.Vector]) (*matrix[float64], error) {
	bound, err := b.Bind(gaussian, y, run.Float64)
	if err != nil {
		return nil, err
	}
	m, err := bound.Against(x, true)
	if err != nil {
		return nil, err
	}
	return m.(*matrix[float64]), nil
}

// TestCancelled: a context that has ended ends the call, and the slots are fit for
// another.
func TestCancelled(t *testing.T) {
	b, _ := OnDouble(1 << 24)
	m := against(t, b, points(300, 4), points(20, 4))
	ended, stop := context.WithCancel(ctx)
	stop()
	if err := m.Product(ended, run.Control{}, data.NewMatrix(1, 300), points(1, 20)); err != context.Canceled {
		t.Error(err)
	}
	if _, err := results(m); err != nil {
		t.Error(err)
	}
}

// TestNarrow: a Gaussian kernel that is narrow beside the data is computed with care for
// close points.
func TestNarrow(t *testing.T) {
	b, d := OnDouble(1 << 24)
	x := data.NewMatrix(200, 3)
	for i := range x.Rows {
		x.Row(i)[0] = float64(i) * 1e-3
		x.Row(i)[1] = float64(i%2) * 50
	}
	form := kernel.Form{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -500}}
	bound, err := b.Bind(form, x, run.Float32)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bound.Against(x, true)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 200*200)
	if err := m.Block64(ctx, run.Control{}, got); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		for j := range 200 {
			// Coordinates of 25 are rounded by 25·2⁻²⁴ three times; 2·√(g·d²)·√g times that is below
			// 2·22·4.5e-6 for d of the kernel's width.
			if want := form.Map.At(x.At(i).Distance2(x.At(j))); !(math.Abs(got[i*200+j]-want) <= 2e-4) {
				t.Fatalf("K(%d, %d) is %v, want %v", i, j, got[i*200+j], want)
			}
		}
	}
	if d.Calls("Launch") == 0 {
		t.Error("nothing was computed there")
	}
}

// TestSupports: what has no rows of numbers, and functions of counts, stay on the CPU.
func TestSupports(t *testing.T) {
	b, _ := OnDouble(1 << 24)
	wide, err := data.Sparse([]int32{3, 9999}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	sparse := data.Slice[data.Vector]{wide, wide, wide}
	subsets := kernel.Form{Map: kernel.Scalar{Op: kernel.Subsets, A: 1, P: 2}}
	for _, c := range []struct {
		form kernel.Form
		y    data.Source[data.Vector]
		want bool
	}{
		{gaussian, points(3, 2), true}, {gaussian, sparse, false}, {subsets, points(3, 2), false},
		{gaussian, points(3, 0), false}, {gaussian, data.NewMatrix(0, 0), false}, {gaussian, points(1, maxDim+1), false},
	} {
		if got := b.Supports(c.form, c.y, run.Float64); got != c.want {
			t.Errorf("%v, %d×%d: %v", c.form, c.y.Len(), data.Dim(c.y), got)
		}
	}
}

// TestNone: without a device Bind says why, each time.
func TestNone(t *testing.T) {
	d := double.New(0)
	d.Fail("Init", 1, 9, cuda.NoDevice)
	b := &Backend{open: func() (*cuda.Device, error) { return cuda.New(d, 0) }}
	for range 2 {
		if _, err := b.Bind(gaussian, points(2, 2), run.Float32); err == nil || !strings.Contains(err.Error(), "no GPU") {
			t.Error(err)
		}
	}
	if b.Name() != "GPU" {
		t.Error(b.Name())
	}
}
