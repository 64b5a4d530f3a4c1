package kerftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Backend checks that blocks and products of a back end are those of the formula,
// in one precision, for every form that it supports. budget is the relative error
// that it may make: of Σ|a||b| for a sum of products, of the value for what is
// computed from it.
func Backend(t *testing.T, b compute.Backend, p run.Precision, budget float64) {
	supported, storages := 0, []string{"dense", "sparse", "wide", "mixed"}
	if testing.Short() {
		storages = storages[3:]
	}
	for _, form := range forms() {
		for _, storage := range storages {
			t.Run(fmt.Sprintf("%v/%s", form, storage), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(7, 8))
				for _, size := range []struct{ n, m, d int }{{1, 1, 0}, {2, 5, 1}, {7, 17, 8}, {70, 33, 9}, {3, 300, 5}} {
					x, y := vectors(rng, size.n, size.d+size.n%2, storage), vectors(rng, size.m, size.d, storage)
					if !b.Supports(form, y, p) {
						continue
					}
					supported++
					oracle := newOracle(form, x, y, budget)
					for _, often := range []bool{false, true} {
						m := against(t, b, form, y, p, x, often)
						oracle.blocks(t, m)
						oracle.products(t, m, rng)
						if mapper, ok := m.(compute.Mapper); ok && !often {
							oracle.features(t, mapper, rng)
						}
					}
				}
			})
		}
	}
	if supported == 0 {
		t.Errorf("%s supports nothing", b.Name())
	}
}

func against(
	t *testing.T, b compute.Backend, form kernel.Form, y data.Source[data.Vector], p run.Precision,
	x data.Source[data.Vector], often bool,
) compute.Matrix {
	t.Helper()
	bound, err := b.Bind(form, y, p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := bound.Against(x, often)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// oracle is K by the formula, with how far each value may be off.
type oracle struct {
	n, m        int
	k, slack    []float64
	budget      float64
	singleSlack float64 // what rounding to float32 adds, relative to the value
}

func newOracle(form kernel.Form, x, y data.Source[data.Vector], budget float64) *oracle {
	o := &oracle{n: x.Len(), m: y.Len(), budget: 64 * budget, singleSlack: 0x1p-24}
	for i := range o.n {
		for j := range o.m {
			k, slack := value(form, x.At(i), y.At(j), budget)
			o.k, o.slack = append(o.k, k), append(o.slack, slack)
		}
	}
	return o
}

func (o *oracle) blocks(t *testing.T, m compute.Matrix) {
	t.Helper()
	ctx := context.Background()
	double, check := guarded(t, o.n*o.m)
	single := make([]float32, o.n*o.m)
	if err := m.Block64(ctx, run.Control{}, double); err != nil {
		t.Fatal(err)
	}
	check()
	if err := m.Block32(ctx, run.Control{}, single); err != nil {
		t.Fatal(err)
	}
	for at, want := range o.k {
		if !(math.Abs(double[at]-want) <= o.slack[at]) {
			t.Fatalf("K(%d, %d) is %v, want %v within %v", at/o.m, at%o.m, double[at], want, o.slack[at])
		}
		if got := float64(single[at]); !(math.Abs(got-double[at]) <= o.singleSlack*math.Abs(double[at])+0x1p-149) {
			t.Fatalf("K(%d, %d) is %v in single and %v in double", at/o.m, at%o.m, got, double[at])
		}
	}
}

// products compares with sums of the oracle's values, with each of v, u and weight
// there or not, and asks twice for the same bits.
func (o *oracle) products(t *testing.T, m compute.Matrix, rng *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	const outputs = 3
	v := &data.Matrix{Rows: outputs, Cols: o.m, Data: random(rng, outputs*o.m)}
	u := &data.Matrix{Rows: outputs, Cols: o.n, Data: random(rng, outputs*o.n)}
	weight := make([]float64, o.n)
	for i := range weight {
		weight[i] = rng.Float64()
	}
	twice := func(cols int, call func(dst *data.Matrix) error) *data.Matrix {
		t.Helper()
		var all [2]*data.Matrix
		for k := range all {
			values, check := guarded(t, outputs*cols)
			all[k] = &data.Matrix{Rows: outputs, Cols: cols, Data: values}
			if err := call(all[k]); err != nil {
				t.Fatal(err)
			}
			check()
		}
		if !slices.Equal(all[0].Data, all[1].Data) {
			t.Fatal("the same product has other bits")
		}
		return all[0]
	}
	got := twice(o.n, func(dst *data.Matrix) error { return m.Product(ctx, run.Control{}, dst, v) })
	for k := range outputs {
		want, slack := o.times(v.Row(k))
		near(t, "K·v", got.Row(k), want, slack)
	}
	for _, c := range []struct {
		v, u   *data.Matrix
		weight []float64
	}{{v, u, weight}, {v, u, nil}, {v, nil, weight}, {v, nil, nil}, {nil, u, weight}, {nil, u, nil}} {
		got := twice(o.m, func(dst *data.Matrix) error {
			return m.ProductNormal(ctx, run.Control{}, dst, c.v, c.u, c.weight)
		})
		for k := range outputs {
			want, slack := o.normal(c.v, c.u, c.weight, k)
			near(t, "Kᵀ·C·(K·v+u)", got.Row(k), want, slack)
		}
	}
}

// features compares B·K's rows with sums of the oracle's values, for B of any shape and for a triangle.
func (o *oracle) features(t *testing.T, m compute.Mapper, rng *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	for _, c := range []struct {
		dim   int
		lower bool
	}{{1, false}, {min(o.m, 40) + 3, false}, {o.m, true}} {
		b := &data.Matrix{Rows: c.dim, Cols: o.m, Data: random(rng, c.dim*o.m)}
		for j := range b.Rows {
			if c.lower {
				clear(b.Row(j)[j+1:])
			}
		}
		double, check := guarded(t, o.n*c.dim)
		single := make([]float32, o.n*c.dim)
		finite, err := m.Map64(ctx, run.Control{}, double, b, c.lower)
		if err != nil || !finite {
			t.Fatal(err, finite)
		}
		check()
		if finite, err = m.Map32(ctx, run.Control{}, single, b, c.lower); err != nil || !finite {
			t.Fatal(err, finite)
		}
		for j := range b.Rows {
			want, slack := o.times(b.Row(j))
			for i := range want {
				if got := double[i*c.dim+j]; !(math.Abs(got-want[i]) <= slack[i]) {
					t.Fatalf("feature %d of %d is %v, want %v within %v", j, i, got, want[i], slack[i])
				}
				// A product in single precision is within the budget that a float32 has, of Σ|b||K|.
				within := slack[i]
				for k, a := range b.Row(j) {
					within += 64 * 34 * 0x1p-24 * math.Abs(a*o.k[i*o.m+k])
				}
				if got := float64(single[i*c.dim+j]); !(math.Abs(got-want[i]) <= within) {
					t.Fatalf("feature %d of %d is %v in single, want %v within %v", j, i, got, want[i], within)
				}
			}
		}
	}
}

func near(t *testing.T, what string, got, want, slack []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= slack[i]) {
			t.Fatalf("%s at %d is %v, want %v within %v", what, i, got[i], want[i], slack[i])
		}
	}
}

// times returns K·v. A term is off by the error of its value and by rounding.
func (o *oracle) times(v []float64) (sum, slack []float64) {
	sum, slack = make([]float64, o.n), make([]float64, o.n)
	for i := range o.n {
		for j, a := range v {
			k := o.k[i*o.m+j]
			sum[i] += k * a
			slack[i] += math.Abs(a) * (o.slack[i*o.m+j] + o.budget*math.Abs(k))
		}
	}
	return sum, slack
}

// normal returns Kᵀ·C·(K·v[k] + u[k]).
func (o *oracle) normal(v, u *data.Matrix, weight []float64, k int) (sum, slack []float64) {
	inner, off := make([]float64, o.n), make([]float64, o.n)
	if v != nil {
		inner, off = o.times(v.Row(k))
	}
	sum, slack = make([]float64, o.m), make([]float64, o.m)
	for i := range o.n {
		a, e := inner[i], off[i]
		if u != nil {
			a += u.Row(k)[i]
			e += o.budget * math.Abs(u.Row(k)[i])
		}
		if weight != nil {
			a *= weight[i]
			e *= weight[i]
		}
		for j := range o.m {
			value := o.k[i*o.m+j]
			sum[j] += value * a
			slack[j] += math.Abs(value)*(e+o.budget*math.Abs(a)) + math.Abs(a)*o.slack[i*o.m+j]
		}
	}
	return sum, slack
}
