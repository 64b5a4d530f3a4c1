package gram_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// mapper is the naive back end with the ability to map.
type mapper struct{ naive }

func (b *mapper) Bind(f kernel.Form, y data.Source[data.Vector], p run.Precision) (compute.Bound, error) {
	bound, err := b.naive.Bind(f, y, p)
	if err != nil {
		return nil, err
	}
	return mapperBound{bound.(naiveBound)}, nil
}

type mapperBound struct{ naiveBound }

func (b mapperBound) Against(x data.Source[data.Vector], often bool) (compute.Matrix, error) {
	m, err := b.naiveBound.Against(x, often)
	return mapperMatrix{m.(naiveMatrix)}, err
}

type mapperMatrix struct{ naiveMatrix }

func (m mapperMatrix) Map64(
	ctx context.Context, _ run.Control, dst []float64, b *data.Matrix, _ bool,
) (finite bool, err error) {
	m.calls++
	finite = true
	for i := range m.x.Len() {
		for j := range b.Rows {
			v := m.row(i, b.Row(j))
			dst[i*b.Rows+j] = v
			finite = finite && v-v == 0
		}
	}
	return finite, ctx.Err()
}

func (m mapperMatrix) Map32(
	ctx context.Context, ctl run.Control, dst []float32, b *data.Matrix, lower bool,
) (finite bool, err error) {
	wide := make([]float64, len(dst))
	finite, err = m.Map64(ctx, ctl, wide, b, lower)
	for i, v := range wide {
		dst[i] = float32(v)
	}
	return finite, err
}

// TestMapThere: rows of K times B are the device's where it can map and there are enough rows; else the caller
// is told to.
func TestMapThere(t *testing.T) {
	const n, m = 40, 20
	x, b := points(n, 5), data.NewMatrix(m, m)
	for i := range b.Data {
		b.Data[i] = math.Sin(float64(i))
	}
	c := gram.Bind[data.Vector](kernel.Gaussian{Gamma: 0.2}, points(m, 5))
	k, err := c.Block(ctx, run.Control{Device: run.CPU}, x)
	if err != nil {
		t.Fatal(err)
	}
	device := &mapper{}
	defer gram.SetBackend(other, device)()
	defer gram.SetBackend(other+1, &naive{})()
	ctl := run.Control{Device: other, Counter: new(run.Counter), Places: new(run.Places)}
	dst, single := make([]float64, n*m), make([]float32, n*m)
	done, err := gram.MapThere(ctx, ctl, c, dst, x, b, false)
	if !done || err != nil || device.calls != 1 || ctl.Counter.Count() != n*m {
		t.Fatal(done, err, device.calls, ctl.Counter.Count())
	}
	if done, err = gram.MapThere(ctx, ctl, c, single, x, b, false); !done || err != nil {
		t.Fatal(done, err)
	}
	for at, got := range dst {
		want := 0.0
		for q, a := range b.Row(at % m) {
			want += a * k.Row(at / m)[q]
		}
		// 20 terms below 1.
		if !(math.Abs(got-want) <= 1e-13) || single[at] != float32(got) {
			t.Fatalf("feature %d is %v and %v, want %v", at, got, single[at], want)
		}
	}
	few := data.Range[data.Vector]{Of: x, Lo: 0, Hi: m - 1}
	for name, call := range map[string]func() (bool, error){
		"the CPU":    func() (bool, error) { return gram.MapThere(ctx, run.Control{Device: run.CPU}, c, dst, x, b, false) },
		"nobody":     func() (bool, error) { return gram.MapThere(ctx, run.Control{}, c, dst, x, b, false) },
		"few rows":   func() (bool, error) { return gram.MapThere(ctx, ctl, c, dst, few, b, false) },
		"no ability": func() (bool, error) { return gram.MapThere(ctx, run.Control{Device: other + 1}, c, dst, x, b, false) },
		"no number": func() (bool, error) {
			bad := &data.Matrix{Rows: m, Cols: m, Data: append([]float64(nil), b.Data...)}
			bad.Data[7] = math.NaN()
			return gram.MapThere(ctx, ctl, c, dst, x, bad, false)
		},
	} {
		if done, err := call(); done || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := gram.MapThere(ended, ctl, c, dst, x, b, false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if done, err := gram.MapThere(ctx, run.Control{Device: other + 2}, c, dst, x, b, false); !done || err == nil {
		t.Errorf("a device without a back end: %v, %v", done, err)
	}
}

// TestFillThere: K row by row is the device's where one was chosen.
func TestFillThere(t *testing.T) {
	const n, m = 9, 4
	x := points(n, 5)
	c := gram.Bind[data.Vector](kernel.Gaussian{Gamma: 0.2}, points(m, 5))
	device := &naive{}
	defer gram.SetBackend(other, device)()
	dst := make([]float32, n*m)
	if done, err := gram.FillThere(ctx, run.Control{Device: other}, c, dst, x); !done || err != nil || device.calls != 1 {
		t.Error(done, err, device.calls)
	}
	for _, d := range []run.Device{run.CPU, run.Auto} {
		if done, err := gram.FillThere(ctx, run.Control{Device: d}, c, dst, x); done || err != nil {
			t.Errorf("%v: %v, %v", d, done, err)
		}
	}
}
