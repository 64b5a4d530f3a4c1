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

// F2 is the recipe of the orthogonal projection of φ(x) onto the span of the
// landmarks: F2(x) = L⁻¹·F1(x) with M = L·Lᵀ the Cholesky factorisation of the
// landmarks' Gram matrix (Blum's survey, theorem 4, with U = Lᵀ). Inner
// products of landmarks' images are the kernel's values, and |F2(x)|² ≤ K(x,x).
//
// If the data have margin γ in K's feature space and Size is at least
// bound.Landmarks(γ, ε, 1-δ), then with probability 1-δ the mapped data are
// separable with error at most ε at margin γ/2. This supposes landmarks that are
// drawn alike (Uniform, Independent); the other selections often need fewer, and
// promise what docs/math/selection.md says.
//
// The factorisation pivots: in every step it takes the landmark whose squared
// distance to the span of those taken before is the largest part of its own
// K(z,z), and stops when that part falls to Tolerance. The part is the squared
// sine of an angle, as margins are cosines: the lengths of landmarks do not
// matter. Landmarks that depend on the others (duplicates and those with
// K(z,z) = 0 among them) are left out, the map gets smaller, and nothing of the
// span is lost but what Tolerance allows.
//
// Where Run asks for float32, kernel values of mapped instances are computed in
// it, and Tolerance counts as 1e-6 if it is less; all else is float64.
type F2[T any] struct {
	Kernel    kernel.Kernel[T]
	Size      int       // landmarks to draw
	Select    Selection // how to draw them; empty means Uniform, without replacement
	Pool      int       // instances that Select looks at; 0 means max(20·Size, 10,000)
	Tolerance float64   // part of K(z,z) at which the squared distance counts as none
	Seed      uint64
	Run       run.Control
}

// singleTolerance is the least tolerance where kernel values are computed in
// float32: features are then rounded to about 6e-5 of |φ(x)|.
const singleTolerance = 1e-6

// DefaultTolerance keeps inner products of landmarks x and y to 1e-12 of
// √(K(x,x)·K(y,y)) and the rounding of a feature below about 1e-10 of |φ(x)|.
const DefaultTolerance = 1e-12

// NewF2 returns the recipe with the default tolerance and seed 1.
func NewF2[T any](k kernel.Kernel[T], size int) F2[T] {
	return F2[T]{Kernel: k, Size: size, Tolerance: DefaultTolerance, Seed: 1}
}

// Validate reports every field that is out of range.
func (r F2[T]) Validate() error {
	faults := []error{validate(r.Kernel, r.Size), r.Select.Validate(), validatePool(r.Pool)}
	if !(r.Tolerance >= 0 && r.Tolerance < 1) {
		faults = append(faults, fmt.Errorf("tolerance is %v and must be at least 0 and below 1", r.Tolerance))
	}
	return errors.Join(faults...)
}

// Fit draws the landmarks from x and factorises their Gram matrix. It evaluates
// the kernel Size·(Size+1)/2 times, after what Select looks at (Chooser says how
// often). It returns a *NotPSDError where the matrix shows that K is no kernel.
func (r F2[T]) Fit(ctx context.Context, x data.Source[T]) (*Orthogonal[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return nil, errors.New("no data to draw landmarks from")
	}
	z, err := r.choose(ctx, x)
	if err != nil {
		return nil, err
	}
	return r.FitTo(ctx, z)
}

// choose returns the landmarks that the recipe draws from x.
func (r F2[T]) choose(ctx context.Context, x data.Source[T]) (data.Source[T], error) {
	chooser := Chooser[T]{Kernel: r.Kernel, Select: r.Select, Size: r.Size, Pool: r.Pool, Tolerance: r.tolerance(),
		Seed: r.Seed, Run: r.Run}
	return chooser.landmarks(ctx, x)
}

// tolerance returns the tolerance that holds in the precision of the run.
func (r F2[T]) tolerance() float64 {
	if r.Run.Precision == run.Float32 {
		return max(r.Tolerance, singleTolerance)
	}
	return r.Tolerance
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
	pivot, inverse, done, err := gram.Orthogonalise(ctx, r.Run, r.Kernel, z, r.tolerance(), slack(z.Len()))
	if !done {
		pivot, inverse, err = r.orthogonalise(ctx, z)
	}
	if err != nil {
		return nil, err
	}
	if len(pivot) == 0 {
		return nil, ErrBlind
	}
	return NewOrthogonal(r.Kernel, data.Subset[T]{Of: z, Index: pivot}, z.Len(), inverse, r.Run.Precision), nil
}

// orthogonalise returns the pivots and the inverse of the factor. The cores compute.
func (r F2[T]) orthogonalise(ctx context.Context, z data.Source[T]) (pivot []int, inverse *data.Matrix, err error) {
	g, err := gram.Symmetric(ctx, r.Run, r.Kernel, z)
	if err != nil {
		return nil, nil, err
	}
	f, err := linalg.PivotedCholesky(ctx, r.Run, g, r.tolerance())
	if err != nil {
		return nil, nil, err
	}
	if err := checkPSD(g, f); err != nil {
		return nil, nil, err
	}
	inverse, err = linalg.InvertLower(ctx, r.Run, f.L)
	return f.Pivot, inverse, err
}

// ErrBlind reports a kernel that is 0 on the data.
var ErrBlind = errors.New("K(z,z) is 0 for every landmark: the kernel sees nothing in this data")

// NotPSDError reports a similarity function that is no kernel: the Gram matrix
// of the landmarks has a negative eigenvalue.
type NotPSDError struct {
	Value float64 // the offending value, relative to K(z, z)
	What  string
}

func (e *NotPSDError) Error() string {
	return fmt.Sprintf("not a kernel on this data: %s (%.3g relative to K(z,z)); F2 and F3 need a positive "+
		"semidefinite kernel; F1 takes any similarity, and F2 can repair its spectrum (clip, flip or shift)", e.What, e.Value)
}

// slack is how much of K(z,z) rounding may account for, with n landmarks: it changes a diagonal entry by at most
// about rank·2⁻⁵² of itself a step.
func slack(n int) float64 { return max(1e-10, 8*0x1p-52*float64(n+1)) }

// checkPSD looks for proof that the factorised matrix is not positive
// semidefinite: a remaining diagonal entry that is negative beyond rounding, or
// an off-diagonal one that is too large for its diagonal entries.
func checkPSD(g *data.Matrix, f linalg.Factor) error {
	n := g.Rows
	slack := slack(n)
	if f.Negative < -slack {
		return &NotPSDError{Value: f.Negative, What: "a squared distance to the span of landmarks is negative"}
	}
	diag := make([]float64, n)
	for i := range n {
		diag[i] = g.Data[i*n+i]
	}
	scale := linalg.Scales(diag)
	for i := range n {
		for j := range i {
			gij, bound := g.Data[i*n+j], max(0, diag[i])*max(0, diag[j])
			if gij*gij > bound+slack*scale[i]*scale[j] {
				what := fmt.Sprintf("K(z%d,z%d)² is larger than K(z%d,z%d)·K(z%d,z%d)", i+1, j+1, i+1, i+1, j+1, j+1)
				return &NotPSDError{Value: math.Abs(gij) / math.Sqrt(scale[i]) / math.Sqrt(scale[j]), What: what}
			}
		}
	}
	return nil
}

// Orthogonal is the fitted map F2, x ↦ L⁻¹·F1(x). Its dimension is the rank of
// the landmarks' Gram matrix, and its landmarks are the independent ones.
type Orthogonal[T any] struct {
	*rotated[T]
	drawn   int
	inverse *data.Matrix // L⁻¹, rank×rank, lower triangular
}

// NewOrthogonal returns F2 with the given independent landmarks and the inverse
// of their Cholesky factor. drawn is how many landmarks there were before
// dependent ones were left out; similarities are computed in precision p.
func NewOrthogonal[T any](
	k kernel.Kernel[T], z data.Source[T], drawn int, inverse *data.Matrix, p run.Precision,
) *Orthogonal[T] {
	if inverse.Rows != z.Len() || inverse.Cols != z.Len() {
		panic("feature: the factor does not fit the landmarks")
	}
	return &Orthogonal[T]{
		rotated: newRotated(NewLandmarks(k, z, p), inverse, true),
		drawn:   drawn, inverse: inverse,
	}
}

// Drawn returns how many landmarks were drawn, dependent ones included.
func (m *Orthogonal[T]) Drawn() int { return m.drawn }

// Inverse returns L⁻¹. It is shared and must not be written to.
func (m *Orthogonal[T]) Inverse() *data.Matrix { return m.inverse }

// Leading returns the map of the first dim features alone, F2 with the landmarks that the
// factorisation took first: L⁻¹ is lower triangular, so that these features need no others.
func (m *Orthogonal[T]) Leading(dim int) *Orthogonal[T] {
	if dim < 1 || dim > m.Dim() {
		panic("feature: so many features lead no map")
	}
	if dim == m.Dim() {
		return m
	}
	inverse := data.NewMatrix(dim, dim)
	for i := range dim {
		copy(inverse.Row(i), m.inverse.Row(i))
	}
	f1 := m.Landmarks()
	return NewOrthogonal(f1.Kernel(), data.Range[T]{Of: f1.Instances(), Hi: dim}, dim, inverse, f1.Precision())
}
