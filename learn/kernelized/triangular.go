package kernelized

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// vectorsPerTask is how many right-hand sides one task solves for: a row of the
// triangle is read once for all of them. triangleBlock is how many unknowns are solved
// for before the others hear of them.
const (
	vectorsPerTask = 8
	triangleBlock  = 256
	triangleTasks  = 4 // for each worker at least: a task takes hardly longer than a worker to wake up
)

// solveTriangle replaces every row b of x by the solution z of L·z = b, or of
// Lᵀ·z = b where transposed, for the lower triangle l with a non-zero diagonal.
// Entries above the diagonal are not read. The unknowns come in blocks: those of a
// block are solved for one by one, and what they mean for all others is then taken from
// these, a block a task. The cost is n² operations and one pass over the triangle for
// every few rows.
func solveTriangle(ctx context.Context, ctl run.Control, x, l *data.Matrix, transposed bool) error {
	n := l.Rows
	blocks, groups := par.Blocks(n, triangleBlock), par.Blocks(x.Rows, vectorsPerTask)
	for step := range blocks {
		block, others := step, blocks-1-step // those behind it
		if transposed {
			block, others = blocks-1-step, blocks-1-step // those before it
		}
		lo, hi := par.Range(block, n, triangleBlock)
		err := par.For(ctx, ctl, "", groups, func(g int) error {
			solveBlock(vectors(x, g), l, lo, hi, transposed)
			return nil
		})
		if err != nil {
			return err
		}
		few := ctl
		few.Workers = max(1, min(ctl.Cores(), others*groups/triangleTasks))
		err = par.For(ctx, few, "", others*groups, func(task int) error {
			if v := vectors(x, task%groups); transposed {
				from, to := par.Range(task/groups, n, triangleBlock)
				tellBefore(v, l, lo, hi, from, to)
			} else {
				from, to := par.Range(block+1+task/groups, n, triangleBlock)
				tellBehind(v, l, lo, hi, from, to)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// vectors returns the right-hand sides of a group.
func vectors(x *data.Matrix, group int) [][]float64 {
	lo, hi := par.Range(group, x.Rows, vectorsPerTask)
	out := make([][]float64, 0, vectorsPerTask)
	for k := lo; k < hi; k++ {
		out = append(out, x.Row(k))
	}
	return out
}

// solveBlock solves for the unknowns lo to hi, which have heard of all others.
func solveBlock(x [][]float64, l *data.Matrix, lo, hi int, transposed bool) {
	for step := range hi - lo {
		i := lo + step
		if transposed {
			i = hi - 1 - step
		}
		row := l.Row(i)
		for _, z := range x {
			if transposed {
				z[i] /= row[i]
				vmath.Axpy(z[lo:i], -z[i], row[lo:i])
			} else {
				z[i] = (z[i] - vmath.Dot(row[lo:i], z[lo:i])) / row[i]
			}
		}
	}
}

// tellBehind takes what the unknowns lo to hi mean from the right-hand sides of rows
// behind them.
func tellBehind(x [][]float64, l *data.Matrix, lo, hi, from, to int) {
	for i := from; i < to; i++ {
		row := l.Row(i)[lo:hi]
		for _, z := range x {
			z[i] -= vmath.Dot(row, z[lo:hi])
		}
	}
}

// tellBefore is tellBehind for the transposed triangle, where rows before them hear.
func tellBefore(x [][]float64, l *data.Matrix, lo, hi, from, to int) {
	for i := hi - 1; i >= lo; i-- {
		row := l.Row(i)[from:to]
		for _, z := range x {
			vmath.Axpy(z[from:to], -z[i], row)
		}
	}
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
