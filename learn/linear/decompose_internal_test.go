package linear

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// TestDecompose factorises a sum that rounding has left indefinite: it is made again and
// gets ten times the identity.
func TestDecompose(t *testing.T) {
	for _, c := range []struct {
		last, want float64 // element of the sum and the root of what is factorised
		fills      int
	}{{3, 2, 1}, {-5, math.Sqrt(5), 2}} {
		m, fills := &model{factor: data.NewMatrix(2, 2)}, 0
		err := m.decompose(t.Context(), run.Control{}, func() error {
			fills++
			m.factor.Data[0] += 8
			m.factor.Data[3] += c.last
			return nil
		})
		if got := m.factor.Data[3]; err != nil || fills != c.fills || math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("%v: %v with %d sums, want %v with %d; %v", c.last, got, fills, c.want, c.fills, err)
		}
	}
}
