package gen

import (
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
)

// chapterRows is the number of points of the example in the chapter on kernel
// methods of Shalev-Shwartz and Ben-David 2014: -10, -9, …, 10.
const chapterRows = 21

// Interval draws points on the line, uniformly from [-10, 10]. The label is 1 if
// |x| > 2, else -1. For N = 21, with Book or without, the points are the whole numbers
// from -10 to 10 in order, as in Shalev-Shwartz and Ben-David 2014, chapter 16. No
// halfline separates the classes; the feature x² does.
func Interval(o Options) (*data.Matrix, []string) {
	next := -10.0
	return o.sample(1, func(rng *rand.Rand, row []float64) bool {
		row[0] = uniform(rng, -10, 10)
		if o.N == chapterRows {
			row[0] = next
			next++
		}
		return math.Abs(row[0]) > 2
	})
}
