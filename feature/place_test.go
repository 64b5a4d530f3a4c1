package feature_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// TestDirect: inner products of the placed sample are the kernel's, duplicates
// and dependent instances included, and a new instance keeps its inner products
// with the sample.
func TestDirect(t *testing.T) {
	x := append(points(65, 3, 12), points(20, 3, 12)...)
	for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.5}, kernel.Linear{}, kernel.NewPolynomial(2),
		kernel.Laplacian{Gamma: 0.5}} {
		m, err := feature.NewDirect(k).Fit(ctx, x)
		check(t, err)
		if _, ok := m.(*feature.Orthogonal[data.Vector]); !ok {
			t.Fatalf("the map is a %T", m)
		}
		kerftest.Map(t, m, x)
		places, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		for i := range x {
			for j := range x {
				got, want := vmath.Dot(places.Row(i), places.Row(j)), k.Eval(x[i], x[j])
				if size := math.Sqrt(k.Eval(x[i], x[i]) * k.Eval(x[j], x[j])); math.Abs(got-want) > 1e-9*max(1, size) {
					t.Fatalf("%v: places have %v, K is %v", k, got, want)
				}
			}
		}
		for _, p := range points(5, 3, 13) {
			for i := range x {
				if got, want := vmath.Dot(image(m, p), places.Row(i)), k.Eval(p, x[i]); math.Abs(got-want) > 1e-6*max(1,
					math.Abs(want)) {
					t.Fatalf("%v: a new instance has %v with instance %d, K is %v", k, got, i, want)
				}
			}
		}
	}
}

// TestDirectProjected is theorem 2 for all pairs of the placed sample: with the
// dimension of bound.PairsDim squared distances stay within 1±g.
func TestDirectProjected(t *testing.T) {
	const g = 0.5
	x, k := points(30, 3, 14), kernel.Gaussian{Gamma: 0.5}
	dim, err := bound.PairsDim(g, 0.99, len(x))
	check(t, err)
	for _, recipe := range []project.Recipe{project.Gaussian{Dim: dim, Seed: 1}, project.Sign{Dim: dim, Seed: 2}} {
		direct := feature.NewDirect[data.Vector](k)
		direct.Projection = recipe
		m, err := direct.Fit(ctx, x)
		check(t, err)
		if _, ok := m.(*feature.Compressed[data.Vector]); !ok || m.Dim() != dim {
			t.Fatalf("the map is a %T of %d features", m, m.Dim())
		}
		kerftest.Map(t, m, x)
		places, err := feature.Apply(ctx, run.Control{}, m, x)
		check(t, err)
		for i := range x {
			for j := range i {
				want := 2 - 2*k.Eval(x[i], x[j])
				if got := places.At(i).Distance2(places.At(j)); got < (1-g)*want || got > (1+g)*want {
					t.Fatalf("a squared distance of %v became %v", want, got)
				}
			}
		}
	}
}

// TestDirectIsF2 on all of the data: nothing is drawn but what F2 would draw.
func TestDirectIsF2(t *testing.T) {
	x, k := points(40, 2, 15), kernel.Gaussian{Gamma: 1}
	m, err := feature.NewDirect[data.Vector](k).Fit(ctx, x)
	check(t, err)
	f2, err := feature.NewF2[data.Vector](k, 40).FitTo(ctx, x)
	check(t, err)
	if !slices.Equal(applied(t, m, x), applied(t, f2, x)) {
		t.Error("the places are not F2's")
	}
}

func TestDirectFaults(t *testing.T) {
	x := points(5, 2, 1)
	k := kernel.Gaussian{Gamma: 1}
	projected := feature.NewDirect[data.Vector](k)
	projected.Projection = project.Gaussian{Dim: 0}
	for name, r := range map[string]feature.Direct[data.Vector]{
		"no kernel": {}, "tolerance": {Kernel: k,
			Tolerance: 1}, "kernel": {Kernel: kernel.Gaussian{}}, "projection": projected,
		"not a kernel": feature.NewDirect[data.Vector](kernel.Func[data.Vector](func(a,
			b data.Vector) float64 {
			return -a.Distance2(b)
		})),
	} {
		if m, err := r.Fit(ctx, x); err == nil || m != nil {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	direct := feature.NewDirect[data.Vector](k)
	if m, err := direct.Fit(ctx, data.Slice[data.Vector]{}); err == nil || m != nil {
		t.Error("no sample passes")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if m, err := direct.Fit(cancelled, x); !errors.Is(err, context.Canceled) || m != nil {
		t.Errorf("cancelled: %v, %v", m, err)
	}
	direct.Run.Memory = 100
	var memory *run.MemoryError
	if m, err := direct.Fit(ctx, x); !errors.As(err, &memory) || m != nil {
		t.Errorf("memory: %v, %v", m, err)
	}
}

// XOR placed by a kernel of degree 2: four points of the plane, three of them
// independent in its feature space.
func ExampleDirect() {
	k := kernel.Polynomial{Degree: 2, Gamma: 1}
	x := data.Slice[data.Vector]{data.Dense(1, 1), data.Dense(-1, 1), data.Dense(2, 1), data.Dense(1, 2)}
	m, err := feature.NewDirect[data.Vector](k).Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b := make([]float64, m.Dim()), make([]float64, m.Dim())
	m.MapTo(a, x[2])
	m.MapTo(b, x[3])
	fmt.Printf("%d features, inner product %.0f, kernel %.0f\n", m.Dim(), vmath.Dot(a, b), k.Eval(x[2], x[3]))
	// Output: 3 features, inner product 16, kernel 16
}
