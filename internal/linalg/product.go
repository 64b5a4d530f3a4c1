package linalg

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/run"
)

// The products below run on all cores, 2·m·n·k operations each and half as many for
// a triangle. With β zero C is not read. C must not overlap A or B; shapes that do
// not fit are a caller's bug. When ctx ends C is left half done.

// Mul sets C ← α·A·B + β·C.
func Mul(
	ctx context.Context, ctl run.Control, alpha float64, a, b *data.Matrix, beta float64, c *data.Matrix,
) error {
	return gemm.Mul(ctx, ctl, alpha, viewOf(a).matrix(), viewOf(b).matrix(), beta, viewOf(c).matrix())
}

// MulT sets C ← α·A·Bᵀ + β·C. With B = A and β zero C is symmetric bit for bit.
func MulT(
	ctx context.Context, ctl run.Control, alpha float64, a, b *data.Matrix, beta float64, c *data.Matrix,
) error {
	return gemm.Mul(ctx, ctl, alpha, viewOf(a).matrix(), viewOf(b).matrix().T(), beta, viewOf(c).matrix())
}

// TMul sets C ← α·Aᵀ·B + β·C.
func TMul(
	ctx context.Context, ctl run.Control, alpha float64, a, b *data.Matrix, beta float64, c *data.Matrix,
) error {
	return gemm.Mul(ctx, ctl, alpha, viewOf(a).matrix().T(), viewOf(b).matrix(), beta, viewOf(c).matrix())
}

// SymRank sets C ← α·A·Aᵀ + β·C on and below the diagonal. What is above is neither
// read nor written.
func SymRank(
	ctx context.Context, ctl run.Control, alpha float64, a *data.Matrix, beta float64, c *data.Matrix,
) error {
	v := viewOf(a).matrix()
	return gemm.MulLower(ctx, ctl, alpha, v, v.T(), beta, viewOf(c).matrix())
}

// SymRankT is SymRank for α·Aᵀ·A + β·C.
func SymRankT(
	ctx context.Context, ctl run.Control, alpha float64, a *data.Matrix, beta float64, c *data.Matrix,
) error {
	v := viewOf(a).matrix()
	return gemm.MulLower(ctx, ctl, alpha, v.T(), v, beta, viewOf(c).matrix())
}

// Norms2 sets dst[i] = |a_i|² for the rows of A, with the bits that MulT gives the
// diagonal of A·Aᵀ.
func Norms2(dst []float64, a *data.Matrix) {
	gemm.Norms2(dst, a.Data, a.Cols, a.Rows, a.Cols)
}
