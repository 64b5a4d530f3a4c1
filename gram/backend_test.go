package gram_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// other is a device that this program has no back end for but in tests.
const other run.Device = 200

// budgets has the relative error of a sum that each back end may make. A sum of
// n ≤ 34 products in any order is within n·2⁻⁵³ of Σ|a||b|, in single precision
// n·2⁻²⁴.
var budgets = map[run.Device]map[run.Precision]float64{
	run.CPU: {run.Float64: 34 * 0x1p-53, run.Float32: 34 * 0x1p-24},
	run.GPU: {run.Float64: 34 * 0x1p-53, run.Float32: 34 * 0x1p-24},
}

// TestBackends runs the suite on every back end, of GPUs on the first.
func TestBackends(t *testing.T) {
	for device, b := range gram.Backends {
		if device > run.GPU {
			continue
		}
		for _, p := range []run.Precision{run.Float64, run.Float32} {
			budget, ok := budgets[device][p]
			if !ok {
				t.Errorf("%v has no budget in %v", device, p)
			}
			t.Run(device.String()+"/"+p.String(), func(t *testing.T) {
				if err := gram.Opens(b); err != nil {
					t.Skipf("not run: %v", err)
				}
				kerftest.Backend(t, b, p, budget)
				kerftest.Solver(t, b, p, budget)
				if p == run.Float64 {
					kerftest.Factors(t, b)
					kerftest.Orthogonal(t, b)
				}
			})
		}
	}
}

// TestNaiveBackend holds the suite itself to an implementation from the formula.
func TestNaiveBackend(t *testing.T) { kerftest.Backend(t, &naive{}, run.Float64, 34*0x1p-53) }

// results computes everything that a back end can be asked for.
func results(t *testing.T, ctl run.Control, k kernel.Kernel[data.Vector], x, y data.Source[data.Vector]) [][]float64 {
	t.Helper()
	var out [][]float64
	keep := func(values []float64, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, values)
	}
	n, m := x.Len(), y.Len()
	rng := rand.New(rand.NewPCG(3, 5))
	draw := func(rows, cols int) *data.Matrix {
		d := data.NewMatrix(rows, cols)
		for i := range d.Data {
			d.Data[i] = rng.NormFloat64()
		}
		return d
	}
	v, u, weight := draw(2, m), draw(2, n), draw(1, n)
	c := gram.Bind(k, y)

	block, err := c.Block(ctx, ctl, x)
	keep(block.Data, err)
	single, err := c.Block32(ctx, ctl, x)
	wide := make([]float64, len(single))
	for i, s := range single {
		wide[i] = float64(s)
	}
	keep(wide, err)
	dst := make([]float64, n)
	keep(dst, c.Product(ctx, ctl, dst, x, v.Row(0)))
	dst = make([]float64, m)
	keep(dst, transposed(c, ctl, dst, x, u.Row(0)))
	dst = make([]float64, m)
	keep(dst, c.ProductNormalMany(ctx, ctl, row(dst), x, row(v.Row(0)), nil, nil))
	many := data.NewMatrix(2, n)
	keep(many.Data, c.ProductMany(ctx, ctl, many, x, v))
	many = data.NewMatrix(2, m)
	keep(many.Data, c.ProductNormalMany(ctx, ctl, many, x, v, u, weight.Data))
	many = data.NewMatrix(2, m)
	keep(many.Data, c.Against(ctl, x).ProductNormalMany(ctx, ctl, many, v, u, weight.Data))
	g, err := gram.Symmetric(ctx, ctl, k, x)
	keep(g.Data, err)
	cache, err := gram.NewRowCache[data.Vector, float64](ctl, k, x, 2)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, 2)
	err = cache.Rows(ctx, rows, []int{n - 1, 0})
	keep(append(append([]float64(nil), rows[0]...), rows[1]...), err)
	return out
}

// TestDevice: what a device supports is computed there, and counted; what it does
// not, by the tiles of the CPU, to the bit.
func TestDevice(t *testing.T) {
	const n, m = 90, 40
	x, y := points(n, 5), points(m, 5)
	for _, c := range []struct {
		k     vectors
		calls int
	}{
		{kernel.Gaussian{Gamma: 0.2}, 10},
		{kernel.NewPolynomial(2), 10},
		{kernel.Laplacian{Gamma: 0.2}, 0},
		{blackBox(kernel.Gaussian{Gamma: 0.2}), 0},
	} {
		b := &naive{}
		restore := gram.SetBackend(other, b)
		var here, there run.Counter
		want := results(t, run.Control{Counter: &here}, c.k, x, y)
		got := results(t, run.Control{Counter: &there, Device: other}, c.k, x, y)
		restore()
		if b.calls != c.calls {
			t.Errorf("%v: %d calls, want %d", c.k, b.calls, c.calls)
		}
		if c.calls > 0 && b.binds != 3 { // the columns once, Symmetric, the cache
			t.Errorf("%v: bound %d times", c.k, b.binds)
		}
		if c.calls == 0 && here.Count() != there.Count() {
			t.Errorf("%v: %d evaluations, want %d", c.k, there.Count(), here.Count())
		}
		if full := here.Count() + n*(n-1)/2; c.calls > 0 && there.Count() != full { // Symmetric is not mirrored
			t.Errorf("%v: %d evaluations, want %d", c.k, there.Count(), full)
		}
		for r := range want {
			for i, w := range want[r] {
				// 130 terms below 40 with weights of about 1, and 1 rounding to single.
				within := 1e-9 * (1 + math.Abs(w))
				if r == 1 {
					within = 0x1p-23 * math.Abs(w)
				}
				if c.calls == 0 {
					within = 0
				}
				if !(math.Abs(got[r][i]-w) <= within) {
					t.Fatalf("%v: number %d of result %d is %v, want %v", c.k, i, r, got[r][i], w)
				}
			}
		}
	}
}

func TestDeviceFaults(t *testing.T) {
	defer gram.SetBackend(other, &naive{})()
	ctl := run.Control{Device: other}
	x := points(30, 2)
	dst, v := make([]float64, 30), make([]float64, 30)

	// A value that is no number is named, whether it is seen in a block or in sums.
	huge := data.Slice[data.Vector]{data.Dense(0, 2), data.Dense(1e200, 0), data.Dense(0, 1)}
	c := gram.Bind(vectors(kernel.NewPolynomial(3)), data.Source[data.Vector](huge))
	var value *gram.ValueError
	if _, err := c.Block(ctx, ctl, huge); !errors.As(err, &value) || value.Row != 1 || value.Col != 1 {
		t.Errorf("block: %v", err)
	}
	if err := c.Product(ctx, ctl, dst[:3], huge, []float64{1, 1, 1}); !errors.As(err, &value) {
		t.Errorf("product: %v", err)
	}
	// Sums that are no numbers though K is finite are no fault of the kernel.
	c = gram.Bind(vectors(kernel.Gaussian{Gamma: 1}), x)
	v[3] = math.Inf(1)
	if err := c.Product(ctx, ctl, dst, x, v); err != nil || !math.IsInf(dst[3], 1) {
		t.Errorf("infinite weight: %v, %v", dst[3], err)
	}

	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := c.Block(cancelled, ctl, x); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	thirteen := points(4, 13)
	if _, err := gram.Bind(vectors(kernel.Linear{}), thirteen).Block(ctx, ctl, thirteen); err == nil ||
		!strings.Contains(err.Error(), "naive: thirteen") {
		t.Errorf("a back end that fails: %v", err)
	}
	if _, err := c.Block(ctx, run.Control{Device: other + 1}, x); err == nil {
		t.Error("a device without a back end computes")
	}
	if _, err := c.Block(ctx, run.Control{Device: run.CPU}, x); err != nil {
		t.Error(err)
	}
}
