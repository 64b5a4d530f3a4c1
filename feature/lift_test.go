package feature_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/margin"
)

func lift[T any](t testing.TB, m feature.Map[T], unit float64) *feature.Lift[T] {
	t.Helper()
	l, err := feature.NewLift(m, unit)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLift is the definition, and conformance with an inner map that maps blocks
// and one that does not.
func TestLift(t *testing.T) {
	for _, n := range []int{1, 7, 63, 64, 65, 130} {
		x := points(n, 3, 9)
		f2, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.5}, 20).Fit(ctx, x)
		check(t, err)
		for _, unit := range []float64{0.5, 1, 3} {
			kerftest.Map(t, lift[data.Vector](t, f2, unit), x)
			m := lift[data.Vector](t, feature.Identity{Width: 3}, unit)
			kerftest.Map(t, m, x)
			if m.Dim() != 4 || m.Unit() != unit || m.Inner() != feature.Map[data.Vector](feature.Identity{Width: 3}) {
				t.Fatalf("%d features, unit %v of %v", m.Dim(), m.Unit(), m.Inner())
			}
			for i, row := 0, applied(t, m, x); i < n; i, row = i+1, row[4:] {
				for j, want := range append(image[data.Vector](feature.Identity{Width: 3}, x[i]), unit) {
					if want /= math.Sqrt(1 + unit*unit); math.Abs(row[j]-want) > 4e-16*math.Abs(want) {
						t.Fatalf("feature %d of row %d is %v, want %v", j, i, row[j], want)
					}
				}
			}
		}
	}
}

// TestLiftOfNothing lifts a map without features.
func TestLiftOfNothing(t *testing.T) {
	kerftest.Map(t, lift[data.Vector](t, feature.Identity{}, 1), points(65, 2, 1))
}

// TestLiftKernel: the kernel of package kernel's parts is the inner product of
// lifted features, is normalised where the inner one is, and makes the same F2.
func TestLiftKernel(t *testing.T) {
	x := points(12, 3, 2)
	for _, inner := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 0.5}, kernel.Linear{},
		kernel.NewPolynomial(2)} {
		for _, unit := range []float64{0.3, 1, 2} {
			k, err := feature.LiftKernel(inner, unit)
			check(t, err)
			kerftest.Kernel(t, k, x)
			f2, err := feature.NewF2(inner, 12).FitTo(ctx, x)
			check(t, err)
			m := lift[data.Vector](t, f2, unit)
			lifted, err := feature.NewF2(k, 12).FitTo(ctx, x)
			check(t, err)
			for _, p := range x {
				for _, q := range x {
					want := (inner.Eval(p, q) + unit*unit) / (1 + unit*unit)
					size := (math.Sqrt(inner.Eval(p, p)*inner.Eval(q, q)) + unit*unit) / (1 + unit*unit)
					if got := k.Eval(p, q); math.Abs(got-want) > 1e-15*size {
						t.Fatalf("%v is %v, want %v", k, got, want)
					}
					if got := vmath.Dot(image(m, p), image(m, q)); math.Abs(got-want) > 1e-9*size {
						t.Fatalf("lifted F2 has %v, want %v", got, want)
					}
					if got := vmath.Dot(image(lifted, p), image(lifted, q)); math.Abs(got-want) > 1e-9*size {
						t.Fatalf("F2 of the lifted kernel has %v, want %v", got, want)
					}
				}
			}
		}
	}
	k, err := feature.LiftKernel[data.Vector](kernel.Gaussian{Gamma: 1}, 2)
	check(t, err)
	if v := kernel.Diag(k, x[0]); math.Abs(v-1) > 1e-15 {
		t.Errorf("K(x,x) = %v", v)
	}
}

// TestLiftMargin: the margin of a lifted instance under (w, -b/u) is the formula,
// and for u = 1 and |b| < 1 at least half of what it was.
func TestLiftMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 5).Draw(t, "width")
		coordinate := rapid.SliceOfN(rapid.Float64Range(-1, 1), d, d)
		w, v := coordinate.Draw(t, "w"), coordinate.Draw(t, "x")
		if vmath.Dot(w, w) < 1e-6 || vmath.Dot(v, v) < 1e-6 {
			t.Skip("no direction")
		}
		length := rapid.Float64Range(0.01, 100).Draw(t, "length")
		vmath.Scale(w, 1/math.Sqrt(vmath.Dot(w, w)))
		vmath.Scale(v, length/math.Sqrt(vmath.Dot(v, v)))
		b := length * rapid.Float64Range(-1, 1).Draw(t, "b")
		unit := length * rapid.Float64Range(0.1, 10).Draw(t, "unit")
		m, err := feature.NewLift[data.Vector](feature.Identity{Width: d}, unit)
		if err != nil {
			t.Fatal(err)
		}
		before := (vmath.Dot(w, v) - b) / length
		y := math.Copysign(1, before)
		before = math.Abs(before)
		lifted := append(append([]float64{}, w...), -b/unit)
		got := margin.Of(lifted, data.Dense(image(m, data.Dense(v...))...), y)
		if want := feature.LiftMargin(before, b/length, unit/length); math.Abs(got-want) > 1e-13 {
			t.Fatalf("margin %v, formula %v", got, want)
		}
		same := margin.Separator{W: w, Bias: -b / unit, Unit: unit}.Of(data.Dense(v...), y)
		if math.Abs(got-same) > 1e-13 {
			t.Fatalf("margin %v, of the separator with a bias %v", got, same)
		}
		if at := feature.LiftMargin(before, b/length, 1); at < before/2*(1-1e-15) {
			t.Fatalf("margin %v became %v", before, at)
		}
		best := feature.LiftMargin(before, b/length, math.Sqrt(math.Abs(b/length)))
		if b != 0 && (best < feature.LiftMargin(before, b/length, unit/length)*(1-1e-14) ||
			math.Abs(best-before/(1+math.Abs(b/length))) > 1e-13) {
			t.Fatalf("best margin %v", best)
		}
	})
}

func TestLiftFaults(t *testing.T) {
	for _, unit := range []float64{0, -1, math.NaN(), math.Inf(1), 1e200, 1e-200} {
		if _, err := feature.NewLift[data.Vector](feature.Identity{Width: 1}, unit); err == nil {
			t.Errorf("unit %v passes", unit)
		}
		if _, err := feature.LiftKernel[data.Vector](kernel.Linear{}, unit); err == nil {
			t.Errorf("unit %v passes for a kernel", unit)
		}
	}
	if _, err := feature.NewLift[data.Vector](nil, 1); err == nil {
		t.Error("no map passes")
	}
	if _, err := feature.LiftKernel[data.Vector](nil, 1); err == nil {
		t.Error("no kernel passes")
	}
	if _, err := feature.LiftKernel[data.Vector](kernel.Gaussian{}, 1); err == nil {
		t.Error("a kernel that is none passes")
	}
}

// x ≥ 0.5 on the circle misses the origin; lifted, it is (1, 0, -0.5).
func ExampleLift() {
	m, err := feature.NewLift[data.Vector](feature.Identity{Width: 2}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	row, w := make([]float64, 3), []float64{1, 0, -0.5}
	for _, x := range []data.Vector{data.Dense(0.8, 0.6), data.Dense(0.28, -0.96), data.Dense(-1, 0)} {
		m.MapTo(row, x)
		fmt.Printf("%v: %+.3f\n", x.Value, margin.Of(w, data.Dense(row...), 1))
	}
	fmt.Printf("of a margin of 0.3 is left %.3f\n", feature.LiftMargin(0.3, 0.5, 1))
	// Output:
	// [0.8 0.6]: +0.190
	// [0.28 -0.96]: -0.139
	// [-1 0]: -0.949
	// of a margin of 0.3 is left 0.190
}
