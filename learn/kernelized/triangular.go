package kernelized

import (
	"context"
	"slices"
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
	triangleBlock  = 64
	triangleTiles  = 64 // for each worker at least: fewer take hardly longer than a worker to wake up
)

// lower is a lower triangle with a non-zero diagonal, in tiles of 64 × 64: tile (k, s) has the entries of rows
// 64k … and columns 64s …
type lower[F float32 | float64] struct {
	n      int
	value  []F
	packed bool // the tiles stand one behind the other, and not in rows of n
}

// lowerOf is the lower triangle of an n×n matrix.
func lowerOf[F float32 | float64](value []F, n int) lower[F] {
	return lower[F]{n: n, value: value[:n*n]}
}

// packed is lowerOf a matrix for a triangle that is solved with often, and then read from memory at its speed: the
// tiles stand in the order that solutions call for them, and those below the diagonal, transposed, behind them once
// more. Both together take the memory of m, which is no matrix any more.
func packed(ctx context.Context, ctl run.Control, m *data.Matrix) (lower[float64], error) {
	n := m.Rows
	l := lowerOf(m.Data, n)
	if n < 2*triangleBlock {
		return l, nil
	}
	p := lower[float64]{n: n, value: l.value, packed: true}
	blocks := par.Blocks(n, triangleBlock)
	strip := make([]float64, 0, n*triangleBlock)
	for k := range blocks { // a strip's place ends before the next one's rows begin
		lo, hi := par.Range(k, n, triangleBlock)
		strip = strip[:0]
		for s := range k + 1 {
			from, to := par.Range(s, n, triangleBlock)
			tile, ld := l.tile(k, s)
			for i := range hi - lo {
				strip = append(strip, tile[i*ld:i*ld+to-from]...)
			}
		}
		copy(p.value[p.start(k):], strip)
	}
	err := par.For(ctx, ctl.Quiet(), "", blocks, func(k int) error {
		for s := k + 1; s < blocks; s++ {
			tile, ld := p.tile(s, k)
			to, rows := p.turned(s, k)
			for i := range rows {
				for j := range triangleBlock {
					to[j*rows+i] = tile[i*ld+j]
				}
			}
		}
		return nil
	})
	return p, err
}

// start returns where the tiles of block k of rows begin.
func (l lower[F]) start(k int) int { return triangleBlock * triangleBlock * k * (k + 1) / 2 }

// tile returns tile (k, s) from its first entry on, and how far apart its rows stand.
func (l lower[F]) tile(k, s int) (value []F, ld int) {
	if !l.packed {
		return l.value[k*triangleBlock*l.n+s*triangleBlock:], l.n
	}
	lo, hi := par.Range(k, l.n, triangleBlock)
	if k == s {
		return l.value[l.start(k)+s*triangleBlock*(hi-lo):], hi - lo
	}
	return l.value[l.start(k)+s*triangleBlock*(hi-lo):], triangleBlock
}

// turned returns tile (s, k), s > k, transposed, and how long its rows are: of packed tiles. They stand from the
// last block of columns to the first, and of each from the last row to the first.
func (l lower[F]) turned(s, k int) (value []F, ld int) {
	blocks := par.Blocks(l.n, triangleBlock)
	last, before := l.n-(blocks-1)*triangleBlock, blocks-2-k       // the last block's length, and how many stand before
	at := l.start(blocks-1) + last*((blocks-1)*triangleBlock+last) // where all others end
	at += triangleBlock * (last*before + triangleBlock*before*(before-1)/2)
	lo, hi := par.Range(s, l.n, triangleBlock)
	return l.value[at+triangleBlock*(l.n-hi):][:triangleBlock*(hi-lo)], hi - lo
}

// rows returns the tile of the triangle, or of the transposed one where s > k, whose rows are those of block k.
func (l lower[F]) rows(k, s int) (value []F, ld int) {
	if s > k {
		return l.turned(s, k)
	}
	return l.tile(k, s)
}

// solve replaces every row b of x, of n numbers each, by the solution z of L·z = b, or of
// Lᵀ·z = b where transposed.
// Entries above the diagonal are not read. The cost is n² operations and one pass over
// the triangle for every few rows.
//
// The unknowns come in blocks, a block a task. A task hears of the blocks before its
// own in their order, each as soon as that is solved, and then solves its own: the
// blocks follow each other like waves, and the workers meet once at the end. Tasks are
// begun in their order, so that what one waits for is always under way.
func (l lower[F]) solve(ctx context.Context, ctl run.Control, x []F, transposed bool) error {
	blocks, groups := par.Blocks(l.n, triangleBlock), par.Blocks(len(x)/max(l.n, 1), vectorsPerTask)
	fronts := newFronts(groups, blocks)
	ctl.Workers = max(1, min(ctl.Cores(), blocks*(blocks+1)/2*groups/triangleTiles))
	return par.For(ctx, ctl, "", blocks*groups, func(task int) error {
		step, f := task/groups, fronts[task%groups]
		defer f.pass(step) // also after a panic, so that nobody waits for ever
		v := vectors(x, l.n, task%groups)
		at := func(step int) int {
			if transposed {
				return blocks - 1 - step
			}
			return step
		}
		for s := range step {
			if s == step-1 { // while others still solve for the block before
				l.fetch(at(step), at(s))
			}
			f.wait(s)
			l.tell(v, at(s), at(step))
		}
		l.solveBlock(v, at(step), transposed)
		return nil
	})
}

// fetch asks for what a block needs when the one before is solved.
func (l lower[F]) fetch(k, s int) {
	if !l.packed {
		return
	}
	for _, of := range [2]int{s, k} {
		rows, ld := l.rows(k, of)
		lo, hi := par.Range(k, l.n, triangleBlock)
		vmath.Prefetch(rows[:(hi-lo)*ld])
	}
}

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

// looks is how often wait looks before it sleeps: for about as long as to be woken up takes.
const looks = 20000

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

// solveBlock solves for the unknowns of block k, which have heard of all others.
func (l lower[F]) solveBlock(x [][]F, k int, transposed bool) {
	lo, hi := par.Range(k, l.n, triangleBlock)
	tile, ld := l.tile(k, k)
	for step := range hi - lo {
		i := step
		if transposed {
			i = hi - lo - 1 - step
		}
		row := tile[i*ld:][:i+1]
		for _, v := range x {
			z := v[lo : lo+i+1]
			if transposed {
				z[i] /= row[i]
				vmath.Axpy(z[:i], -z[i], row[:i])
			} else {
				z[i] = (z[i] - vmath.Dot(row[:i], z[:i])) / row[i]
			}
		}
	}
}

// tell takes what the unknowns of block s mean from the right-hand sides of block k: by a tile whose rows are
// those of block k or, transposed and not packed, of block s.
func (l lower[F]) tell(x [][]F, s, k int) {
	from, to := par.Range(s, l.n, triangleBlock)
	lo, hi := par.Range(k, l.n, triangleBlock)
	if s > k && !l.packed {
		tile, ld := l.tile(s, k)
		for i := range to - from {
			for _, z := range x {
				vmath.Axpy(z[lo:hi], -z[from+i], tile[i*ld:][:hi-lo])
			}
		}
		return
	}
	tile, ld := l.rows(k, s)
	for i := range hi - lo {
		row := tile[i*ld:][:to-from]
		for _, z := range x {
			z[lo+i] -= vmath.Dot(row, z[from:to])
		}
	}
}

// mulTransposed replaces every row v of x by Lᵀ·v.
func (l lower[F]) mulTransposed(x []F) {
	for v := range slices.Chunk(x, l.n) {
		for k := range par.Blocks(l.n, triangleBlock) {
			lo, hi := par.Range(k, l.n, triangleBlock)
			for i := lo; i < hi; i++ { // entries before i are done but for the terms of rows from i on
				a := v[i]
				v[i] = 0
				for s := range k + 1 {
					from, to := par.Range(s, l.n, triangleBlock)
					tile, ld := l.tile(k, s)
					to = min(to, i+1)
					vmath.Axpy(v[from:to], a, tile[(i-lo)*ld:][:to-from])
				}
			}
		}
	}
}
