package gen

import (
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// XOR draws points uniformly from [-1, 1]². The label is the sign of x·y: 1 in
// the first and third quadrant, -1 in the others. The feature x·y separates the
// classes.
func XOR(o Options) (*data.Matrix, []string) {
	return o.sample(2, func(rng *rand.Rand, row []float64) bool {
		row[0], row[1] = uniform(rng, -1, 1), uniform(rng, -1, 1)
		return row[0]*row[1] >= 0
	})
}
