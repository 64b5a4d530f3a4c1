package gram_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// waving returns a matrix of bounded numbers.
func waving(rows, cols int, pace float64) *data.Matrix {
	m := data.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = math.Sin(pace * float64(i))
	}
	return m
}

func TestProductNormalMany(t *testing.T) {
	for _, size := range [][3]int{{0, 3, 1}, {1, 1, 1}, {7, 65, 3}, {700, 300, 2}, {2500, 40, 1}} {
		n, m, outputs := size[0], size[1], size[2]
		x, y := points(n, 4), points(m, 4)
		k := kernel.Gaussian{Gamma: 0.2}
		v, u, weight := waving(outputs, m, 1), waving(outputs, n, 2), waving(1, n, 3).Data
		for i := range weight {
			weight[i] += 1
		}
		for _, p := range []run.Precision{run.Float64, run.Float32} {
			c := gram.BindPrecision[data.Vector](k, y, p)
			for option := range 8 {
				a, b, w := v, u, weight
				if option&1 != 0 {
					a = nil
				}
				if option&2 != 0 {
					b = nil
				}
				if option&4 != 0 {
					w = nil
				}
				got := data.NewMatrix(outputs, m)
				var first []float64
				for _, workers := range []int{1, 2, 3} {
					for i := range got.Data {
						got.Data[i] = math.NaN()
					}
					if err := c.ProductNormalMany(ctx, run.Control{Workers: workers}, got, x, a, b, w); err != nil {
						t.Fatal(err)
					}
					if first == nil {
						first = slices.Clone(got.Data)
					}
					if !slices.Equal(first, got.Data) {
						t.Fatalf("%v %v: %d workers give other bits", size, p, workers)
					}
				}
				// In float32 values, sums of 300 and sums of a strip are off by 2⁻²⁴ a
				// term and more; terms are below 2·300.
				tolerance := 1e-12
				if p == run.Float32 {
					tolerance = 1e-5
				}
				for o := range outputs {
					want, scale := make([]float64, m), 0.0
					for i := range n {
						s := 0.0
						if a != nil {
							for j := range m {
								s += k.Eval(x.At(i), y.At(j)) * a.Row(o)[j]
							}
						}
						if b != nil {
							s += b.Row(o)[i]
						}
						if w != nil {
							s *= w[i]
						}
						scale += math.Abs(s)
						for j := range m {
							want[j] += s * k.Eval(x.At(i), y.At(j))
						}
					}
					for j := range m {
						near(t, "Kᵀ·C·(K·v + u)", got.Row(o)[j], want[j], tolerance*(1+scale))
					}
				}
			}
		}
	}
}

func TestProductMany(t *testing.T) {
	x, y := points(300, 4), points(130, 4)
	v := waving(3, 130, 1)
	for _, p := range []run.Precision{run.Float64, run.Float32} {
		c := gram.BindPrecision[data.Vector](kernel.Gaussian{Gamma: 0.2}, y, p)
		got := waving(3, 300, 1)
		if err := c.ProductMany(ctx, run.Control{}, got, x, v); err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 300)
		for k := range 3 {
			if err := c.Product(ctx, run.Control{}, want, x, v.Row(k)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want, got.Row(k)) {
				t.Fatalf("vector %d differs from Product", k)
			}
		}
	}
}

func TestProductManyEnds(t *testing.T) {
	x := points(300, 4)
	c := gram.Bind[data.Vector](kernel.Gaussian{Gamma: 0.2}, x)
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.ProductNormalMany(stopped, run.Control{}, data.NewMatrix(1, 300), x, nil, nil, nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	bad := gram.Bind[data.Vector](kernel.Func[data.Vector](func(x, y data.Vector) float64 { return math.NaN() }), x)
	var fault *gram.ValueError
	if err := bad.ProductNormalMany(ctx, run.Control{}, data.NewMatrix(1, 300), x, nil, nil, nil); !errors.As(err,
		&fault) {
		t.Errorf("no number: %v", err)
	}
	if err := bad.ProductMany(ctx, run.Control{}, data.NewMatrix(1, 300), x, data.NewMatrix(1, 300)); !errors.As(err,
		&fault) {
		t.Errorf("no number: %v", err)
	}
}

// TestAgainst: what is kept gives the bits of what is computed anew, and is
// computed once.
func TestAgainst(t *testing.T) {
	for _, p := range []run.Precision{run.Float32, run.Float64} {
		for _, memory := range []int64{0, 1 << 14} { // kept, and too large to keep
			x, y := points(211, 5), points(67, 5)
			counter := &run.Counter{}
			ctl := run.Control{Workers: 2, Memory: memory, Counter: counter}
			columns := gram.BindPrecision[data.Vector](kernel.Gaussian{Gamma: 0.3}, y, p)
			a := columns.Against(ctl, x)
			if a.Precision() != p {
				t.Errorf("precision %v, want %v", a.Precision(), p)
			}
			for pass := range 3 {
				v := data.NewMatrix(2, 67)
				for i := range v.Data {
					v.Data[i] = math.Sin(float64(i + 1 + pass*200))
				}
				got, want := data.NewMatrix(2, 67), data.NewMatrix(2, 67)
				if err := a.ProductNormalMany(t.Context(), ctl, got, v, nil, nil); err != nil {
					t.Fatal(err)
				}
				if err := columns.ProductNormalMany(t.Context(), run.Control{Workers: 1}, want, x, v, nil, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Fatalf("%v, memory %d, pass %d: kept values give another product", p, memory, pass)
				}
			}
			times := int64(1)
			if memory > 0 {
				times = 3
			}
			if counter.Count() != times*211*67 {
				t.Errorf("%v, memory %d: %d evaluations, want %d", p, memory, counter.Count(), times*211*67)
			}
		}
	}
}
