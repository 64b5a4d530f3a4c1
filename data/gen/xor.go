package gen

import (
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// lectureXOR are the four points of Tao's lecture.
var lectureXOR = [4][2]float64{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}

// XOR draws points uniformly from [-1, 1]². The label is the sign of x·y: 1 in
// the first and third quadrant, -1 in the others. The feature x·y separates the
// classes. With Book and N = 4 the points are the corners of the square, the smallest
// data set that no line separates.
func XOR(o Options) (*data.Matrix, []string) {
	next := 0
	return o.sample(2, func(rng *rand.Rand, row []float64) bool {
		row[0], row[1] = uniform(rng, -1, 1), uniform(rng, -1, 1)
		if o.Book {
			copy(row, lectureXOR[next%len(lectureXOR)][:])
			next++
		}
		return row[0]*row[1] >= 0
	})
}
