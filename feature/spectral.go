package feature

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Repair is what to do with the negative eigenvalues λ of the landmarks' Gram
// matrix, which a similarity that is no kernel has.
type Repair string

// The repairs.
const (
	Clip  Repair = "clip"  // λ < 0 becomes 0: the nearest kernel matrix
	Flip  Repair = "flip"  // λ becomes |λ|: what is unlike is used as well as what is like
	Shift Repair = "shift" // λ becomes λ - λ_min: all landmarks move apart by the same
)

// Repairs are all repairs.
var Repairs = []Repair{Clip, Flip, Shift}

// value returns what an eigenvalue becomes, given the smallest.
func (r Repair) value(lambda, smallest float64) float64 {
	switch r {
	case Flip:
		return math.Abs(lambda)
	case Shift:
		return lambda - min(smallest, 0)
	}
	return max(lambda, 0)
}

// Repaired is F2 for any symmetric similarity: with the eigenvalues λ and
// eigenvectors v of the landmarks' Gram matrix and λ' the repaired eigenvalues,
//
//	φ_e(x) = ⟨v_e, F1(x)⟩ / √λ'_e        for λ'_e > Tolerance·max λ'
//
// The inner products of landmarks' images are the repaired Gram matrix for Clip
// and Flip; for Shift they are Σ λ²/λ'·v·vᵀ, because an instance that is no
// landmark has nothing to be shifted. On a kernel Clip and Flip are F2 up to a
// rotation. It costs about 10·Size³ operations to fit.
//
// Eigenvalues are those of the similarity as it is, so lengths count: beside a
// landmark with a K(z,z) of 1e12 times that of the others these are nothing.
// kernel.Normalize takes lengths out first, where all K(z,z) are positive.
type Repaired[T any] struct {
	F2     F2[T]
	Repair Repair
}

// Validate reports every field that is out of range.
func (r Repaired[T]) Validate() error {
	faults := []error{r.F2.Validate()}
	if r.Repair != Clip && r.Repair != Flip && r.Repair != Shift {
		faults = append(faults, fmt.Errorf("repair is %q and must be clip, flip or shift", r.Repair))
	}
	if s := r.F2.Select; s != "" && s != Uniform && s != Independent {
		faults = append(faults, fmt.Errorf("select is %s, which looks at distances that a similarity need not have, and "+
			"must be uniform or iid", s))
	}
	return errors.Join(faults...)
}

// Fit draws the landmarks from x and decomposes their Gram matrix.
func (r Repaired[T]) Fit(ctx context.Context, x data.Source[T]) (*Spectral[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return nil, errors.New("no data to draw landmarks from")
	}
	z, err := r.F2.choose(ctx, x)
	if err != nil {
		return nil, err
	}
	n := float64(z.Len())
	if err := r.F2.Run.Reserve("the spectrum of so many landmarks", 5*8*n*n, "use a smaller dimension"); err != nil {
		return nil, err
	}
	g, err := gram.Symmetric(ctx, r.F2.Run, r.F2.Kernel, z)
	if err != nil {
		return nil, err
	}
	values, vectors, err := linalg.Eigen(ctx, r.F2.Run, g)
	if err != nil {
		return nil, fmt.Errorf("the landmarks' Gram matrix: %w", err)
	}
	matrix := r.matrix(values, vectors)
	if matrix.Rows == 0 {
		return nil, errors.New("nothing is left of the similarity after its repair")
	}
	return NewSpectral(r.F2.Kernel, z, matrix, r.Repair, r.F2.Run.Precision), nil
}

// matrix returns the rows v_e/√λ'_e of the eigenvalues that are kept, largest
// first.
func (r Repaired[T]) matrix(values []float64, vectors *data.Matrix) *data.Matrix {
	n, top := len(values), 0.0
	for _, lambda := range values {
		top = max(top, r.Repair.value(lambda, values[0]))
	}
	floor := top * max(r.F2.Tolerance, float64(n)*0x1p-52)
	m := &data.Matrix{Cols: n}
	for e := n - 1; e >= 0; e-- {
		repaired := r.Repair.value(values[e], values[0])
		if !(repaired > floor) {
			continue
		}
		for i := range n {
			m.Data = append(m.Data, vectors.Row(i)[e]/math.Sqrt(repaired))
		}
		m.Rows++
	}
	return m
}

// Spectral is the fitted map of a repaired similarity, x ↦ Matrix()·F1(x). Its
// dimension is the number of eigenvalues that were kept.
type Spectral[T any] struct {
	*rotated[T]
	matrix *data.Matrix // Dim×landmarks
	repair Repair
}

// NewSpectral returns the map x ↦ matrix·F1(x).
func NewSpectral[T any](
	k kernel.Kernel[T], z data.Source[T], matrix *data.Matrix, repair Repair, p run.Precision,
) *Spectral[T] {
	if matrix.Cols != z.Len() {
		panic("feature: the matrix does not fit the landmarks")
	}
	return &Spectral[T]{
		rotated: newRotated(NewLandmarks(k, z, p), matrix, false),
		matrix:  matrix, repair: repair,
	}
}

// Matrix returns the matrix. It is shared and must not be written to.
func (m *Spectral[T]) Matrix() *data.Matrix { return m.matrix }

// Repair returns the repair.
func (m *Spectral[T]) Repair() Repair { return m.repair }
