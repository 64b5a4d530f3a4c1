package gen_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data/gen"
)

// capShare returns the probability that t ≤ at, for t with density proportional
// to (1 - t²)^((dim-3)/2) on [margin, 1]. With t = cos a the density in the angle
// a is sin(a)^(dim-2), which Simpson's rule integrates.
func capShare(dim int, margin, at float64) float64 {
	f := func(a float64) float64 { return math.Pow(math.Sin(a), float64(dim-2)) }
	integral := func(lo, hi float64) float64 {
		const steps = 100
		h := (hi - lo) / steps
		sum := f(lo) + f(hi)
		for k := 1; k < steps; k++ {
			sum += f(lo+float64(k)*h) * float64(2+2*(k%2))
		}
		return sum * h / 3
	}
	return integral(math.Acos(at), math.Acos(margin)) / integral(0, math.Acos(margin))
}

// TestHalfspaceDistribution compares ⟨w, x⟩ with its distribution by the
// statistic of Kolmogorov and Smirnov. For 2000 rows it exceeds 2.2/√2000 with
// probability 2·exp(-2·2.2²) = 1.2e-4; the seed is fixed.
func TestHalfspaceDistribution(t *testing.T) {
	for _, dim := range []int{2, 3, 4, 10, 50} {
		for _, margin := range []float64{0, 0.05, 0.3, 0.499, 0.5, 0.6, 0.95, 0.9999} {
			t.Run(fmt.Sprintf("dim=%d,margin=%v", dim, margin), func(t *testing.T) {
				o := gen.Options{N: 2000, Seed: 3, Dim: dim, Margin: margin}
				x, labels, err := gen.Make(context.Background(), "halfspace", o)
				if err != nil {
					t.Fatal(err)
				}
				w := gen.Normal(o)
				along := make([]float64, o.N)
				for i := range along {
					a := dot(w, x.Row(i))
					if labels[i] != sign(a >= 0) || math.Abs(a) < margin-1e-14 || math.Abs(dot(x.Row(i), x.Row(i))-1) > 1e-14 {
						t.Fatalf("row %d: ⟨w, x⟩ = %v, |x|² = %v, label %s", i, a, dot(x.Row(i), x.Row(i)), labels[i])
					}
					along[i] = min(1, max(margin, math.Abs(a)))
				}
				slices.Sort(along)
				worst := 0.0
				for i, a := range along {
					p := capShare(dim, margin, a)
					worst = max(worst, math.Abs(p-float64(i)/2000), math.Abs(p-float64(i+1)/2000))
				}
				if worst > 2.2/math.Sqrt(2000) {
					t.Errorf("distance of the distributions is %v", worst)
				}
			})
		}
	}
}

// TestHalfspaceAcross checks that what is orthogonal to w has no direction of its
// own: its mean has coordinates of standard deviation below 1/√2000 each.
func TestHalfspaceAcross(t *testing.T) {
	o := gen.Options{N: 2000, Seed: 5, Dim: 5, Margin: 0.5}
	x, _, err := gen.Make(context.Background(), "halfspace", o)
	if err != nil {
		t.Fatal(err)
	}
	w := gen.Normal(o)
	mean := make([]float64, o.Dim)
	for i := range o.N {
		a := dot(w, x.Row(i))
		for j, v := range x.Row(i) {
			mean[j] += (v - a*w[j]) / float64(o.N)
		}
	}
	for j, m := range mean {
		if math.Abs(m) > 5/math.Sqrt(2000) {
			t.Errorf("coordinate %d has mean %v", j, m)
		}
	}
}

func BenchmarkHalfspace(b *testing.B) {
	for _, margin := range []float64{0.01, 0.3, 0.99} {
		b.Run(fmt.Sprintf("dim=20,margin=%v", margin), func(b *testing.B) {
			for b.Loop() {
				gen.Halfspace(gen.Options{N: 1000, Dim: 20, Margin: margin})
			}
		})
	}
}
