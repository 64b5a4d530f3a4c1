package compute

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vec"
	"github.com/kerf-ml/kerf/kernel"
)

// Portable computes tiles in plain Go on any machine. Every inner product is
// one sum in the order of the coordinates.
type Portable struct{}

// Name returns "portable".
func (Portable) Name() string { return "portable" }

// Supports reports true: plain Go knows every form.
func (Portable) Supports(kernel.Form) bool { return true }

// Tile computes inner products, then squared distances from them, then the
// scalar function, while the tile is in cache.
func (b Portable) Tile(dst []float64, ld int, x, y *Panel, f kernel.Form) {
	b.dots(dst, ld, x, y)
	for i := range x.N {
		row := dst[i*ld : i*ld+y.N]
		if f.Pair == kernel.Distance2 {
			xx := x.norm2[i]
			for j, yy := range y.norm2 {
				row[j] = max(0, xx+yy-2*row[j])
			}
		}
		apply(f.Map, row)
		if f.Normalized {
			for j, s := range y.scale {
				row[j] *= x.scale[i] * s
			}
		}
	}
}

// dots fills the tile with inner products.
func (b Portable) dots(dst []float64, ld int, x, y *Panel) {
	switch {
	case y.dense != nil && x.dense != nil:
		b.Mul(dst, ld, x.dense, x.D, x.N, y.dense, y.D, y.N, y.D)
	case y.dense != nil:
		for i, v := range x.rows {
			for j := range y.N {
				dst[i*ld+j] = vec.DotSparse(v.Index, v.Value, y.row(j))
			}
		}
	default:
		for i, v := range x.rows {
			y.gather(dst[i*ld:i*ld+y.N], v)
		}
	}
}

// gather adds up what v shares with each vector of an inverted panel.
func (p *Panel) gather(dst []float64, v data.Vector) {
	clear(dst)
	for k, a := range v.Value {
		j := k
		if v.IsSparse() {
			j = int(v.Index[k])
		}
		if j >= p.D {
			return
		}
		list := p.lists[j]
		for n, i := range list.vector {
			dst[i] += a * list.value[n]
		}
	}
}

// apply replaces every s of the row by f(s).
func apply(f kernel.Scalar, row []float64) {
	switch {
	case f.Op == kernel.Identity && f.A == 1 && f.B == 0:
	case f.Op == kernel.Exp:
		for j, s := range row {
			row[j] = math.Exp(f.A*s + f.B)
		}
	default:
		for j, s := range row {
			row[j] = f.At(s)
		}
	}
}

// MulLower multiplies by a lower triangle, four of its rows at a time.
func (b Portable) MulLower(dst []float64, ldd int, a []float64, lda, rows int, l []float64, n int) {
	if rows == 0 {
		return
	}
	for j := 0; j < n; j += 4 {
		w := min(4, n-j)
		b.Mul(dst[j:], ldd, a, lda, rows, l[j*n:], n, w, j+w)
	}
}

// Mul computes blocks of 2×4 inner products, each with an accumulator of its
// own, so that the order of a sum does not depend on where its block lies.
func (Portable) Mul(dst []float64, ldd int, a []float64, lda, rows int, b []float64, ldb, cols, depth int) {
	for j := 0; j < cols; j += 4 {
		i := 0
		if j+4 <= cols {
			b0, b1 := b[j*ldb:][:depth], b[(j+1)*ldb:][:depth]
			b2, b3 := b[(j+2)*ldb:][:depth], b[(j+3)*ldb:][:depth]
			for ; i+2 <= rows; i += 2 {
				a0, a1 := a[i*lda:][:depth], a[(i+1)*lda:][:depth]
				dot2x4(dst[i*ldd+j:], ldd, a0, a1, b0, b1, b2, b3)
			}
		}
		for ; i < rows; i++ {
			ai := a[i*lda:][:depth]
			for c := j; c < min(j+4, cols); c++ {
				dst[i*ldd+c] = dot(ai, b[c*ldb:][:depth])
			}
		}
	}
}

// dot2x4 sets eight inner products. All slices have the length of a0.
func dot2x4(dst []float64, ld int, a0, a1, b0, b1, b2, b3 []float64) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float64
	n := len(a0)
	a1, b0, b1, b2, b3 = a1[:n], b0[:n], b1[:n], b2[:n], b3[:n]
	for k, x := range a0 {
		y := a1[k]
		c0, c1, c2, c3 := b0[k], b1[k], b2[k], b3[k]
		s00 += x * c0
		s01 += x * c1
		s02 += x * c2
		s03 += x * c3
		s10 += y * c0
		s11 += y * c1
		s12 += y * c2
		s13 += y * c3
	}
	dst[0], dst[1], dst[2], dst[3] = s00, s01, s02, s03
	dst[ld], dst[ld+1], dst[ld+2], dst[ld+3] = s10, s11, s12, s13
}

// dot is one inner product in the order of the coordinates.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	sum := 0.0
	for k, a := range x {
		sum += a * y[k]
	}
	return sum
}
