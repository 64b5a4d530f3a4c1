package gram_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestNarrowKernel has points that are spread over a thousand widths of the
// kernel: from norms alone their values would be off by 1e-10.
func TestNarrowKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, d := range []int{1, 2} {
		m := data.NewMatrix(600, d)
		for i := range m.Rows {
			m.Row(i)[0] = 1000 * rng.Float64()
			if d > 1 {
				m.Row(i)[1] = rng.Float64()
			}
		}
		k := kernel.Gaussian{Gamma: 1}
		g, err := gram.Symmetric[data.Vector](ctx, run.Control{}, k, m)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Rows {
			for j := range m.Rows {
				near(t, "narrow", g.Data[i*m.Rows+j], k.Eval(m.At(i), m.At(j)), 1e-13)
			}
		}
	}
}
