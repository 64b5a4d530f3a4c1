package kernelized

import (
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestFitted compares the scores that a support vector machine knows of its own instances
// with those that the model gives them, from the size on at which it tells them, and the
// places of its support with the support.
func TestFitted(t *testing.T) {
	const c = 2.0
	for _, n := range []int{singleFrom - 1, singleFrom, sequenceMost + 3} {
		x, y := overlapping(n, 3)
		s := NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.4})
		s.C = c
		e, _, err := s.Fit(t.Context(), data.Labeled[data.Vector, float64]{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		if known := e.Fitted != nil; known != (n >= singleFrom) {
			t.Fatalf("%d instances: scores are known: %v", n, known)
		}
		if e.Fitted == nil {
			continue
		}
		want, err := e.ScoreAll(t.Context(), run.Control{}, x)
		if err != nil {
			t.Fatal(err)
		}
		// A score is a sum of up to n terms of at most C, and is brought up to date in rounds of
		// such sums: rounding of 2⁻⁵³ in each of some ten of them.
		tolerance := 20 * float64(n) * c * 0x1p-53
		for i, v := range want {
			if got := e.Fitted.Row(i)[0] + e.Bias; math.Abs(got-v) > tolerance {
				t.Fatalf("%d instances: the score of %d is %v, want %v", n, i, got, v)
			}
		}
		for k, i := range e.Places {
			if !slices.Equal(e.Support.At(k).Value, x.Row(i)) {
				t.Fatalf("%d instances: the support is not at its places", n)
			}
		}
		if len(e.Places) != e.Support.Len() {
			t.Errorf("%d places for a support of %d", len(e.Places), e.Support.Len())
		}
	}
}
