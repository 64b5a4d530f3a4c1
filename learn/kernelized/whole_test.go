package kernelized_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// TestWhole: on both sides of the number of instances up to which all of K is computed at once,
// and with a black box, for which it never is, the objective is the same within the gaps; the
// result has the same bits for any number of workers, in both precisions.
func TestWhole(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.5}
	box := kernel.Func[data.Vector](k.Eval)
	for _, n := range []int{2, 7, 33, 500, 1023, 1024, 1025} {
		d := clouds(n, 3, 4)
		s := kernelized.NewSVM[data.Vector](k)
		s.C = 5
		slow := kernelized.NewSVM[data.Vector](box)
		slow.C = 5
		_, want, err := slow.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, precision := range []run.Precision{run.Float64, run.Float32} {
			var first *kernelized.Expansion[data.Vector]
			for _, workers := range []int{1, 2, 5} {
				s.Run = run.Control{Workers: workers, Precision: precision}
				e, r, err := s.Fit(t.Context(), d)
				if err != nil || r.Status != learn.Converged {
					t.Fatal(err, r.Status)
				}
				// K in float32 is wrong by 6e-8 of at most 1, for Σ|α| of n·C at most on both sides.
				within := r.Gap + want.Gap + 1e-9 + map[bool]float64{true: 6e-8 * float64(n*n) * 25}[precision == run.Float32]
				if math.Abs(r.Objective-want.Objective) > within {
					t.Errorf("n = %d: objective %v, want %v", n, r.Objective, want.Objective)
				}
				if first == nil {
					first = e
				}
				if !slices.Equal(e.Weight, first.Weight) || e.Bias != first.Bias {
					t.Errorf("n = %d: another result with %d workers", n, workers)
				}
			}
		}
	}
}
