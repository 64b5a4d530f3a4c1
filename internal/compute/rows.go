package compute

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// rows is the row side of tiles on a CPU.
type rows[F gemm.Float] struct {
	c      *columns[F]
	x      data.Source[data.Vector]
	flat   []F // n×d, shifted
	left   gemm.Left[F]
	thin   gemm.Thin[F] // instead of left, where few says so
	few    bool
	rough  bool // close points are not looked at one by one
	norm2  []F
	past   []F // L1 norm of the coordinates past the columns' dimension
	norm1  []F // L1 norm of the others, for Min
	scale  []F
	buffer []F // a tile in the precision of the back end
	line   []F // a row of an inverted index
}

// Rows packs the row side.
func (c *columns[F]) Rows(x data.Source[data.Vector]) Rows {
	r := c.pool.Get().(*rows[F])
	r.x, r.rough = x, false
	n := x.Len()
	if c.inverted == nil {
		r.fill(x)
		if c.packed != nil {
			if r.few = c.few && r.thin.Pack(r.flat, c.d, n, c.d); !r.few {
				r.left.Pack(r.flat, c.d, n, c.d)
			}
		}
	}
	switch c.form.Pair {
	case kernel.Distance2, kernel.Tanimoto:
		r.norms(x)
	case kernel.L1, kernel.ChiSquared: // (a-0)²/|a| is |a|
		r.past = grow(r.past, n)
		for i := range n {
			_, absolute := c.Beyond(x, i)
			r.past[i] = F(absolute)
		}
	case kernel.Min:
		if c.norm1 != nil {
			r.norm1 = grow(r.norm1, n)
			norms1(r.norm1, r.flat, c.d)
		}
	}
	if c.form.Normalized {
		r.scale = Scales[F](c.form, x)
	}
	return r
}

// fill writes the instances as rows of numbers.
func (r *rows[F]) fill(x data.Source[data.Vector]) {
	c := r.c
	r.flat = grow(r.flat, x.Len()*c.d)
	c.FillAll(r.flat, x)
}

// norms sets the squared norms.
func (r *rows[F]) norms(x data.Source[data.Vector]) {
	c, n := r.c, x.Len()
	r.norm2 = grow(r.norm2, n)
	if c.inverted == nil {
		gemm.Norms2(r.norm2, r.flat, c.d, n, c.d)
		if _, cols, ok := stored(x); ok && cols <= c.d {
			return
		}
	}
	for i := range n {
		if c.inverted != nil {
			r.norm2[i] = sparseNorm2[F](x.At(i))
		} else if square, _ := c.Beyond(x, i); square > 0 {
			r.norm2[i] += F(square)
		}
	}
}

// Release gives the memory back.
func (r *rows[F]) Release() {
	r.x = nil
	r.c.pool.Put(r)
}

// grow returns a slice of n elements, the given one where it is large enough.
func grow[F gemm.Float](s []F, n int) []F { return slices.Grow(s[:0], n)[:n] }

// Tile64 computes a tile and stores it as float64.
func (r *rows[F]) Tile64(dst []float64, ld, j0, j1 int) { store(r, dst, ld, j0, j1) }

// Tile32 computes a tile and stores it as float32.
func (r *rows[F]) Tile32(dst []float32, ld, j0, j1 int) { store(r, dst, ld, j0, j1) }

func store[F, G gemm.Float](r *rows[F], dst []G, ld, j0, j1 int) {
	if same, ok := any(dst).([]F); ok {
		r.tile(same, ld, j0, j1)
		return
	}
	w := j1 - j0
	r.buffer = grow(r.buffer, r.x.Len()*w)
	r.tile(r.buffer, w, j0, j1)
	for i := range r.x.Len() {
		convert(dst[i*ld:][:w], r.buffer[i*w:][:w])
	}
}

// convert sets dst to x in the other precision.
func convert[F, G gemm.Float](dst []G, x []F) {
	switch x := any(x).(type) {
	case []float32:
		vmath.Widen(any(dst).([]float64), x)
	case []float64:
		vmath.Narrow(any(dst).([]float32), x)
	}
}

// tile computes pair operations, then the scalar function row by row, while the
// tile is in cache.
func (r *rows[F]) tile(dst []F, ld, j0, j1 int) {
	c := r.c
	switch {
	case c.packed != nil && r.few:
		gemm.TileThin(dst, ld, &r.thin, c.packed, j0, j1)
	case c.packed != nil:
		gemm.Tile(dst, ld, &r.left, c.packed, j0, j1, false)
	case c.across != nil:
		r.coordinates(dst, ld, j0, j1)
	default:
		r.gather(dst, ld, j0, j1)
	}
	for i := range r.x.Len() {
		r.finish(dst[i*ld:][:j1-j0], i, j0, j1)
	}
}

// gather computes the inner products with inverted columns.
func (r *rows[F]) gather(dst []F, ld, j0, j1 int) {
	r.line = grow(r.line, invertedCols)
	for b := j0 / invertedCols; b*invertedCols < j1; b++ {
		lo, hi := b*invertedCols, min((b+1)*invertedCols, r.c.n)
		from, to := max(lo, j0), min(hi, j1)
		for i := range r.x.Len() {
			line := r.line[:hi-lo]
			r.c.inverted[b].dots(line, r.x.At(i))
			copy(dst[i*ld+from-j0:][:to-from], line[from-lo:])
		}
	}
}

// coordinates adds up a pair operation coordinate by coordinate, for all columns
// at once.
func (r *rows[F]) coordinates(dst []F, ld, j0, j1 int) {
	for i := range r.x.Len() {
		row, start := dst[i*ld:][:j1-j0], F(0)
		if r.c.form.Pair != kernel.Min {
			start = r.past[i]
		}
		for j := range row {
			row[j] = start
		}
	}
	switch {
	case r.c.form.Pair == kernel.ChiSquared:
		r.strips(dst, ld, j0, j1, vmath.ChiSquaredRow[F])
		return
	case r.c.form.Pair == kernel.L1 || r.c.norm1 != nil:
		r.distances1(dst, ld, j0, j1)
		return
	}
	d, n := r.c.d, r.c.n
	for i := range r.x.Len() {
		row := dst[i*ld:][:j1-j0]
		for k, a := range r.flat[i*d : (i+1)*d] {
			column := r.c.across[k*n+j0 : k*n+j1]
			if a != 0 || !r.c.tame { // 0 shares nothing with any number
				addShared(row, a, column)
			}
		}
	}
}

// stripCells is about how many numbers of columns are used for all rows before the next:
// what stays in the nearest cache.
const stripCells = 4096

// strips adds sums over coordinates to a tile, some columns after the other.
func (r *rows[F]) strips(dst []F, ld, j0, j1 int, add func(row, a, y []F, stride int)) {
	d, n := r.c.d, r.c.n
	strip := max(1, stripCells/64/max(d, 1)) * 64
	for lo := j0; d > 0 && lo < j1; lo += strip {
		hi := min(lo+strip, j1)
		for i := range r.x.Len() {
			add(dst[i*ld+lo-j0:][:hi-lo], r.flat[i*d:(i+1)*d], r.c.across[lo:], n)
		}
	}
}

// distances1 adds the L1 distances to a tile, or what the vectors share.
func (r *rows[F]) distances1(dst []F, ld, j0, j1 int) {
	r.strips(dst, ld, j0, j1, vmath.Distance1Row[F])
	if r.c.norm1 == nil {
		return
	}
	for i := range r.x.Len() {
		share(dst[i*ld:][:j1-j0], r.norm1[i], r.c.norm1[j0:j1])
	}
}

// share turns L1 distances into what the vectors share: of two numbers of the same
// sign min(|a|, |b|) is (|a| + |b| - |a - b|)/2, and of others that is 0.
func share[F gemm.Float](row []F, x F, y []F) {
	for j, distance := range row {
		row[j] = max(0, ((x+y[j])-distance)/2)
	}
}

// addShared adds min(|a|, |y[j]|) to row[j] where a and y[j] have the same sign.
func addShared[F gemm.Float](row []F, a F, y []F) {
	y = y[:len(row)]
	if a < 0 {
		for j := range row {
			row[j] += max(0, min(-a, -y[j]))
		}
		return
	}
	for j := range row {
		row[j] += max(0, min(a, y[j]))
	}
}

func absolute[F gemm.Float](a F) F { return max(a, -a) }

// finish turns a row of pair operations into kernel values.
func (r *rows[F]) finish(row []F, i, j0, j1 int) {
	c, f := r.c, r.c.form.Map
	if c.form.Pair == kernel.Distance2 {
		xx, yy := r.norm2[i], c.norm2[j0:j1]
		if f.Op == kernel.Exp && f.B == 0 && (r.rough || !r.cancels(xx)) {
			vmath.RBFRow(row, xx, yy, F(-f.A))
		} else {
			vmath.Distance2Row(row, xx, yy)
			r.refine(row, i, j0)
			Apply(f, row)
		}
	} else {
		if c.form.Pair == kernel.Tanimoto {
			for j, yy := range c.norm2[j0:j1] {
				row[j] = F(kernel.Ratio(float64(row[j]), float64(r.norm2[i]), float64(yy)))
			}
		}
		Apply(f, row)
	}
	if c.form.Normalized {
		vmath.ScaleRow(row, r.scale[i], c.scale[j0:j1])
	}
}

// Apply replaces every s of the row by f(s).
func Apply[F gemm.Float](f kernel.Scalar, row []F) {
	switch {
	case f.Op == kernel.Identity && f.A == 1 && f.B == 0:
	case f.Op == kernel.Exp:
		vmath.ExpScale(row, F(f.A), F(f.B))
	case f.Op == kernel.Tanh:
		vmath.TanhScale(row, F(f.A), F(f.B))
	case f.Op == kernel.Power && f.P == math.Trunc(f.P) && f.P >= 0 && f.P <= 64:
		vmath.PowInt(row, F(f.A), F(f.B), int(f.P))
	case f.Op == kernel.Power && f.P == math.Trunc(f.P) && f.P < 0 && f.P >= -64:
		vmath.PowInt(row, F(f.A), F(f.B), int(-f.P))
		for j, v := range row {
			row[j] = 1 / v
		}
	case f.Op == kernel.Power && f.P != math.Trunc(f.P): // exp(P·log u)
		for j, s := range row {
			row[j] = F(f.A*float64(s) + f.B)
		}
		vmath.Log(row, row)
		vmath.ExpScale(row, F(f.P), 0)
	case f.Op == kernel.Matern:
		matern(f, row)
	case f.Op == kernel.Stretched: // exp(-exp(P·log u))
		for j, s := range row {
			row[j] = max(0, F(f.A*float64(s)+f.B))
		}
		vmath.Log(row, row)
		vmath.ExpScale(row, F(f.P), 0)
		vmath.ExpScale(row, -1, 0)
	default:
		for j, s := range row {
			row[j] = F(f.At(float64(s)))
		}
	}
}

// matern is apply for the Matérn functions: the polynomials of a few values are
// kept aside while their exponentials are computed together.
func matern[F gemm.Float](f kernel.Scalar, row []F) {
	var factor [64]F
	for len(row) > 0 {
		part := row[:min(len(row), len(factor))]
		for j, s := range part {
			r := math.Sqrt(max(0, f.A*float64(s)+f.B))
			part[j], factor[j] = F(r), F(kernel.MaternFactor(f.P, r))
		}
		vmath.ExpScale(part, -1, 0)
		for j := range part {
			part[j] *= factor[j]
		}
		row = row[len(part):]
	}
}
