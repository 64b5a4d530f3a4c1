package gen

import (
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// Interleaved places N points on the line at equal distances from -1 to 1, in
// order, with labels -1, 1, -1, … in turn; a single point stands at 0. Nothing but
// the noise is random. Any polynomial that separates the classes has degree N - 1
// at least.
func Interleaved(o Options) (*data.Matrix, []string) {
	i := 0
	return o.sample(1, func(_ *rand.Rand, row []float64) bool {
		if o.N > 1 {
			row[0] = float64(2*i-(o.N-1)) / float64(o.N-1)
		}
		i++
		return i%2 == 0
	})
}
