package compute

import (
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// columns is the column side of tiles on a CPU. Dense columns are packed for
// matrix products. Sparse columns of many coordinates are inverted: for every
// coordinate the columns that have a value there, so that a sparse row meets
// only what it shares with them.
type columns[F gemm.Float] struct {
	form  kernel.Form
	close Closeness
	y     data.Source[data.Vector]
	n     int
	Packing[F]
	packed   *gemm.Packed[F]
	few      bool // most of what is packed is 0, and all of it finite
	across   []F  // d×n, for sums over coordinates that are no inner products
	tame     bool // no value in across is infinite or NaN
	norm1    []F  // L1 norms, for Min of columns that are not mostly zero
	inverted []inverted[F]
	norm2    []F // squared norms after the shift, for Distance2
	top      F   // the largest of them
	scale    []F // 1/√k(y, y), 0 where that is not positive, for a normalised form
	pool     sync.Pool
}

// Columns packs the column side.
func (b CPU[F]) Columns(y data.Source[data.Vector], f kernel.Form) Columns {
	c := &columns[F]{form: f, close: ClosenessOf[F](f.Map), y: y, n: y.Len()}
	c.Packing = newPacking[F](y, f, b.Workers)
	if c.Inverted() {
		c.invert()
	} else {
		c.pack(b.Workers)
	}
	c.pool.New = func() any { return &rows[F]{c: c} }
	return c
}

// mostlyZero reports whether at least three of four numbers are 0.
func mostlyZero[F gemm.Float](flat []F) bool {
	left := len(flat) / 4 // that may differ from 0
	for _, v := range flat {
		if v != 0 {
			if left--; left < 0 {
				return false
			}
		}
	}
	return true
}

// byCoordinate reports whether the pair operation is a sum over coordinates that
// no matrix product gives.
func byCoordinate(p kernel.Pair) bool {
	return p == kernel.L1 || p == kernel.Min || p == kernel.ChiSquared
}

// pack stores the columns densely.
func (c *columns[F]) pack(workers int) {
	flat := make([]F, c.n*c.d)
	stretches(workers, c.n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c.Fill(flat[i*c.d:(i+1)*c.d], c.y, i)
		}
	})
	if byCoordinate(c.form.Pair) {
		c.transpose(flat)
	} else {
		c.packed = gemm.Pack(flat, c.d, c.n, c.d)
		c.few = c.shift == nil && mostlyZero(flat) && vmath.Finite(flat) < 0
	}
	if needsNorms(c.form) {
		c.norm2 = make([]F, c.n)
		gemm.Norms2(c.norm2, flat, c.d, c.n, c.d)
		for _, v := range c.norm2 {
			c.top = max(c.top, v)
		}
	}
	if c.form.Normalized {
		c.scale = Scales[F](c.form, c.y)
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

// Len returns the number of columns.
func (c *columns[F]) Len() int { return c.n }

// TileSize returns a size of tiles that stays in cache.
func (c *columns[F]) TileSize() (rows, cols int) {
	if c.inverted != nil {
		return 64, invertedCols
	}
	return gemm.TileSize[F]()
}
