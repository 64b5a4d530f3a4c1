package gemm

import (
	"context"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Mul sets c ← alpha·a·b + beta·c, where a and b may be transposed views and c
// may not. With beta zero, c is not read. The result is the same bit for bit
// for any number of workers. c must not overlap a or b.
//
// Mul takes 2·m·n·k operations and 16 MiB for a packed panel of b. It
// looks at ctx once a block of c, returns its error where it was cancelled, and
// leaves c with part of its blocks done.
func Mul[F Float](ctx context.Context, ctl run.Control, alpha F, a, b Matrix[F], beta F, c Matrix[F]) error {
	return newProduct(alpha, a, b, beta, c, false).run(ctx, ctl)
}

// MulLower is Mul for the elements of c on and below the diagonal. It neither
// reads nor writes those above.
func MulLower[F Float](ctx context.Context, ctl run.Control, alpha F, a, b Matrix[F], beta F, c Matrix[F]) error {
	return newProduct(alpha, a, b, beta, c, true).run(ctx, ctl)
}

// A product is what Mul was asked to do.
type product[F Float] struct {
	*kernels[F]
	a, b        Matrix[F]
	c           Matrix[F]
	alpha, beta F
	lower       bool
}

func newProduct[F Float](alpha F, a, b Matrix[F], beta F, c Matrix[F], lower bool) *product[F] {
	a.check()
	b.check()
	c.check()
	if c.transposed {
		panic("gemm: transposed result")
	}
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		panic("gemm: shapes do not match")
	}
	// b is packed by its columns: seen as rows, it is the other way around.
	return &product[F]{kernelsOf[F](), a, b.T(), c, alpha, beta, lower}
}

// small is the number of multiplications below which other workers would
// cost more than they give.
const small = 1 << 18

// run cuts the product into panels of b, and these into blocks of c.
func (q *product[F]) run(ctx context.Context, ctl run.Control) error {
	m, n, k := q.c.Rows, q.c.Cols, q.a.Cols
	if err := ctx.Err(); err != nil || m == 0 || n == 0 {
		return err
	}
	if float64(m)*float64(n)*float64(k) < small {
		ctl.Workers = 1
	}
	if k == 0 {
		q.at(0, m, 0, n).finish(q.beta)
		return nil
	}
	space, pool := scratchFrom[F](&panels32, &panels64)
	defer pool.Put(space)
	size := int(unsafe.Sizeof(F(0)))
	broad := roundUp(par.Blocks(n, par.Blocks(n, q.nc)), q.nr)
	for j := 0; j < n; j += broad {
		cols := min(broad, n-j)
		if q.lower && j >= m {
			break
		}
		depth := min(k, q.depth(cols, size))
		panel := space.grow(roundUp(cols, q.nr) * depth)
		for p := 0; p < k; p += depth {
			d := min(depth, k-p)
			if err := q.packPanel(ctx, ctl, panel, j, cols, p, d); err != nil {
				return err
			}
			if err := q.multiplyPanel(ctx, ctl, panel, j, cols, p, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// packPanel packs cols columns of b from column j on, at depth p to p+d: blocks
// of depth KC one after the other, as in Packed.
func (q *product[F]) packPanel(ctx context.Context, ctl run.Control, panel []F, j, cols, p, d int) error {
	wide := roundUp(cols, q.nr)
	group := roundUp(256, q.nr) // columns that one call packs
	groups := par.Blocks(cols, group)
	return par.For(ctx, ctl, "", groups*par.Blocks(d, q.kc), func(i int) error {
		lo, hi := par.Range(i%groups, cols, group)
		p0, p1 := par.Range(i/groups, d, q.kc)
		q.packRight(panel[p0*wide+lo*(p1-p0):], q.b, j+lo, hi-lo, p+p0, p1-p0)
		return nil
	})
}

// multiplyPanel adds the product with a packed panel to the columns of c from j
// on. The blocks of c are taken from the last to the first, because below a
// diagonal the last have the most to do.
func (q *product[F]) multiplyPanel(ctx context.Context, ctl run.Control, panel []F, j, cols, p, d int) error {
	m := q.c.Rows
	high, broad := q.grid(ctl.Cores(), m, cols)
	rowBlocks, colBlocks := par.Blocks(m, high), par.Blocks(cols, broad)
	return par.For(ctx, ctl, "", rowBlocks*colBlocks, func(i int) error {
		i = rowBlocks*colBlocks - 1 - i
		i0, i1 := par.Range(i/colBlocks, m, high)
		j0, j1 := par.Range(i%colBlocks, cols, broad)
		if q.lower && i1 <= j+j0 {
			return nil
		}
		q.multiplyBlock(panel, i0, i1-i0, j, cols, j0, j1, p, d)
		return nil
	})
}

// grid returns the size of the blocks that are handed to workers: MC rows of
// all columns, made smaller until there are some for everyone.
func (q *product[F]) grid(workers, m, n int) (rows, cols int) {
	high := par.Blocks(m, q.mc)
	if workers > 1 {
		high = roundUp(high, workers)
	}
	rows = roundUp(par.Blocks(m, high), q.mr)
	high = par.Blocks(m, rows)
	broad := 1
	if workers > 1 && high < 2*workers {
		broad = par.Blocks(2*workers, high)
	}
	cols = roundUp(par.Blocks(n, broad), q.nr)
	return rows, cols
}

// multiplyBlock computes rows i0 to i0+m and, of the panel's columns, those from
// j0 to j1, over the panel's depth.
func (q *product[F]) multiplyBlock(panel []F, i0, m, j, cols, j0, j1, p, d int) {
	space, pool := scratchFrom[F](&blocks32, &blocks64)
	defer pool.Put(space)
	tile := q.mr * q.nr
	buf := space.grow(tile + roundUp(m, q.mr)*q.kc)
	u := q.at(i0, m, j+j0, j+j1)
	// The panel counts its columns from j on.
	u.j0, u.j1, u.tile = j0, j1, buf[:tile]
	u.diag += -j
	if p == 0 && q.beta != 0 && q.beta != 1 {
		u.scale(q.beta)
	}
	wide := roundUp(cols, q.nr)
	left := buf[tile:]
	for p0 := 0; p0 < d; p0 += q.kc {
		k := min(q.kc, d-p0)
		q.packLeft(left, q.a, i0, m, p+p0, k)
		u.multiply(k, left, panel[p0*wide:], p+p0 > 0 || q.beta != 0)
	}
}

// at returns the block of c with rows i0 to i0+m and columns j0 to j1, which
// counts its columns as c does.
func (q *product[F]) at(i0, m, j0, j1 int) *block[F] {
	diag := everywhere
	if q.lower {
		diag = i0
	}
	return &block[F]{
		kernels: q.kernels, c: q.c.Data[i0*q.c.Stride+j0:], ldc: q.c.Stride,
		m: m, j0: j0, j1: j1, diag: diag, alpha: q.alpha,
	}
}

// finish sets a block whose product is empty.
func (u *block[F]) finish(beta F) {
	if beta == 0 {
		for i := range u.m {
			if n := min(u.j1, i+u.diag+1) - u.j0; n > 0 {
				clear(u.c[i*u.ldc:][:n])
			}
		}
		return
	}
	u.scale(beta)
}
