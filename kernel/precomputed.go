package kernel

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
)

// Precomputed is a matrix as a kernel on the instances 0 … n-1: K(i, j) is
// Matrix[i, j]. It serves similarities that were computed or judged elsewhere.
// The matrix must be symmetric, and positive semidefinite to be a kernel; gram.Check
// and gram.CheckMatrix tell.
type Precomputed struct {
	Matrix *data.Matrix
}

// Validate reports a matrix that is not square or whose parts do not fit together.
func (k Precomputed) Validate() error {
	if k.Matrix == nil {
		return errors.New("precomputed: there is no matrix")
	}
	if g := k.Matrix; g.Rows != g.Cols || len(g.Data) != g.Rows*g.Cols {
		return fmt.Errorf("a Gram matrix must be square; this one has %d rows, %d columns and %d values",
			g.Rows, g.Cols, len(g.Data))
	}
	return nil
}

// Eval returns Matrix[x, y]. It panics where x or y is no row of the matrix.
func (k Precomputed) Eval(x, y int) float64 {
	if x < 0 || x >= k.Matrix.Rows || y < 0 || y >= k.Matrix.Cols {
		panic("kernel: an instance that the precomputed matrix does not have")
	}
	return k.Matrix.Data[x*k.Matrix.Cols+y]
}

// Instances returns the instances 0 … n-1.
func (k Precomputed) Instances() data.Slice[int] {
	all := make(data.Slice[int], k.Matrix.Rows)
	for i := range all {
		all[i] = i
	}
	return all
}

func (k Precomputed) String() string { return "precomputed" }
