package linalg

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// SolveLower replaces the rows of x by the solutions of L·zᵀ = xᵀ for a lower
// triangle L with a non-zero diagonal: x ← x·L⁻ᵀ. Entries above L's diagonal are
// not read. The cost is rows·n² operations, in matrix products but for leaves.
func SolveLower(ctx context.Context, ctl run.Control, x, l *data.Matrix) error {
	return solveRight(ctx, ctl.Quiet(), viewOf(x), viewOf(l))
}

// solveRight sets x ← x·L⁻ᵀ.
func solveRight[F gemm.Float](ctx context.Context, ctl run.Control, x, l view[F]) error {
	n := l.rows
	if n <= leaf {
		return solveLeaf(ctx, ctl, x, l)
	}
	h := split(n)
	x1, x2 := x.part(0, 0, x.rows, h), x.part(0, h, x.rows, n-h)
	if err := solveRight(ctx, ctl, x1, l.part(0, 0, h, h)); err != nil {
		return err
	}
	if err := gemm.Mul(ctx, ctl, -1, x1.matrix(), l.part(h, 0, n-h, h).matrix().T(), 1, x2.matrix()); err != nil {
		return err
	}
	return solveRight(ctx, ctl, x2, l.part(h, h, n-h, n-h))
}

// solveLeaf multiplies by the inverse of a small triangle.
func solveLeaf[F gemm.Float](ctx context.Context, ctl run.Control, x, l view[F]) error {
	n := l.rows
	if n == 0 || x.rows == 0 {
		return nil
	}
	inverse := view[F]{make([]F, n*n), n, n, n}
	invertLeaf(inverse, l)
	out := view[F]{make([]F, x.rows*n), x.rows, n, n}
	if err := gemm.Mul(ctx, ctl, 1, x.matrix(), inverse.matrix().T(), 0, out.matrix()); err != nil {
		return err
	}
	for i := range x.rows {
		copy(x.row(i), out.row(i))
	}
	return nil
}

// invertLeaf writes L⁻¹ into dst, row by row: row i of L·L⁻¹ = I.
func invertLeaf[F gemm.Float](dst, l view[F]) {
	for i := range l.rows {
		row := dst.row(i)
		clear(row)
		for k := range i {
			vmath.Axpy(row[:k+1], -l.row(i)[k], dst.row(k)[:k+1])
		}
		row[i] = 1
		vmath.Scale(row[:i+1], 1/l.row(i)[i])
	}
}

// InvertLower returns the inverse of a lower triangle with a non-zero diagonal,
// itself lower triangular. Entries above the diagonal are not read.
func InvertLower(ctx context.Context, ctl run.Control, l *data.Matrix) (*data.Matrix, error) {
	inverse := data.NewMatrix(l.Rows, l.Rows)
	return inverse, invert(ctx, ctl.Quiet(), viewOf(inverse), viewOf(l))
}

// invert writes L⁻¹ into dst, whose entries above the diagonal are zero:
//
//	⎡L₁₁    ⎤⁻¹   ⎡      L₁₁⁻¹           ⎤
//	⎣L₂₁ L₂₂⎦   = ⎣-L₂₂⁻¹·L₂₁·L₁₁⁻¹ L₂₂⁻¹⎦
func invert(ctx context.Context, ctl run.Control, dst, l view[float64]) error {
	n := l.rows
	if n <= leaf {
		if err := ctx.Err(); err != nil {
			return err
		}
		invertLeaf(dst, l)
		return nil
	}
	h := split(n)
	b11, b22 := dst.part(0, 0, h, h), dst.part(h, h, n-h, n-h)
	if err := invert(ctx, ctl, b11, l.part(0, 0, h, h)); err != nil {
		return err
	}
	if err := invert(ctx, ctl, b22, l.part(h, h, n-h, n-h)); err != nil {
		return err
	}
	t := view[float64]{make([]float64, (n-h)*h), n - h, h, h}
	if err := gemm.Mul(ctx, ctl, 1, l.part(h, 0, n-h, h).matrix(), b11.matrix(), 0, t.matrix()); err != nil {
		return err
	}
	return gemm.Mul(ctx, ctl, -1, b22.matrix(), t.matrix(), 0, dst.part(h, 0, n-h, h).matrix())
}
