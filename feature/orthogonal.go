package feature

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// F2 is the recipe of the orthogonal projection of φ(x) onto the span of the
// landmarks: F2(x) = L⁻¹·F1(x) with M = L·Lᵀ the Cholesky factorisation of the
// landmarks' Gram matrix (Blum's survey, theorem 4, with U = Lᵀ). Inner
// products of landmarks' images are the kernel's values, and |F2(x)|² ≤ K(x,x).
//
// If the data have margin γ in K's feature space and Size is at least
// bound.Landmarks(γ, ε, 1-δ), then with probability 1-δ the mapped data are
// separable with error at most ε at margin γ/2.
//
// The factorisation pivots: in every step it takes the landmark that is farthest
// from the span of those taken before, relative to K(z,z) of the largest, and
// stops when that squared distance falls to Tolerance. Landmarks that depend on
// the others (duplicates among them) are left out, the map gets smaller, and
// nothing of the span is lost but what Tolerance allows.
//
// Where Run asks for float32, kernel values of mapped instances are computed in
// it, and Tolerance counts as 1e-6 if it is less; all else is float64.
type F2[T any] struct {
	Kernel    kernel.Kernel[T]
	Size      int     // landmarks to draw, without replacement
	Tolerance float64 // relative squared distance at which a landmark counts as dependent
	Seed      uint64
	Run       run.Control
}

// singleTolerance is the least tolerance where kernel values are computed in
// float32: features are then rounded to about 6e-5 of |φ(x)|.
const singleTolerance = 1e-6

// DefaultTolerance keeps inner products to about 1e-12 of K(x, x) on the span
// and the rounding of a feature below about 1e-10.
const DefaultTolerance = 1e-12

// NewF2 returns the recipe with the default tolerance and seed 1.
func NewF2[T any](k kernel.Kernel[T], size int) F2[T] {
	return F2[T]{Kernel: k, Size: size, Tolerance: DefaultTolerance, Seed: 1}
}

// Validate reports every field that is out of range.
func (r F2[T]) Validate() error {
	faults := []error{validate(r.Kernel, r.Size)}
	if !(r.Tolerance >= 0 && r.Tolerance < 1) {
		faults = append(faults, fmt.Errorf("tolerance is %v and must be at least 0 and below 1", r.Tolerance))
	}
	return errors.Join(faults...)
}

// Fit draws the landmarks from x and factorises their Gram matrix. It evaluates
// the kernel Size·(Size+1)/2 times. It returns a *NotPSDError where the matrix
// shows that K is no kernel.
func (r F2[T]) Fit(ctx context.Context, x data.Source[T]) (*Orthogonal[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return nil, errors.New("no data to draw landmarks from")
	}
	return r.FitTo(ctx, Draw(x, r.Size, r.Seed))
}

// FitTo takes all of z as landmarks. With the whole training sample as z the
// map loses nothing: by the representer theorem the best separator lies in the
// span of the sample, so a linear learner on these features solves the kernel
// machine's problem exactly.
func (r F2[T]) FitTo(ctx context.Context, z data.Source[T]) (*Orthogonal[T], error) {
	m := float64(z.Len())
	if err := r.Run.Reserve("F2 with so many landmarks", 3*8*m*m, "use a smaller dimension"); err != nil {
		return nil, err
	}
	g, err := gram.Symmetric(ctx, r.Run, r.Kernel, z)
	if err != nil {
		return nil, err
	}
	tolerance := r.Tolerance
	if r.Run.Precision == run.Float32 {
		tolerance = max(tolerance, singleTolerance)
	}
	f, err := linalg.PivotedCholesky(ctx, r.Run, g, tolerance)
	if err != nil {
		return nil, err
	}
	if err := checkPSD(g, f); err != nil {
		return nil, err
	}
	if f.Rank() == 0 {
		return nil, errors.New("K(z,z) is 0 for every landmark: the kernel sees nothing in this data")
	}
	inverse, err := linalg.InvertLower(ctx, r.Run, f.L)
	if err != nil {
		return nil, err
	}
	return NewOrthogonal(r.Kernel, data.Subset[T]{Of: z, Index: f.Pivot}, z.Len(), inverse, r.Run.Precision), nil
}

// NotPSDError reports a similarity function that is no kernel: the Gram matrix
// of the landmarks has a negative eigenvalue.
type NotPSDError struct {
	Value float64 // the offending value, relative to the largest K(z, z)
	What  string
}

func (e *NotPSDError) Error() string {
	return fmt.Sprintf("not a kernel on this data: %s (%.3g of the largest K(z,z)); F2 and F3 need a positive semidefinite kernel; F1 takes any similarity, and F2 can repair its spectrum (clip, flip or shift)", e.What, e.Value)
}

// checkPSD looks for proof that the factorised matrix is not positive
// semidefinite: a remaining diagonal entry that is negative beyond rounding, or
// an off-diagonal one that is too large for its diagonal entries. Rounding
// changes a diagonal entry by at most about rank·2⁻⁵² of the largest a step.
func checkPSD(g *data.Matrix, f linalg.Factor) error {
	n, top := g.Rows, 0.0
	for i := range n {
		top = max(top, math.Abs(g.Data[i*n+i]))
	}
	slack := top * 0x1p-52 * 8 * float64(n+1)
	slack = max(slack, 1e-10*top)
	if f.Negative < -slack {
		return &NotPSDError{Value: f.Negative / top, What: "a squared distance to the span of landmarks is negative"}
	}
	for i := range n {
		for j := range i {
			gij, bound := g.Data[i*n+j], max(0, g.Data[i*n+i])*max(0, g.Data[j*n+j])
			if gij*gij > bound+slack*top {
				what := fmt.Sprintf("K(z%d,z%d)² is larger than K(z%d,z%d)·K(z%d,z%d)", i+1, j+1, i+1, i+1, j+1, j+1)
				return &NotPSDError{Value: math.Abs(gij) / max(top, math.SmallestNonzeroFloat64), What: what}
			}
		}
	}
	return nil
}

// Orthogonal is the fitted map F2.
type Orthogonal[T any] struct {
	landmarks *Landmarks[T]
	drawn     int
	inverse   *data.Matrix // L⁻¹, rank×rank, lower triangular
	rotation  *compute.Fixed
}

// NewOrthogonal returns F2 with the given independent landmarks and the inverse
// of their Cholesky factor. drawn is how many landmarks there were before
// dependent ones were left out; similarities are computed in precision p.
func NewOrthogonal[T any](k kernel.Kernel[T], z data.Source[T], drawn int, inverse *data.Matrix, p run.Precision) *Orthogonal[T] {
	if inverse.Rows != z.Len() || inverse.Cols != z.Len() {
		panic("feature: the factor does not fit the landmarks")
	}
	return &Orthogonal[T]{
		landmarks: NewLandmarks(k, z, p), drawn: drawn,
		inverse: inverse, rotation: compute.NewLower(inverse.Data, inverse.Rows),
	}
}

// Dim returns the rank of the landmarks' Gram matrix.
func (m *Orthogonal[T]) Dim() int { return m.inverse.Rows }

// Drawn returns how many landmarks were drawn, dependent ones included.
func (m *Orthogonal[T]) Drawn() int { return m.drawn }

// Landmarks returns the independent landmarks as the map F1.
func (m *Orthogonal[T]) Landmarks() *Landmarks[T] { return m.landmarks }

// Inverse returns L⁻¹. It is shared and must not be written to.
func (m *Orthogonal[T]) Inverse() *data.Matrix { return m.inverse }

// MapTo sets dst = L⁻¹·F1(x).
func (m *Orthogonal[T]) MapTo(dst []float64, x T) {
	similar := make([]float64, m.Dim())
	m.landmarks.MapTo(similar, x)
	m.rotation.Mul(dst, m.Dim(), similar, m.Dim(), 1)
}

// MapBlock maps the instances of x into the rows of dst.
func (m *Orthogonal[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	similar := make([]float64, x.Len()*m.Dim())
	if err := m.landmarks.MapBlock(ctl, similar, x, first); err != nil {
		return err
	}
	m.rotation.Mul(dst, m.Dim(), similar, m.Dim(), x.Len())
	return nil
}
