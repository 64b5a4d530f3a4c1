package gram

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// CheckOptions say how exact kernel values are taken to be.
type CheckOptions struct {
	// Rounding is the error that a value may have, relative to the largest |K|
	// of the sample. The default, 2⁻⁴², allows for 2048 roundings in float64;
	// 1e-6 suits values that were computed in float32.
	Rounding float64

	// RankTolerance is the size, relative to the largest eigenvalue, up to which
	// an eigenvalue does not count in the rank. The default is 1e-12. What cannot
	// be told from rounding does not count in any case.
	RankTolerance float64
}

// NewCheckOptions returns the defaults.
func NewCheckOptions() CheckOptions { return CheckOptions{Rounding: 0x1p-42, RankTolerance: 1e-12} }

// Validate reports every field that is out of range.
func (o CheckOptions) Validate() error {
	var faults []error
	if !(o.Rounding >= 0 && o.Rounding < 1) {
		faults = append(faults, fmt.Errorf("rounding is %v and must be at least 0 and below 1", o.Rounding))
	}
	if !(o.RankTolerance >= 0 && o.RankTolerance < 1) {
		faults = append(faults,
			fmt.Errorf("rank tolerance is %v and must be at least 0 and below 1", o.RankTolerance))
	}
	return errors.Join(faults...)
}

// Verdict says whether a similarity is a kernel on a sample of n instances. A
// sample can show that it is none; that it is one on this sample proves nothing
// about others.
type Verdict struct {
	N int

	// Symmetric reports whether K(x, y) = K(y, x) to rounding. Asymmetry is the
	// largest difference and Worst the pair it belongs to.
	Symmetric bool
	Asymmetry float64
	Worst     [2]int

	// PSD reports whether the Gram matrix (its symmetric part) is positive
	// semidefinite to rounding. If it is not, Witness shows it.
	PSD     bool
	Witness *Witness

	// Spectrum has the eigenvalues of the Gram matrix in increasing order.
	// Each is known to within Tolerance.
	Spectrum  []float64
	Tolerance float64

	// Rank is the number of eigenvalues above RankFloor.
	Rank      int
	RankFloor float64
}

// Legal reports whether the sample shows nothing against K being a kernel.
func (v Verdict) Legal() bool { return v.Symmetric && v.PSD }

// MinEigenvalue returns the smallest eigenvalue, 0 for an empty sample.
func (v Verdict) MinEigenvalue() float64 { return v.Quantile(0) }

// MaxEigenvalue returns the largest eigenvalue, 0 for an empty sample.
func (v Verdict) MaxEigenvalue() float64 { return v.Quantile(1) }

// Quantile returns the eigenvalue below which the part q of the spectrum lies,
// 0 ≤ q ≤ 1, one of the eigenvalues themselves. It is 0 for an empty sample.
func (v Verdict) Quantile(q float64) float64 {
	if len(v.Spectrum) == 0 {
		return 0
	}
	at := int(math.Round(q * float64(len(v.Spectrum)-1)))
	return v.Spectrum[min(max(at, 0), len(v.Spectrum)-1)]
}

// Witness is a few instances and coefficients with Σ c_i c_j K(x_i, x_j) < 0, which
// no kernel allows: the sum is |Σ c_i φ(x_i)|². With one instance K(x, x) is
// negative; with two, K(x, y)² > K(x, x)·K(y, y).
type Witness struct {
	Index        []int     // of the instances, increasing
	Coefficients []float64 // one each, of length 1 together
	Value        float64   // of the sum
}

func (w *Witness) String() string {
	switch len(w.Index) {
	case 1:
		return fmt.Sprintf("K(x%d,x%d) is negative: %.6g", w.Index[0]+1, w.Index[0]+1, w.Value)
	case 2:
		i, j := w.Index[0]+1, w.Index[1]+1
		return fmt.Sprintf("K(x%d,x%d)² is larger than K(x%d,x%d)·K(x%d,x%d)", i, j, i, i, j, j)
	}
	return fmt.Sprintf("a combination of %d instances has the squared length %.6g", len(w.Index), w.Value)
}

// Check computes a similarity on all pairs of a sample, in both orders, and judges
// it. The cost is n² evaluations and about 10·n³ operations: take
// a sample of at most about a thousand.
func Check[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T], o CheckOptions,
) (Verdict, error) {
	if err := kernel.Validate(k); err != nil {
		return Verdict{}, err
	}
	n := x.Len()
	// The matrix, its symmetric part, the eigenvectors and two of the factorisation.
	if err := ctl.Reserve("the check of a kernel", 5*8*float64(n)*float64(n), "check it on fewer instances"); err != nil {
		return Verdict{}, err
	}
	// Not Symmetric, which mirrors one half of the matrix.
	g, err := Bind(k, x).Block(ctx, ctl, x)
	if err != nil {
		return Verdict{}, err
	}
	return checkMatrix(ctx, ctl, g, o)
}

// CheckMatrix judges the Gram matrix of a sample. An entry that is no finite
// number is an error.
func CheckMatrix(g *data.Matrix, o CheckOptions) (Verdict, error) {
	return checkMatrix(context.Background(), run.Control{}, g, o)
}

func checkMatrix(ctx context.Context, ctl run.Control, g *data.Matrix, o CheckOptions) (Verdict, error) {
	if err := errors.Join(o.Validate(), kernel.Precomputed{Matrix: g}.Validate()); err != nil {
		return Verdict{}, err
	}
	top, err := largest(g)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{N: g.Rows}
	s := symmetric(g, &v)
	v.Symmetric = v.Asymmetry <= 2*o.Rounding*top
	values, vectors, err := linalg.Eigen(ctx, ctl, s)
	if err != nil && ctx.Err() != nil {
		return Verdict{}, err
	}
	if err != nil {
		return Verdict{}, errors.New("the eigenvalues of the Gram matrix did not converge")
	}
	v.Spectrum = values
	size := max(math.Abs(v.MinEigenvalue()), math.Abs(v.MaxEigenvalue()))
	v.Tolerance = tolerance(v.N, size, o.Rounding*top)
	v.RankFloor = max(v.Tolerance, o.RankTolerance*size)
	for _, lambda := range values {
		if lambda > v.RankFloor {
			v.Rank++
		}
	}
	search := witnesses{g: s, entry: o.Rounding * top}
	v.Witness = search.find(values, vectors, v.Tolerance)
	v.PSD = v.Witness == nil
	return v, nil
}

// tolerance bounds the error of a computed eigenvalue of an n×n matrix of norm
// size whose entries are off by at most entry: n·2⁻⁵³·size by the computation and,
// by Weyl's inequality, n·entry by the entries (docs/math/kernels.md).
func tolerance(n int, size, entry float64) float64 { return float64(n) * (0x1p-53*size + entry) }

// largest returns max|G_ij|, or an error that names an entry that is not finite.
func largest(g *data.Matrix) (float64, error) {
	top := 0.0
	for at, v := range g.Data {
		if v-v != 0 {
			return 0, &ValueError{Row: at / g.Cols, Col: at % g.Cols, Value: v}
		}
		top = max(top, math.Abs(v))
	}
	return top, nil
}

// symmetric returns (G + Gᵀ)/2 and notes where G differs most from it.
func symmetric(g *data.Matrix, v *Verdict) *data.Matrix {
	n := g.Rows
	s := data.NewMatrix(n, n)
	for i := range n {
		s.Data[i*n+i] = g.Data[i*n+i]
		for j := range i {
			a, b := g.Data[i*n+j], g.Data[j*n+i]
			if d := math.Abs(a - b); d > v.Asymmetry {
				v.Asymmetry, v.Worst = d, [2]int{j, i}
			}
			s.Data[i*n+j] = a + (b-a)/2
			s.Data[j*n+i] = s.Data[i*n+j]
		}
	}
	return s
}
