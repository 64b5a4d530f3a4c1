package compute

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/kernel"
)

// Slack sets dst[i] to a bound on the part of itself by which a value of a Gaussian
// exp(-g·|x-y|²) in float32 can be off for vector i of x and any column: e^{g·E} - 1 for the
// rounding of the squared distance, and two units for the exponential; +Inf where distances
// are looked at one by one (see refineSingle). It reports false for other forms, which have
// no such bound.
//
// With u = 2⁻²⁴, E = (2γ + 3u)·(|x|²+|y|²) of docs/math/precision.md, and the rounding of
// coordinates, which moves each vector by at most u of its length and so the squared
// distance by at most 2|x-y|·u(|x|+|y|) ≤ 4u(|x|²+|y|²), second orders aside. γ is that
// of sums one term after the other. The norms are as they were rounded, a part of some
// u too small at most, for which a hundredth is added.
func (c *columns[F]) Slack(dst []float64, x data.Source[data.Vector]) bool {
	f := c.form
	if f.Pair != kernel.Distance2 || f.Map.Op != kernel.Exp || f.Map.B != 0 || f.Normalized || c.packed == nil {
		return false
	}
	n := len(dst)
	flat, norm2 := make([]F, n*c.d), make([]F, n)
	for i := range n {
		c.Fill(flat[i*c.d:(i+1)*c.d], x, i)
	}
	gemm.Norms2(norm2, flat, c.d, n, c.d)
	const u = 0x1p-24
	m := float64(c.d+1) * u
	part := math.Abs(f.Map.A) * 1.01 * (2*m/(1-m) + 7*u)
	for i := range dst {
		beyond, _ := c.Beyond(x, i)
		size := float64(norm2[i]) + beyond + float64(c.top)
		if dst[i] = math.Inf(1); c.close.Slope*size <= c.close.Weight && m < 0.5 {
			dst[i] = math.Expm1(part*size) + 2*u
		}
	}
	return true
}
