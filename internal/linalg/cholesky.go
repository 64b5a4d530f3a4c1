// Package linalg holds the factorisations and solvers that maps and learners
// need, on row-major matrices of float64. What takes time is done by the matrix
// products of package gemm; small leaves and what is off the hot path are plain
// or gonum's. All results are the same bits for any number of workers.
package linalg

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// leaf is the size up to which triangles are handled without splitting.
const leaf = 64

// view is a square or rectangular part of a row-major matrix.
type view[F gemm.Float] struct {
	data       []F
	rows, cols int
	ld         int
}

func viewOf(m *data.Matrix) view[float64] { return view[float64]{m.Data, m.Rows, m.Cols, m.Cols} }

// part returns rows i to i+rows-1 and columns j to j+cols-1.
func (v view[F]) part(i, j, rows, cols int) view[F] {
	if rows == 0 || cols == 0 {
		return view[F]{nil, rows, cols, v.ld}
	}
	return view[F]{v.data[i*v.ld+j:], rows, cols, v.ld}
}

func (v view[F]) row(i int) []F { return v.data[i*v.ld:][:v.cols] }

func (v view[F]) matrix() gemm.Matrix[F] { return gemm.Rows(v.data, v.rows, v.cols, v.ld) }

// split returns where to cut n in two: at a multiple of leaf near the middle.
func split(n int) int { return (n/2 + leaf - 1) / leaf * leaf }

// NotPositiveError reports a matrix that is not positive definite.
type NotPositiveError struct {
	Index int     // the row at which it shows
	Pivot float64 // what should have been positive there
}

func (e *NotPositiveError) Error() string {
	return fmt.Sprintf("the matrix is not positive definite: pivot %d is %g", e.Index, e.Pivot)
}

// Cholesky replaces the lower triangle of a symmetric positive definite matrix
// by its factor L, A = L·Lᵀ. The entries above the diagonal are neither read nor
// written. It returns a *NotPositiveError where a pivot is not positive, and
// leaves the triangle half done then and when ctx ends.
//
// It splits the matrix in two recursively, so that all but leaves of 64 rows are
// matrix products: n³/3 operations.
func Cholesky(ctx context.Context, ctl run.Control, a *data.Matrix) error {
	return cholesky(ctx, ctl.Quiet(), viewOf(a), 0)
}

// CholeskyOf is Cholesky of an n×n matrix in the precision F.
func CholeskyOf[F gemm.Float](ctx context.Context, ctl run.Control, a []F, n int) error {
	return cholesky(ctx, ctl.Quiet(), view[F]{a, n, n, n}, 0)
}

func cholesky[F gemm.Float](ctx context.Context, ctl run.Control, a view[F], first int) error {
	n := a.rows
	if n <= leaf {
		return choleskyLeaf(a, first)
	}
	h := split(n)
	a11, a21, a22 := a.part(0, 0, h, h), a.part(h, 0, n-h, h), a.part(h, h, n-h, n-h)
	if err := cholesky(ctx, ctl, a11, first); err != nil {
		return err
	}
	if err := solveRight(ctx, ctl, a21, a11); err != nil {
		return err
	}
	if err := gemm.MulLower(ctx, ctl, -1, a21.matrix(), a21.matrix().T(), 1, a22.matrix()); err != nil {
		return err
	}
	return cholesky(ctx, ctl, a22, first+h)
}

// choleskyLeaf factorises row by row.
func choleskyLeaf[F gemm.Float](a view[F], first int) error {
	for i := range a.rows {
		row := a.row(i)
		for j := range i {
			row[j] = (row[j] - vmath.Dot(row[:j], a.row(j)[:j])) / a.row(j)[j]
		}
		pivot := row[i] - vmath.Dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(float64(pivot), 1) {
			return &NotPositiveError{Index: first + i, Pivot: float64(pivot)}
		}
		row[i] = F(math.Sqrt(float64(pivot)))
	}
	return nil
}
