package gen

import (
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// Circle draws points uniformly from the square [-s, s]² with s = √(π/2). The
// label is 1 if x² + y² ≤ 1, else -1. The square has area 2π and the disc π, so
// both classes are as likely. The features x², y² separate them.
func Circle(o Options) (*data.Matrix, []string) {
	side := math.Sqrt(math.Pi / 2)
	return o.sample(2, func(rng *rand.Rand, row []float64) bool {
		row[0], row[1] = uniform(rng, -side, side), uniform(rng, -side, side)
		return row[0]*row[0]+row[1]*row[1] <= 1
	})
}
