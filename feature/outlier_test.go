package feature_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
)

// plane returns points of the plane with one at (300,300), whose K(x,x) under
// poly(degree=3) is 1e15 times that of the others.
func plane(n int) data.Slice[data.Vector] { return append(points(n, 2, 3), data.Dense(300, 300)) }

// TestOutlierKeepsTheSpan: a cubic kernel on the plane has 10 dimensions, and
// one long landmark does not make the others count as nothing, however they are
// chosen. Each instance keeps its own length to 1e-9.
func TestOutlierKeepsTheSpan(t *testing.T) {
	x, k := plane(200), kernel.NewPolynomial(3)
	for _, s := range feature.Selections {
		r := feature.NewF2[data.Vector](k, 201)
		if s == feature.Independent {
			r.Size = 2000
		}
		r.Select = s
		f3, err := feature.NewF3(r, project.Sign{Dim: 4, Seed: 1}).Fit(ctx, x)
		check(t, err)
		m := f3.Orthogonal()
		if m.Dim() != 10 {
			t.Errorf("%s: rank %d, want 10", s, m.Dim())
		}
		f, err := feature.Apply(ctx, r.Run, m, x)
		check(t, err)
		for i, p := range x {
			sum := 0.0
			for _, v := range f.Row(i) {
				sum += v * v
			}
			if whole := k.Eval(p, p); !(math.Abs(sum-whole) <= 1e-9*whole) {
				t.Fatalf("%s: |F2(x%d)|² is %v, K(x,x) is %v", s, i, sum, whole)
			}
		}
	}
}

// TestZeroLandmarks: where K(z,z) is 0 there is nothing to divide by.
func TestZeroLandmarks(t *testing.T) {
	x := append(data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 0)}, points(5, 2, 1)...)
	for _, s := range feature.Selections {
		r := feature.NewF2[data.Vector](kernel.Linear{}, 7)
		r.Select, r.Seed = s, 3
		m, err := r.Fit(ctx, x)
		check(t, err)
		f, err := feature.Apply(ctx, r.Run, m, x)
		check(t, err)
		if m.Dim() != 2 || !(math.Abs(f.Row(3)[0]) < 10) || f.Row(0)[0] != 0 {
			t.Errorf("%s: rank %d, features %v", s, m.Dim(), f.Data)
		}
	}
}

// TestOutlierHidesNoFault: a similarity that is no kernel is found out beside an
// instance that is a million times as long as the others.
func TestOutlierHidesNoFault(t *testing.T) {
	k := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		if a.Dot(a) > 1e4 || b.Dot(b) > 1e4 {
			return a.Dot(b) * a.Dot(b) * 1e3
		}
		return math.Tanh(a.Dot(b) - 1)
	})
	for _, s := range []feature.Selection{feature.Uniform, feature.Greedy, feature.RPCholesky} {
		r := feature.NewF2[data.Vector](k, 41)
		r.Select = s
		var fault *feature.NotPSDError
		if _, err := r.Fit(ctx, plane(40)); !errors.As(err, &fault) {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// BenchmarkF2Fit fits F2 to landmarks of the size of images of digits, and
// states the rank.
func BenchmarkF2Fit(b *testing.B) {
	x := points(2000, 784, 1)
	for _, k := range []kernel.Kernel[data.Vector]{kernel.Gaussian{Gamma: 1e-3}, kernel.NewPolynomial(3)} {
		b.Run(fmt.Sprint(k), func(b *testing.B) {
			rank := 0
			for b.Loop() {
				m, err := feature.NewF2(k, x.Len()).FitTo(ctx, x)
				if err != nil {
					b.Fatal(err)
				}
				rank = m.Dim()
			}
			b.ReportMetric(float64(rank), "rank")
		})
	}
}
