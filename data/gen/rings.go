package gen

import (
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// Rings draws points from two rings around the origin: radius uniform in
// [0.8, 1.2] with label 1, and in [1.8, 2.2] with label -1, each as likely. The
// angle is uniform. A gap of 0.6 lies between the classes.
func Rings(o Options) (*data.Matrix, []string) {
	return o.sample(2, func(rng *rand.Rand, row []float64) bool {
		inner := rng.Float64() < 0.5
		radius := uniform(rng, 0.8, 1.2)
		if !inner {
			radius++
		}
		row[0], row[1] = polar(radius, uniform(rng, 0, 2*math.Pi))
		return inner
	})
}
