package feature_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// clusters draws n instances from 20 Gaussian clusters in the plane, of which
// each has six tenths of the size of the one before.
func clusters(n int, s uint64) data.Slice[data.Vector] {
	rng := rand.New(rand.NewPCG(s, 20))
	x := make(data.Slice[data.Vector], n)
	for i := range x {
		c := 0
		for rng.Float64() < 0.6 {
			c = (c + 1) % 20
		}
		x[i] = data.Dense(float64(c%5)*10+rng.NormFloat64(), float64(c/5)*10+rng.NormFloat64())
	}
	return x
}

// TestFewerLandmarks measures on clusters of very unequal size the mean of
// 1 - |F2(x)|²/K(x,x). Where the landmarks are enough to get it small, RPCholesky
// needs at most half of those that uniform draws need; the narrow kernel, for
// which they are not, is in the log.
func TestFewerLandmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("fits many maps")
	}
	x := clusters(2000, 1)
	const seeds = 3
	left := func(k kernel.Gaussian, s feature.Selection, size int) float64 {
		total := 0.0
		for seed := range uint64(seeds) {
			f2 := feature.NewF2[data.Vector](k, size)
			f2.Select, f2.Seed = s, seed
			m, err := f2.Fit(ctx, x)
			check(t, err)
			mapped, err := feature.Apply(ctx, run.Control{}, m, x)
			check(t, err)
			for i := range x {
				total += 1 - vmath.Dot(mapped.Row(i), mapped.Row(i))
			}
		}
		return total / float64(seeds*len(x))
	}
	for _, gamma := range []float64{0.03, 0.3} {
		k := kernel.Gaussian{Gamma: gamma}
		half := left(k, feature.RPCholesky, 10)
		for _, size := range []int{20, 40, 80, 160} {
			row := fmt.Sprintf("gamma %v, %3d landmarks:", gamma, size)
			for _, s := range feature.Selections {
				row += fmt.Sprintf(" %s %.5f", s, left(k, s, size))
			}
			t.Log(row)
			full := left(k, feature.Uniform, size)
			if gamma == 0.03 && size >= 80 && half > full {
				t.Errorf("%d landmarks by RPCholesky leave %v, %d uniform ones %v", size/2, half, size, full)
			}
			half = left(k, feature.RPCholesky, size)
		}
	}
}

// BenchmarkRPCholesky chooses 500 of 20,000 instances, one by one and in blocks
// of which it states how many evaluations they take.
func BenchmarkRPCholesky(b *testing.B) {
	x := clusters(20_000, 1)
	for _, block := range []int{1, 16, 62, 100} {
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) {
			r := feature.NewChooser[data.Vector](kernel.Gaussian{Gamma: 1}, 500, feature.RPCholesky)
			r.Pool, r.Block = 20_000, block
			for b.Loop() {
				c, err := r.Choose(context.Background(), x)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(c.Residual, "residual")
				b.ReportMetric(float64(c.Evaluations)/(20_000*501), "evaluations/(k+1)n")
			}
		})
	}
}
