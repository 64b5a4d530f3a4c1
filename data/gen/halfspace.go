package gen

import (
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// normalBlock is the block of the stream from which the normal of a halfspace is
// drawn, past those of all rows.
const normalBlock = math.MaxUint64

// Halfspace draws unit vectors x of Dim coordinates uniformly among those with
// |⟨w, x⟩| ≥ Margin, for a hidden unit vector w, which Normal returns. The label
// is the sign of ⟨w, x⟩. The bound on the margin holds up to rounding, about
// 1e-15·√Dim. A row costs O(Dim) for any margin.
func Halfspace(o Options) (*data.Matrix, []string) {
	w := Normal(o)
	return o.sample(o.Dim, func(rng *rand.Rand, row []float64) bool {
		t := drawCap(rng, o.Dim, o.Margin)
		positive := rng.Float64() < 0.5
		orthogonal(rng, w, row)
		across := math.Sqrt((1 - t) * (1 + t))
		if !positive {
			t = -t
		}
		for j := range row {
			row[j] = t*w[j] + across*row[j]
		}
		return positive
	})
}

// Normal returns the hidden unit vector w of Halfspace for the same seed and
// dimension.
func Normal(o Options) []float64 {
	rng := seed.Stream(o.Seed, seed.Generator, normalBlock)
	w := make([]float64, o.Dim)
	for !direction(rng, w) {
	}
	return w
}

// drawCap draws t = ⟨w, x⟩ for a unit vector x of dim ≥ 2 coordinates that is uniform
// on the cap ⟨w, x⟩ ≥ margin, 0 ≤ margin < 1: its density on [margin, 1] is
// proportional to (1 - t²)^((dim-3)/2).
//
// A cap that is not small, margin² < 1/(dim+2), is hit by the absolute value of a
// coordinate of a uniform vector with probability 0.3 at least, so that is drawn
// until it hits. In a small cap, u = 1 - t² has the density u^((dim-3)/2)·(1 - u)^(-1/2)
// on [0, 1 - margin²]. The first factor alone has an inverse distribution function
// in closed form; what it gives is accepted with probability margin/t, which is
// the second factor over its largest value, and one half or so on average.
func drawCap(rng *rand.Rand, dim int, margin float64) float64 {
	d := float64(dim)
	if margin*margin < 1/(d+2) {
		for {
			if t := coordinate(rng, dim); t >= margin {
				return t
			}
		}
	}
	top := (1 - margin) * (1 + margin)
	for {
		u := top * math.Pow(1-rng.Float64(), 2/(d-1))
		t := max(margin, math.Sqrt(1-u))
		if rng.Float64()*t <= margin {
			return t
		}
	}
}

// coordinate returns the absolute value of one coordinate of a uniform unit
// vector: |g|/√(g² + the squares of dim - 1 other normal numbers).
func coordinate(rng *rand.Rand, dim int) float64 {
	g := rng.NormFloat64()
	rest := 0.0
	for range dim - 1 {
		h := rng.NormFloat64()
		rest += h * h
	}
	return math.Abs(g) / math.Sqrt(g*g+rest)
}

// orthogonal fills row with a uniform unit vector orthogonal to w. It takes the
// part along w out twice, because the first time leaves a rounding error that is
// large if the vector was nearly parallel to w.
func orthogonal(rng *rand.Rand, w, row []float64) {
	for {
		if !direction(rng, row) {
			continue
		}
		for range 2 {
			along := 0.0
			for j := range row {
				along += w[j] * row[j]
			}
			for j := range row {
				row[j] -= along * w[j]
			}
		}
		if normalize(row, 1e-8) {
			return
		}
	}
}

// direction fills v with a uniform unit vector. It reports false in the case,
// which has next to no probability, that it cannot.
func direction(rng *rand.Rand, v []float64) bool {
	for j := range v {
		v[j] = rng.NormFloat64()
	}
	return normalize(v, 1e-8)
}

// normalize divides v by its length, unless that is less than least.
func normalize(v []float64, least float64) bool {
	sum := 0.0
	for _, a := range v {
		sum += a * a
	}
	length := math.Sqrt(sum)
	if length < least {
		return false
	}
	for j := range v {
		v[j] /= length
	}
	return true
}
