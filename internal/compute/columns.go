package compute

import (
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/kernel"
)

// columns is the column side of tiles on a CPU. Dense columns are packed for
// matrix products. Sparse columns of many coordinates are inverted: for every
// coordinate the columns that have a value there, so that a sparse row meets
// only what it shares with them.
type columns[F gemm.Float] struct {
	form     kernel.Form
	close    closeness
	y        data.Source[data.Vector]
	n, d     int
	shift    []float64 // subtracted from every vector; nil where nothing is
	packed   *gemm.Packed[F]
	across   []F  // d×n, for sums over coordinates that are no inner products
	tame     bool // no value in across is infinite or NaN
	norm1    []F  // L1 norms, for Min of columns that are not mostly zero
	inverted []inverted[F]
	norm2    []F // squared norms after the shift, for Distance2
	top      F   // the largest of them
	scale    []F // 1/√k(y, y), 0 where that is not positive, for a normalised form
	pool     sync.Pool
}

// dense decides how sparse columns are stored. A matrix product takes d/16 to
// d/32 cycles a value; an inverted list takes a few for each coordinate that a
// row and a column share, and needs no room for zeros.
func dense(stored, n, d int) bool {
	return d <= 512 || n > 0 && stored/n*32 >= d
}

// Columns packs the column side.
//
// Squared and L1 distances between dense vectors do not change when all are
// moved by the same vector; moving them by the mean of the columns keeps
// |x|²+|y|²-2⟨x,y⟩ from cancelling when the data lie far from the origin.
func (CPU[F]) Columns(y data.Source[data.Vector], f kernel.Form) Columns {
	c := &columns[F]{form: f, close: closenessOf[F](f.Map), y: y, n: y.Len(), d: data.Dim(y)}
	stored, sparse := 0, false
	for i := range c.n {
		v := y.At(i)
		stored += len(v.Value)
		sparse = sparse || v.IsSparse()
	}
	if !byCoordinate(f.Pair) && sparse && !dense(stored, c.n, c.d) {
		c.invert()
	} else {
		if !sparse {
			c.shift = shift(y, f)
		}
		c.pack()
	}
	c.pool.New = func() any { return &rows[F]{c: c} }
	return c
}

// shift returns the mean of dense columns where the form takes distances.
func shift(y data.Source[data.Vector], f kernel.Form) []float64 {
	if f.Pair != kernel.Distance2 && f.Pair != kernel.L1 || y.Len() == 0 {
		return nil
	}
	mean := make([]float64, data.Dim(y))
	for i := range y.Len() {
		y.At(i).AddTo(mean, 1/float64(y.Len()))
	}
	for _, m := range mean {
		if m-m != 0 {
			return nil
		}
	}
	return mean
}

// fillFrom is fill for vector i of x.
func (c *columns[F]) fillFrom(row []F, x data.Source[data.Vector], i int) {
	narrow, ok := data.Row32(x, i)
	if !ok || len(narrow) != len(row) {
		c.fill(row, x.At(i))
		return
	}
	if same, ok := any(row).([]float32); ok && c.shift == nil {
		copy(same, narrow)
		return
	}
	if c.shift == nil {
		for j, a := range narrow {
			row[j] = F(a)
		}
		return
	}
	narrow, shift := narrow[:len(row)], c.shift[:len(row)]
	for j := range row {
		row[j] = F(float64(narrow[j]) - shift[j])
	}
}

// fill writes x - shift into a row of d elements, rounded once.
func (c *columns[F]) fill(row []F, x data.Vector) {
	if !x.IsSparse() && len(x.Value) == len(row) {
		if c.shift == nil {
			for j, a := range x.Value {
				row[j] = F(a)
			}
			return
		}
		value, shift := x.Value[:len(row)], c.shift[:len(row)]
		for j := range row {
			row[j] = F(value[j] - shift[j])
		}
		return
	}
	clear(row)
	for j := range c.shift {
		row[j] = F(-c.shift[j])
	}
	for k, a := range x.Value {
		j := k
		if x.IsSparse() {
			j = int(x.Index[k])
		}
		if j >= len(row) {
			break
		}
		if c.shift != nil {
			a -= c.shift[j]
		}
		row[j] = F(a)
	}
}

// byCoordinate reports whether the pair operation is a sum over coordinates that
// no matrix product gives.
func byCoordinate(p kernel.Pair) bool {
	return p == kernel.L1 || p == kernel.Min || p == kernel.ChiSquared
}

// beyond returns the squared norm and the L1 norm of the coordinates of vector i
// of x past the columns' dimension. They are zero in every column and count in a
// distance alone.
func (c *columns[F]) beyond(source data.Source[data.Vector], i int) (square, absolute float64) {
	if row, ok := data.Row32(source, i); ok && len(row) <= c.d {
		return 0, 0
	}
	x := source.At(i)
	if x.Dim() <= c.d {
		return 0, 0
	}
	for k, a := range x.Value {
		if x.IsSparse() && int(x.Index[k]) < c.d || !x.IsSparse() && k < c.d {
			continue
		}
		square += a * a
		absolute += math.Abs(a)
	}
	return square, absolute
}

// pack stores the columns densely.
func (c *columns[F]) pack() {
	flat := make([]F, c.n*c.d)
	for i := range c.n {
		c.fillFrom(flat[i*c.d:(i+1)*c.d], c.y, i)
	}
	if byCoordinate(c.form.Pair) {
		c.transpose(flat)
	} else {
		c.packed = gemm.Pack(flat, c.d, c.n, c.d)
	}
	if needsNorms(c.form) {
		c.norm2 = make([]F, c.n)
		gemm.Norms2(c.norm2, flat, c.d, c.n, c.d)
		for _, v := range c.norm2 {
			c.top = max(c.top, v)
		}
	}
	if c.form.Normalized {
		c.scale = scales[F](c.form, c.y)
	}
}

// transpose stores the columns coordinate by coordinate.
func (c *columns[F]) transpose(flat []F) {
	c.across, c.tame = make([]F, c.n*c.d), true
	zeros := 0
	for i := range c.n {
		for j := range c.d {
			v := flat[i*c.d+j]
			c.across[j*c.n+i] = v
			c.tame = c.tame && v-v == 0
			if v == 0 {
				zeros++
			}
		}
	}
	if c.form.Pair == kernel.Min && zeros <= len(flat)/4*3 {
		c.norm1 = make([]F, c.n)
		norms1(c.norm1, flat, c.d)
	}
}

// norms1 sets dst[i] to the L1 norm of row i, added up in the order of an L1
// distance, so that the distance to zero is the same number.
func norms1[F gemm.Float](dst, flat []F, d int) {
	for i := range dst {
		dst[i] = 0
		for _, v := range flat[i*d : (i+1)*d] {
			dst[i] += absolute(v)
		}
	}
}

// needsNorms reports whether the pair operation is computed from norms.
func needsNorms(f kernel.Form) bool { return f.Pair == kernel.Distance2 || f.Pair == kernel.Tanimoto }

// scales returns 1/√k(x, x) for all instances, 0 where that is not positive.
func scales[F gemm.Float](f kernel.Form, x data.Source[data.Vector]) []F {
	out := make([]F, x.Len())
	for i := range out {
		if k := f.Map.At(f.Pair.Self(x.At(i))); k > 0 {
			out[i] = F(1 / math.Sqrt(k))
		}
	}
	return out
}

// Len returns the number of columns.
func (c *columns[F]) Len() int { return c.n }

// TileSize returns a size of tiles that stays in cache.
func (c *columns[F]) TileSize() (rows, cols int) {
	if c.inverted != nil {
		return 64, invertedCols
	}
	return gemm.TileSize[F]()
}
