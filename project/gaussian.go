package project

import "math/rand/v2"

// KindGaussian names projections with entries of N(0, 1).
const KindGaussian = "gaussian"

// Gaussian is x ↦ x·A/√Dim with the entries of A independent of N(0, 1).
//
// For fixed u and v, |u' - v'|² is within (1 ± g)·|u - v|² but with probability
// at most 2·exp(-(g² - g³)·Dim/4) (Arriaga and Vempala 1999; Blum 2006,
// theorem 2). The law of |u' - v'|²/|u - v|² is χ²/Dim with Dim degrees of
// freedom, whatever u and v are. Fit takes one normal variate an entry.
type Gaussian struct {
	Dim  int    // coordinates of the image, at least 1
	Seed uint64 // 0 is a seed like any other
}

// Kind returns KindGaussian.
func (Gaussian) Kind() string { return KindGaussian }

// Validate reports a Dim below 1.
func (g Gaussian) Validate() error { return validateDim(KindGaussian, g.Dim) }

// Fit draws the projection of vectors of in coordinates, in O(in·Dim) time and
// Bytes(in, Dim) of memory.
func (g Gaussian) Fit(in int) (*Projection, error) {
	return law{kind: KindGaussian, number: lawGaussian, fill: fillGaussian}.fit(in, g.Dim, g.Seed)
}

func fillGaussian(row []float64, r *rand.Rand) {
	for i := range row {
		row[i] = r.NormFloat64()
	}
}
