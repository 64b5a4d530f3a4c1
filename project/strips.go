package project

import (
	"context"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// slab is how many coordinates of x are added up at a time: as strips of
// stripBytes they stay in the second level of cache.
const (
	slab       = 1024
	stripBytes = 512
)

// sparse is the form of a Sparse projection. Coordinate j of an image is
//
//	scale·(Σ⁺ x_i - Σ⁻ x_i)
//
// over the i with a positive and those with a negative entry, each sum in
// increasing order of i. Terms that are 0 change no sum, so that vectors may be
// read dense or sparse.
type sparse struct {
	n, out int
	scale  float64

	// By rows: entries start[i] to start[i+1] are those of row i, 2·j for a
	// positive one in column j and 2·j + 1 for a negative one.
	start []int
	entry []int32

	// By columns: bound[l] to bound[l+1] of row, l = (2·out)·(i/slab) + e, are
	// the numbers i%slab of the rows with entry e.
	bound []int
	row   []int32

	pool sync.Pool // of *[]float64, for apply
}

func (f *sparse) newSums() any {
	s := make([]float64, 2*f.out)
	return &s
}

func (f *sparse) apply(dst []float64, v data.Vector) {
	space := f.pool.Get().(*[]float64)
	scatter(f, dst, v, *space)
	f.pool.Put(space)
}

// scatter adds the coordinates of v one after the other to the sums of the
// columns that they take part in; sum has two for each.
func scatter[F gemm.Float](f *sparse, dst []F, v data.Vector, sum []F) {
	clear(sum)
	for k, a := range v.Value {
		i := k
		if v.Index != nil {
			i = int(v.Index[k])
		}
		if i >= f.n {
			break
		}
		if a == 0 {
			continue
		}
		x := F(a)
		for _, e := range f.entry[f.start[i]:f.start[i+1]] {
			sum[e] += x
		}
	}
	scale := F(f.scale)
	for j := range dst {
		dst[j] = scale * (sum[2*j] - sum[2*j+1])
	}
}

func (f *sparse) mapper64() mapper[float64] { return stripMapper[float64]{f} }
func (f *sparse) mapper32() mapper[float32] { return stripMapper[float32]{f} }

// stripMapper maps as many vectors at once as a strip has numbers. The
// coordinates i of all of them lie side by side, so that an entry of A costs an
// addition of strips.
type stripMapper[F gemm.Float] struct{ f *sparse }

// stripScratch belongs to one goroutine.
type stripScratch[F gemm.Float] struct {
	x    []F // a slab of coordinates, transposed
	sum  []F // two strips a column
	flat []F // of some rows
}

func (m stripMapper[F]) bytes(workers int) float64 {
	return float64(workers) * stripBytes * float64(min(m.f.n, slab)+2*m.f.out)
}

func (stripMapper[F]) prepare(context.Context, run.Control) error { return nil }
func (stripMapper[F]) rows() int                                  { return vmath.Strip[F]() }

func (m stripMapper[F]) scratch() any {
	w := vmath.Strip[F]()
	return &stripScratch[F]{
		x:    make([]F, min(m.f.n, slab)*w),
		sum:  make([]F, 2*m.f.out*w),
		flat: make([]F, together*slab),
	}
}

// sparser is the share of coordinates below which rows that are stored sparse
// are better read as such.
const sparser = 2

func (m stripMapper[F]) block(dst []F, x data.Source[data.Vector], lo, hi int, space any) {
	f, s := m.f, space.(*stripScratch[F])
	few := 0
	for i := lo; i < hi; i++ {
		if isSparse(x, i, f.n, sparser) {
			few++
		}
	}
	// A block takes about as long for one vector as for all.
	if hi-lo-few < 8 {
		for i := lo; i < hi; i++ {
			scatter(f, dst[(i-lo)*f.out:][:f.out], x.At(i), s.sum[:2*f.out])
		}
		return
	}
	w := vmath.Strip[F]()
	clear(s.sum)
	for from := 0; from < f.n; from += slab {
		to := min(from+slab, f.n)
		s.strips(x, lo, hi, from, to)
		bound := f.bound[from/slab*2*f.out:]
		for l := range 2 * f.out {
			vmath.SumStrips(s.sum[l*w:][:w], s.x[:(to-from)*w], f.row[bound[l]:bound[l+1]])
		}
	}
	// Sums past hi are of what was there before, and are not read.
	for j := 0; j < f.out; j += together {
		var sums [together][]F
		for k := range min(together, f.out-j) {
			plus, minus := s.sum[2*(j+k)*w:][:w], s.sum[(2*(j+k)+1)*w:][:w]
			vmath.Axpy(plus, -1, minus)
			vmath.Scale(plus, F(f.scale))
			sums[k] = plus[:hi-lo]
		}
		transpose(dst[j:], f.out, min(together, f.out-j), &sums)
	}
}

// together is how many rows are transposed at a time, so that whole pieces of
// lines of cache are written.
const together = 8

// strips writes coordinates from to to of the rows lo to hi of x into strips.
func (s *stripScratch[F]) strips(x data.Source[data.Vector], lo, hi, from, to int) {
	for i := lo; i < hi; i += together {
		var rows [together][]F
		for r := range min(together, hi-i) {
			rows[r] = part(s.flat[r*slab:][:to-from], x, i+r, from)
		}
		transpose(s.x[i-lo:], vmath.Strip[F](), min(together, hi-i), &rows)
	}
}

// transpose sets dst[k·stride+r] = rows[r][k] for the first n rows, which are of
// one length.
func transpose[F gemm.Float](dst []F, stride, n int, rows *[together][]F) {
	if n < together {
		for r, row := range rows[:n] {
			for k, v := range row {
				dst[k*stride+r] = v
			}
		}
		return
	}
	a := rows[0]
	m := len(a)
	b, c, d, e, f, g, h := rows[1][:m], rows[2][:m], rows[3][:m], rows[4][:m], rows[5][:m], rows[6][:m], rows[7][:m]
	for k := range a {
		to := dst[k*stride:][:together]
		to[0], to[1], to[2], to[3] = a[k], b[k], c[k], d[k]
		to[4], to[5], to[6], to[7] = e[k], f[k], g[k], h[k]
	}
}

// part returns the coordinates of vector i of x from the given one on, as many as
// dst has, padded with zeros: where they lie in memory if they can be taken from
// there, and else in dst.
func part[F gemm.Float](dst []F, x data.Source[data.Vector], i, from int) []F {
	if row, ok := data.Row32(x, i); ok {
		return tail(dst, row, from)
	}
	v := x.At(i)
	if v.Index == nil {
		return tail(dst, v.Value, from)
	}
	clear(dst)
	for k, i := range v.Index {
		if int(i) >= from+len(dst) {
			break
		}
		if int(i) >= from {
			dst[int(i)-from] = F(v.Value[k])
		}
	}
	return dst
}

// tail is part for a dense row.
func tail[F, G gemm.Float](dst []F, row []G, from int) []F {
	row = row[min(from, len(row)):]
	if same, ok := any(row).([]F); ok && len(row) >= len(dst) {
		return same[:len(dst)]
	}
	convert(dst, row)
	return dst
}
