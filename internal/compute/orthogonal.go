package compute

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Orthogonaliser is a Bound that makes its columns' images orthogonal where it computes: in double precision
// alone.
type Orthogonaliser interface {
	// Orthogonalise factors K between the columns by linalg.PivotedCholesky, to the same rule of
	// pivots and of the rank, and returns the pivots and L⁻¹. It returns ErrNotPSD where K has a value that
	// is not finite or shows by more than the slack, relative to K(y,y), that it is not positive semidefinite,
	// and ErrNoRoom where it has no room for two matrices of that size.
	Orthogonalise(
		ctx context.Context, ctl run.Control, tolerance, slack float64,
	) (pivot []int, inverse *data.Matrix, err error)
}

// ErrNotPSD says that values are at fault. The cores say which.
var ErrNotPSD = errors.New("the matrix is not positive semidefinite, or not finite")
