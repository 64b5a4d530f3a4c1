package gemm

// Lower holds a lower triangle B, n×n, for products A·Bᵀ, packed for the
// micro-kernel of the level at which it was made: each strip of NR rows to the
// depth of its last row alone, so that a product costs half of a square's. It
// is immutable and may be used by many goroutines.
type Lower[F Float] struct {
	t    *kernels[F]
	n    int
	data []F   // strips, each of blocks of depth
	at   []int // where a strip starts in data
}

// PackLower packs the lower triangle of an n×n matrix, row j at b[j·ldb]. It does
// not read what is above the diagonal but within a strip, where it must be zero.
func PackLower[F Float](b []F, ldb, n int) *Lower[F] {
	checkRows(b, ldb, n, n)
	t := kernelsOf[F]()
	p := &Lower[F]{t: t, n: n}
	size := 0
	for j := 0; j < n; j += t.nr {
		p.at = append(p.at, size)
		size += t.nr * min(n, j+t.nr)
	}
	p.data = aligned[F](size)
	v := Rows(b, n, n, ldb)
	for s, at := range p.at {
		j := s * t.nr
		rows, depth := min(t.nr, n-j), min(n, j+t.nr)
		for p0 := 0; p0 < depth; p0 += t.kc {
			t.packRight(p.data[at+p0*t.nr:], v, j, rows, p0, min(t.kc, depth-p0))
		}
	}
	return p
}

// Len returns n.
func (p *Lower[F]) Len() int { return p.n }

// TileLower sets dst[i·ldd + j] = Σ_{p ≤ j} a(i, p)·b(j, p) for all rows i of a,
// which must have been packed at the same level with depth n, and all j. It does
// not read dst and does not allocate.
func TileLower[F Float](dst []F, ldd int, a *Left[F], b *Lower[F]) {
	checkRows(dst, ldd, a.m, b.n)
	if a.m == 0 || b.n == 0 {
		return
	}
	if a.k != b.n || a.t != b.t {
		panic("gemm: sides packed for another depth or level")
	}
	t, high := a.t, roundUp(a.m, a.t.mr)
	u := block[F]{kernels: t, ldc: ldd, diag: everywhere, alpha: 1, tile: a.tile.grow(t.mr * t.nr)}
	for s, at := range b.at {
		j := s * t.nr
		depth := min(b.n, j+t.nr)
		u.j1 = min(t.nr, b.n-j)
		for p0 := 0; p0 < depth; p0 += t.kc {
			// The rows of a are packed in blocks of this depth, of which the
			// strip may need the first part alone: then strip by strip.
			packed, k, rows := min(t.kc, a.k-p0), min(t.kc, depth-p0), a.m
			if k < packed {
				rows = t.mr
			}
			for i := 0; i < a.m; i += rows {
				u.c, u.m = dst[i*ldd+j:], min(rows, a.m-i)
				u.multiply(k, a.data[p0*high+i*packed:], b.data[at+p0*t.nr:], p0 > 0)
			}
		}
	}
}
