package gemm

import "slices"

// thinPart is the part of the values of a row that may differ from 0, as one in so many, for
// products to be faster value by value.
const thinPart = 4

// Thin holds the rows of a matrix A, most of whose elements are 0, for products A·Bᵀ
// that leave those out. Sums have the bits of Tile where B is finite: they lose terms that
// are 0 alone. Pack fills it, and fills it again without allocating where it is large
// enough. The zero Thin has no rows. It belongs to one goroutine.
type Thin[F Float] struct {
	t     *kernels[F]
	m, k  int
	start []int32 // of the values of each row, and their end, block of depth by block
	at    []int32 // where the columns' elements are in a strip
	value []F
	tile  scratch[F]
}

// Pack packs m rows of k elements, row i at a[i·lda], and reports whether they have few
// enough values for that to be worth it.
func (l *Thin[F]) Pack(a []F, lda, m, k int) bool {
	checkRows(a, lda, m, k)
	l.t, l.m, l.k = kernelsOf[F](), m, k
	most := m * k / thinPart
	l.start, l.at, l.value = l.start[:0], grown(l.at, most+k), grown(l.value, most+k)
	n := 0
	for p0 := 0; p0 < k; p0 += l.t.kc {
		depth := min(l.t.kc, k-p0)
		for i := range m {
			if n > most {
				return false
			}
			l.start = append(l.start, int32(n))
			at, value := l.at[n:][:depth], l.value[n:][:depth]
			kept := 0
			for p, v := range a[i*lda+p0:][:depth] {
				at[kept], value[kept] = int32(p*l.t.nr), v // the next overwrites what is 0
				if v != 0 {
					kept++
				}
			}
			n += kept
		}
		l.start = append(l.start, int32(n))
	}
	return n <= most
}

func grown[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

// TileThin is Tile for rows of few values, and does not add.
func TileThin[F Float](dst []F, ldd int, a *Thin[F], b *Packed[F], j0, j1 int) {
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
	if a.k == 0 {
		for i := range a.m {
			clear(dst[i*ldd:][:j1-j0])
		}
	}
	t, wide := a.t, roundUp(b.n, a.t.nr)
	for s := j0 / t.nr; s*t.nr < j1; s++ {
		lo, hi := max(j0, s*t.nr), min(j1, (s+1)*t.nr)
		into, ld := dst[lo-j0:], ldd
		if hi-lo < t.nr { // what lies across an edge is computed in scratch
			into, ld = a.tile.grow(a.m*t.nr), t.nr
		}
		_ = into[(a.m-1)*ld+t.nr-1]
		for p0, start := 0, a.start; p0 < a.k; p0, start = p0+t.kc, start[a.m+1:] {
			k := min(t.kc, a.k-p0)
			t.thin(a.m, start, a.at, a.value, b.data[p0*wide+s*t.nr*k:][:t.nr*k], into, ld, p0 > 0)
		}
		if hi-lo < t.nr {
			for i := range a.m {
				copy(dst[i*ldd+lo-j0:][:hi-lo], into[i*t.nr+lo-s*t.nr:])
			}
		}
	}
}
