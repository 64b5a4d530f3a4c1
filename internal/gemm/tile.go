package gemm

// Packed holds the rows of a matrix B for products A·Bᵀ, packed for the
// micro-kernel of the level at which it was made. It is immutable and may be
// used by many goroutines.
type Packed[F Float] struct {
	t    *kernels[F]
	n, k int
	data []F // blocks of depth, each of strips of NR rows
}

// Pack packs n rows of k elements, row j at b[j·ldb]. It copies n·k elements.
func Pack[F Float](b []F, ldb, n, k int) *Packed[F] {
	checkRows(b, ldb, n, k)
	t := kernelsOf[F]()
	wide := roundUp(n, t.nr)
	p := &Packed[F]{t: t, n: n, k: k, data: aligned[F](wide * k)}
	v := Rows(b, n, k, ldb)
	for p0 := 0; p0 < k; p0 += t.kc {
		t.pack(p.data[p0*wide:], t.nr, v, 0, n, p0, min(t.kc, k-p0))
	}
	return p
}

// Len returns the number of rows that are packed.
func (p *Packed[F]) Len() int { return p.n }

// Depth returns the length of a row.
func (p *Packed[F]) Depth() int { return p.k }

// Left holds the rows of a matrix A for products A·Bᵀ. Pack fills it, and fills
// it again without allocating where it is large enough. The zero Left has no
// rows. It belongs to one goroutine.
type Left[F Float] struct {
	t     *kernels[F]
	m, k  int
	data  []F // blocks of depth, each of strips of MR rows
	space scratch[F]
	tile  scratch[F]
}

// Pack packs m rows of k elements, row i at a[i·lda].
func (l *Left[F]) Pack(a []F, lda, m, k int) {
	checkRows(a, lda, m, k)
	t := kernelsOf[F]()
	high := roundUp(m, t.mr)
	l.t, l.m, l.k = t, m, k
	l.data = l.space.grow(high * k)
	v := Rows(a, m, k, lda)
	for p0 := 0; p0 < k; p0 += t.kc {
		t.pack(l.data[p0*high:], t.mr, v, 0, m, p0, min(t.kc, k-p0))
	}
}

// Len returns the number of rows that are packed.
func (l *Left[F]) Len() int { return l.m }

// TileSize returns the number of rows of A and of B whose tile stays in the
// second level of cache beside what it is computed from, for a depth up to a
// few hundred. Any other size is as correct.
func TileSize[F Float]() (rows, cols int) {
	t := kernelsOf[F]()
	return t.tileRows, t.tileCols
}

// Tile sets, for all rows i of a and the rows j0 ≤ j < j1 of b,
//
//	dst[i·ldd + j-j0] = Σ_p a(i, p)·b(j, p)
//
// or adds the sum, block of depth by block, where add is true. It does not read
// dst where add is false, and does not allocate. Both must have been packed at
// the same level and depth.
func Tile[F Float](dst []F, ldd int, a *Left[F], b *Packed[F], j0, j1 int, add bool) {
	if j0 < 0 || j1 < j0 || j1 > b.n {
		panic("gemm: columns outside of the packed rows")
	}
	checkRows(dst, ldd, a.m, j1-j0)
	if a.m == 0 || j0 == j1 {
		return
	}
	if a.k != b.k || a.t != b.t {
		panic("gemm: sides packed for another depth or level")
	}
	t := a.t
	if a.k == 0 && !add {
		for i := range a.m {
			clear(dst[i*ldd:][:j1-j0])
		}
	}
	high, wide := roundUp(a.m, t.mr), roundUp(b.n, t.nr)
	u := block[F]{kernels: t, ldc: ldd, j0: j0, j1: j1, diag: everywhere, alpha: 1, tile: a.tile.grow(t.mr * t.nr)}
	for i0 := 0; i0 < a.m; i0 += t.mc {
		u.c, u.m = dst[i0*ldd:], min(t.mc, a.m-i0)
		for p0 := 0; p0 < a.k; p0 += t.kc {
			k := min(t.kc, a.k-p0)
			u.multiply(k, a.data[p0*high+i0*k:], b.data[p0*wide:], add || p0 > 0)
		}
	}
}
