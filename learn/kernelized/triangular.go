package kernelized

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// vectorsPerTask is how many right-hand sides one task solves for: a row of the
// triangle is read once for all of them.
const vectorsPerTask = 8

// solveTriangle replaces every row b of x by the solution z of L·z = b, or of
// Lᵀ·z = b where transposed, for the lower triangle l with a non-zero diagonal.
// Entries above the diagonal are not read. The cost is n² operations and one
// pass over the triangle for every few rows.
func solveTriangle(ctx context.Context, ctl run.Control, x, l *data.Matrix, transposed bool) error {
	n := l.Rows
	return par.For(ctx, ctl, "", par.Blocks(x.Rows, vectorsPerTask), func(b int) error {
		lo, hi := par.Range(b, x.Rows, vectorsPerTask)
		for step := range n {
			if step%rowsPerCheck == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			i := step
			if transposed {
				i = n - 1 - step
			}
			row := l.Row(i)
			for k := lo; k < hi; k++ {
				z := x.Row(k)
				if transposed {
					z[i] /= row[i]
					vmath.Axpy(z[:i], -z[i], row[:i])
				} else {
					z[i] = (z[i] - vmath.Dot(row[:i], z[:i])) / row[i]
				}
			}
		}
		return nil
	})
}

// mulTransposed replaces every row v of x by Lᵀ·v.
func mulTransposed(x, l *data.Matrix) {
	n := l.Rows
	for k := range x.Rows {
		v := x.Row(k)
		for i := range n { // entries before i are done but for the terms of rows from i on
			a := v[i]
			v[i] = 0
			vmath.Axpy(v[:i+1], a, l.Row(i)[:i+1])
		}
	}
}
