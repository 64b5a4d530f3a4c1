package order_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/order"
)

func TestNth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 31, 32, 33, 34, 100, 1000} {
		for kind, of := range map[string]func(i int) float64{
			"random":     func(int) float64 { return r.NormFloat64() },
			"few values": func(int) float64 { return float64(r.IntN(3)) },
			"equal":      func(int) float64 { return 7 },
			"rising":     func(i int) float64 { return float64(i) },
			"falling":    func(i int) float64 { return float64(-i) },
			"organ pipe": func(i int) float64 { return float64(min(i, n-i)) },
			"infinite":   func(i int) float64 { return math.Inf(i%3 - 1) },
		} {
			x := make([]float64, n)
			for i := range x {
				x[i] = of(i)
			}
			sorted := slices.Clone(x)
			slices.Sort(sorted)
			for _, k := range []int{0, 1, n / 3, n / 2, n - 1} {
				if k >= n {
					continue
				}
				if got := order.Nth(slices.Clone(x), k); got != sorted[k] {
					t.Errorf("%s: %v at place %d of %d, want %v", kind, got, k, n, sorted[k])
				}
			}
		}
	}
}
