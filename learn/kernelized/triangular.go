package kernelized

import (
	"context"
	"sync/atomic"

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
	triangleTasks  = 2 // for each worker at least: a task takes hardly longer than a worker to wake up
)

// solveTriangle replaces every row b of x by the solution z of L·z = b, or of
// Lᵀ·z = b where transposed, for the lower triangle l with a non-zero diagonal.
// Entries above the diagonal are not read. The cost is n² operations and one pass over
// the triangle for every few rows.
//
// The unknowns come in blocks, a block a task. A task hears of the blocks before its
// own in their order, each as soon as that is solved, and then solves its own: the
// blocks follow each other like waves, and the workers meet once at the end. Tasks are
// begun in their order, so that what one waits for is always under way.
func solveTriangle(ctx context.Context, ctl run.Control, x, l *data.Matrix, transposed bool) error {
	return solveTriangleOf(ctx, ctl, x.Data, l.Data, l.Rows, transposed)
}

// solveTriangleOf is solveTriangle in the precision F, for the rows of x, of n numbers each, and an n×n triangle.
func solveTriangleOf[F float32 | float64](
	ctx context.Context, ctl run.Control, x, triangle []F, n int, transposed bool,
) error {
	l := square[F]{triangle, n}
	blocks, groups := par.Blocks(n, triangleBlock), par.Blocks(len(x)/max(n, 1), vectorsPerTask)
	fronts := newFronts(groups, blocks)
	ctl.Workers = max(1, min(ctl.Cores(), blocks*groups/triangleTasks))
	return par.For(ctx, ctl, "", blocks*groups, func(task int) error {
		step, f := task/groups, fronts[task%groups]
		defer f.pass(step) // also after a panic, so that nobody waits for ever
		v := vectors(x, n, task%groups)
		at := func(step int) (lo, hi int) {
			if transposed {
				step = blocks - 1 - step
			}
			return par.Range(step, n, triangleBlock)
		}
		from, to := at(step)
		for s := range step {
			f.wait(s)
			if lo, hi := at(s); transposed {
				tellBefore(v, l, lo, hi, from, to)
			} else {
				tellBehind(v, l, lo, hi, from, to)
			}
		}
		solveBlock(v, l, from, to, transposed)
		return nil
	})
}

// square is an n×n matrix, row by row.
type square[F float32 | float64] struct {
	data []F
	n    int
}

func (m square[F]) row(i int) []F { return m.data[i*m.n:][:m.n] }

// front says which blocks of some right-hand sides are solved.
type front struct {
	steps  atomic.Int64    // how many
	solved []chan struct{} // closed when the block is
}

func newFronts(groups, blocks int) []*front {
	fronts := make([]*front, groups)
	for g := range fronts {
		fronts[g] = &front{solved: make([]chan struct{}, blocks)}
		for s := range blocks {
			fronts[g].solved[s] = make(chan struct{})
		}
	}
	return fronts
}

func (f *front) pass(s int) {
	f.steps.Store(int64(s) + 1)
	close(f.solved[s])
}

// looks is how often wait looks before it sleeps: for some microseconds, which a block
// takes and to be woken up does.
const looks = 5000

// wait returns when block s is solved.
func (f *front) wait(s int) {
	for range looks {
		if f.steps.Load() > int64(s) {
			return
		}
	}
	<-f.solved[s]
}

// vectors returns the right-hand sides of a group.
func vectors[F float32 | float64](x []F, n, group int) [][]F {
	lo, hi := par.Range(group, len(x)/n, vectorsPerTask)
	out := make([][]F, 0, vectorsPerTask)
	for k := lo; k < hi; k++ {
		out = append(out, x[k*n:(k+1)*n])
	}
	return out
}

// solveBlock solves for the unknowns lo to hi, which have heard of all others.
func solveBlock[F float32 | float64](x [][]F, l square[F], lo, hi int, transposed bool) {
	for step := range hi - lo {
		i := lo + step
		if transposed {
			i = hi - 1 - step
		}
		row := l.row(i)
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
func tellBehind[F float32 | float64](x [][]F, l square[F], lo, hi, from, to int) {
	for i := from; i < to; i++ {
		row := l.row(i)[lo:hi]
		for _, z := range x {
			z[i] -= vmath.Dot(row, z[lo:hi])
		}
	}
}

// tellBefore is tellBehind for the transposed triangle, where rows before them hear.
func tellBefore[F float32 | float64](x [][]F, l square[F], lo, hi, from, to int) {
	for i := hi - 1; i >= lo; i-- {
		row := l.row(i)[from:to]
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
