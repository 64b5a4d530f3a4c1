package gemm

import "math"

// everywhere is the diagonal of a block that is wanted as a whole.
const everywhere = math.MaxInt / 2

// A block is the part of C that one worker computes over one block of depth.
type block[F Float] struct {
	*kernels[F]
	c     []F // element (i, j) is c[i·ldc + j-j0]
	ldc   int
	m     int // rows
	j0    int // columns j0 to j1 of those that b holds
	j1    int
	diag  int // element (i, j) is wanted where j ≤ i + diag
	alpha F
	tile  []F // MR·NR elements of scratch
}

// multiply adds alpha·a·b to the block, or sets it to that, where a has the
// block's rows and b starts with the strip of column 0, both of depth k.
//
// A strip of b meets all strips of a before the next is taken. What lies across
// an edge or the diagonal is computed by the same kernels in scratch.
func (u *block[F]) multiply(k int, a, b []F, add bool) {
	mr, nr := u.mr, u.nr
	for s := u.j0 / nr; s*nr < u.j1; s++ {
		lo, hi := max(u.j0, s*nr), min(u.j1, (s+1)*nr)
		strip := b[s*nr*k:][:nr*k]

		// Tiles before first lie above the diagonal, those from whole on
		// below it.
		first := max(0, lo-u.diag) / mr
		whole := (max(0, hi-1-u.diag) + mr - 1) / mr
		if hi-lo < nr {
			whole = (u.m + mr - 1) / mr
		}
		t := first
		for ; t < whole && t*mr < u.m; t++ {
			u.partial(k, t, a, strip, lo, hi, lo-s*nr, add)
		}
		if n := u.m/mr - t; n > 0 {
			c := u.c[t*mr*u.ldc+lo-u.j0:]
			_ = c[(n*mr-1)*u.ldc+nr-1]
			u.full(k, n, a[t*mr*k:][:n*mr*k], strip, c, u.ldc, u.alpha, add)
			t += n
		}
		if t*mr < u.m {
			u.bottom(k, t, a, strip, lo, add)
		}
	}
}

// bottom computes tile t, the last, which has less than MR rows and all NR
// columns.
func (u *block[F]) bottom(k, t int, a, strip []F, lo int, add bool) {
	rows := u.m - t*u.mr
	e := u.edgeFor(rows, u.nr)
	if e.rows > rows {
		u.partial(k, t, a, strip, lo, lo+u.nr, 0, add)
		return
	}
	c := u.c[t*u.mr*u.ldc+lo-u.j0:]
	_ = c[(rows-1)*u.ldc+u.nr-1]
	e.run(k, 1, a[t*u.mr*k:][:u.mr*k], strip, c, u.ldc, u.alpha, add)
}

// partial computes tile t in scratch and copies what is wanted of columns lo to
// hi, which start skip columns into the strip.
func (u *block[F]) partial(k, t int, a, strip []F, lo, hi, skip int, add bool) {
	mr, nr := u.mr, u.nr
	rows := min(mr, u.m-t*mr)
	if add {
		for i := range rows {
			if n := min(hi, t*mr+i+u.diag+1) - lo; n > 0 {
				copy(u.tile[i*nr+skip:], u.c[(t*mr+i)*u.ldc+lo-u.j0:][:n])
			}
		}
	}
	u.edgeFor(rows, skip+hi-lo).run(k, 1, a[t*mr*k:][:mr*k], strip, u.tile, nr, u.alpha, add)
	for i := range rows {
		if n := min(hi, t*mr+i+u.diag+1) - lo; n > 0 {
			copy(u.c[(t*mr+i)*u.ldc+lo-u.j0:][:n], u.tile[i*nr+skip:])
		}
	}
}

// scale multiplies the block by beta.
func (u *block[F]) scale(beta F) {
	for i := range u.m {
		n := min(u.j1, i+u.diag+1) - u.j0
		if n <= 0 {
			continue
		}
		row := u.c[i*u.ldc:][:n]
		for j := range row {
			row[j] *= beta
		}
	}
}
