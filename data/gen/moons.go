package gen

import (
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// moonJitter is the standard deviation of what is added to each coordinate.
const moonJitter = 0.1

// Moons draws points from two half circles that reach into each other, each as
// likely: (cos θ, sin θ) with label 1 and (1 - cos θ, ½ - sin θ) with label -1,
// for θ uniform in [0, π], with normal jitter of standard deviation 0.1 added to
// each coordinate. The arcs are at least ½ apart.
func Moons(o Options) (*data.Matrix, []string) {
	return o.sample(2, func(rng *rand.Rand, row []float64) bool {
		upper := rng.Float64() < 0.5
		x, y := polar(1, uniform(rng, 0, math.Pi))
		if !upper {
			x, y = 1-x, 0.5-y
		}
		row[0], row[1] = x+moonJitter*rng.NormFloat64(), y+moonJitter*rng.NormFloat64()
		return upper
	})
}
