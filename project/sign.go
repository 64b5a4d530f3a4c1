package project

import "math/rand/v2"

// KindSign names projections with entries of +1 and -1.
const KindSign = "sign"

// Sign is x ↦ x·A/√Dim with the entries of A independent and +1 or -1, each
// with probability 1/2.
//
// For fixed u and v, |u' - v'|² is within (1 ± g)·|u - v|² but with probability
// at most 2·exp(-(g² - g³)·Dim/4), as for Gaussian (Arriaga and Vempala 1999;
// Achlioptas 2003; Blum 2006, theorem 2). Fit takes one random bit an entry,
// and a vector with one coordinate keeps its length, but for rounding.
type Sign struct {
	Dim  int    // coordinates of the image, at least 1
	Seed uint64 // 0 is a seed like any other
}

// Kind returns KindSign.
func (Sign) Kind() string { return KindSign }

// Validate reports a Dim below 1.
func (s Sign) Validate() error { return validateDim(KindSign, s.Dim) }

// Fit draws the projection of vectors of in coordinates, in O(in·Dim) time and
// Bytes(in, Dim) of memory.
func (s Sign) Fit(in int) (*Projection, error) {
	return law{kind: KindSign, number: lawSign, fill: fillSign}.fit(in, s.Dim, s.Seed)
}

// fillSign takes 64 entries from each random word, lowest bit first.
func fillSign(row []float64, r *rand.Rand) {
	var word uint64
	for i := range row {
		if i%64 == 0 {
			word = r.Uint64()
		}
		row[i] = float64(int64(word&1)*2 - 1)
		word >>= 1
	}
}
