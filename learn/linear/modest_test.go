package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// TestLogisticLarge trains on so many numbers that the Hessian's diagonal is tried first, where it is enough, and where
// coordinates go together, so that it is not: the gap, which is that of the gradient, proves the result.
func TestLogisticLarge(t *testing.T) {
	const n, d = 14500, 300
	for _, alike := range []float64{0, 0.999} {
		rng := rand.New(rand.NewPCG(3, 4))
		x, y := data.NewMatrix(n, d), make([]float64, n)
		for i := range y {
			common, score := rng.NormFloat64(), rng.NormFloat64()
			for j := range d {
				v := math.Sqrt(alike)*common + math.Sqrt(1-alike)*rng.NormFloat64()
				x.Row(i)[j] = v
				score += v * float64(j%7-3) / 10
			}
			y[i] = math.Copysign(1, score)
		}
		var first []float64
		for _, workers := range []int{1, 3} {
			l := linear.NewLogistic()
			l.Run = run.Control{Workers: workers}
			s, report, err := l.Fit(t.Context(), data.Labeled[data.Vector, float64]{X: x, Y: y})
			if err != nil || report.Status != learn.Converged || !(report.Gap <= l.Tolerance*report.Objective) {
				t.Fatalf("alike %v: %+v, %v", alike, report, err)
			}
			if report.Iterations > 60 {
				t.Errorf("alike %v: %d passes", alike, report.Iterations)
			}
			if first == nil {
				first = s.W
			} else if !slices.Equal(first, s.W) {
				t.Errorf("alike %v: %d workers come to other bits", alike, workers)
			}
		}
	}
}
