package project

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// KindOrthogonal names scaled orthogonal projections.
const KindOrthogonal = "orthogonal"

// Orthogonal is x ↦ √(n/Dim)·Q·x, where the Dim rows of Q are the first rows of
// an n × n orthogonal matrix that is drawn uniformly (from the Haar measure): an
// orthogonal projection onto a random subspace, scaled. This is the projection
// of Johnson and Lindenstrauss (1984).
//
// From Dim = n on, x is padded with zeros to Dim coordinates and rotated by the
// whole of such a matrix: all lengths and angles are kept but for rounding.
//
// For Dim below n, |Q·x|²/|x|² is of the law Beta(Dim/2, (n-Dim)/2), whatever x
// is, and the bound of Gaussian holds (Dasgupta and Gupta 2003); the variance of
// |x'|² is (n-Dim)/(n+2) of Gaussian's, so the gain is large where Dim is near n
// and none where it is far below.
type Orthogonal struct {
	Dim  int    // coordinates of the image, at least 1
	Seed uint64 // 0 is a seed like any other
}

// Kind returns KindOrthogonal.
func (Orthogonal) Kind() string { return KindOrthogonal }

// Validate reports a Dim below 1.
func (o Orthogonal) Validate() error { return validateDim(KindOrthogonal, o.Dim) }

// Fit draws the projection of vectors of in coordinates: Gaussian vectors, made
// orthonormal one after the other. It takes 4·in·Dim·min(in, Dim) operations, on
// all cores, and twice Bytes(in, Dim) of memory while it works.
func (o Orthogonal) Fit(in int) (*Projection, error) {
	if err := check(KindOrthogonal, in, o.Dim, 2*Bytes(in, o.Dim)); err != nil {
		return nil, err
	}
	a, err := haar(in, o.Dim, o.Seed)
	if err != nil {
		return nil, err
	}
	return &Projection{kind: KindOrthogonal, seed: o.Seed, in: in, out: o.Dim, form: dense{a}}, nil
}

// haar returns the n × d matrix A: √(n/d) times orthonormal columns, or
// orthonormal rows where there are fewer of these.
func haar(n, d int, s uint64) (*data.Matrix, error) {
	v := data.NewMatrix(min(n, d), max(n, d))
	for try := 0; ; try++ {
		fillGaussian(v.Data, seed.Stream(s, seed.Projection, stream(lawOrthogonal, try)))
		// The first sweep loses digits with the condition of the Gaussian
		// vectors; the second, which has next to nothing to do, none.
		done, err := orthonormalize(v)
		if done && err == nil {
			done, err = orthonormalize(v)
		}
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	if d >= n {
		return v, nil
	}
	vmath.Scale(v.Data, math.Sqrt(float64(n)/float64(d)))
	a := data.NewMatrix(n, d)
	for j := range d {
		for i, x := range v.Row(j) {
			a.Data[i*d+j] = x
		}
	}
	return a, nil
}

// panel is how many vectors are subtracted from all later ones at a time, while
// they are in cache.
const panel = 32

// orthonormalize is the modified process of Gram and Schmidt on the rows of v:
// the factor Q of vᵀ = Q·R with a positive diagonal of R, which is unique; so for
// Gaussian v the result is uniform (Stewart 1980). It reports false where a row
// depends on those before. The order of operations on a row does not depend on
// the panels, nor on the number of workers.
func orthonormalize(v *data.Matrix) (bool, error) {
	for lo := 0; lo < v.Rows; lo += panel {
		hi := min(lo+panel, v.Rows)
		for k := lo; k < hi; k++ {
			q := v.Row(k)
			length := math.Sqrt(vmath.Dot(q, q))
			if length < 1e-100 {
				return false, nil
			}
			vmath.Scale(q, 1/length)
			for j := k + 1; j < hi; j++ {
				subtract(v.Row(j), q)
			}
		}
		const group = 8
		err := par.For(context.Background(), run.Control{}, "", par.Blocks(v.Rows-hi, group), func(b int) error {
			from, to := par.Range(b, v.Rows-hi, group)
			for j := hi + from; j < hi+to; j++ {
				for k := lo; k < hi; k++ {
					subtract(v.Row(j), v.Row(k))
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// subtract removes from x its part along the unit vector q.
func subtract(x, q []float64) { vmath.Axpy(x, -vmath.Dot(x, q), q) }
