package eval

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/internal/seed"
)

// Range is the numbers from Low to High, both included, for one hyperparameter.
type Range struct {
	Low, High float64
	Log       bool // equal steps, and equal chances, on the scale of the logarithm; Low must be positive
	Whole     bool // rounded to whole numbers; Low and High must be such
}

// Linear returns the range from low to high.
func Linear(low, high float64) Range { return Range{Low: low, High: high} }

// Log returns the range from low to high on the scale of the logarithm.
func Log(low, high float64) Range { return Range{Low: low, High: high, Log: true} }

// Validate reports what is wrong with a range.
func (r Range) Validate() error {
	if !(r.Low <= r.High) || r.High-r.Low > math.MaxFloat64 || r.Log && r.Low <= 0 {
		want := "from low to high"
		if r.Log {
			want = "from a positive low to high"
		}
		return fmt.Errorf("range: %v to %v must go %s and be finite", r.Low, r.High, want)
	}
	if r.Whole && (r.Low != math.Round(r.Low) || r.High != math.Round(r.High)) {
		return fmt.Errorf("range: %v to %v must have whole ends", r.Low, r.High)
	}
	return nil
}

// At returns the number a part u of the way from Low to High, u in [0, 1].
func (r Range) At(u float64) float64 {
	v := r.Low + u*(r.High-r.Low)
	if r.Log {
		v = math.Exp(math.Log(r.Low) + u*(math.Log(r.High)-math.Log(r.Low)))
	}
	switch { // the ends themselves are not to suffer from rounding
	case u <= 0:
		v = r.Low
	case u >= 1:
		v = r.High
	}
	if r.Whole {
		v = math.Round(v)
	}
	return max(r.Low, min(v, r.High))
}

// Grid returns n numbers in equal steps from Low to High, the middle for n = 1.
func (r Range) Grid(n int) []float64 {
	out := make([]float64, max(n, 0))
	for i := range out {
		u := 0.5
		if n > 1 {
			u = float64(i) / float64(n-1)
		}
		out[i] = r.At(u)
	}
	return out
}

// Space is several hyperparameters, each with its range. A point of it has a
// number for each, in their order.
type Space []Range

// Validate reports every range that is wrong.
func (s Space) Validate() error {
	var faults []error
	for i, r := range s {
		if err := r.Validate(); err != nil {
			faults = append(faults, fmt.Errorf("range %d: %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

// mostPoints is how many points a grid may have.
const mostPoints = 1_000_000

// Grid returns the points of the product of grids, with the given number of
// steps in each range; the last range changes fastest. More than a million
// points are refused.
func (s Space) Grid(steps ...int) ([][]float64, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(steps) != len(s) {
		return nil, fmt.Errorf("grid: there are %d numbers of steps for %d ranges; each range needs one", len(steps), len(s))
	}
	points := [][]float64{{}}
	for i, r := range s {
		if steps[i] < 1 || steps[i] > mostPoints/len(points) {
			return nil, fmt.Errorf("grid: %d steps of range %d; there must be one at least, and at most %d points in all",
				steps[i], i+1, mostPoints)
		}
		var longer [][]float64
		for _, p := range points {
			for _, v := range r.Grid(steps[i]) {
				longer = append(longer, append(p[:len(p):len(p)], v))
			}
		}
		points = longer
	}
	return points, nil
}

// Sample returns n points drawn independently, uniformly on the scale of each
// range. Point i depends on the seed and i alone, so that a larger sample
// begins with a smaller one.
func (s Space) Sample(n int, sd uint64) ([][]float64, error) {
	if n < 0 || n > mostPoints {
		return nil, fmt.Errorf("sample: %d points; there may be from 0 to %d", n, mostPoints)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	points := make([][]float64, n)
	for i := range points {
		rng := seed.Stream(sd, seed.Candidates, uint64(i))
		points[i] = make([]float64, len(s))
		for j, r := range s {
			points[i][j] = r.At(rng.Float64())
		}
	}
	return points, nil
}
