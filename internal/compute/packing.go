package compute

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
)

// Packing says how vectors become rows of numbers in the precision F: those that the
// columns have, moved and rounded once.
//
// Squared and L1 distances between dense vectors do not change when all are
// moved by the same vector; moving them by the mean of the columns keeps
// |x|²+|y|²-2⟨x,y⟩ from cancelling when the data lie far from the origin.
type Packing[F gemm.Float] struct {
	d      int
	shift  []float64 // subtracted from every vector; nil where nothing is
	sparse bool
}

// NewPacking returns the packing for the columns of a form.
func NewPacking[F gemm.Float](y data.Source[data.Vector], f kernel.Form) Packing[F] {
	p := Packing[F]{d: data.Dim(y)}
	stored, sparse := 0, false
	for i := range y.Len() {
		if row, ok := data.Row32(y, i); ok {
			stored += len(row)
			continue
		}
		v := y.At(i)
		stored += len(v.Value)
		sparse = sparse || v.IsSparse()
	}
	p.sparse = !byCoordinate(f.Pair) && sparse && !dense(stored, y.Len(), p.d)
	if !sparse {
		p.shift = shift(y, f)
	}
	return p
}

// D is the length of a row.
func (c Packing[F]) D() int { return c.d }

// Inverted reports whether the columns have so few values for their coordinates that
// rows of numbers, most of them 0, are not the way to store them.
func (c Packing[F]) Inverted() bool { return c.sparse }

// dense decides how sparse columns are stored. A matrix product takes d/16 to
// d/32 cycles a value; an inverted list takes a few for each coordinate that a
// row and a column share, and needs no room for zeros.
func dense(stored, n, d int) bool {
	return d <= 512 || n > 0 && stored/n*32 >= d
}

// shift returns the mean of dense columns where the form takes distances.
func shift(y data.Source[data.Vector], f kernel.Form) []float64 {
	if f.Pair != kernel.Distance2 && f.Pair != kernel.L1 || y.Len() == 0 {
		return nil
	}
	mean, wide := make([]float64, data.Dim(y)), make([]float64, data.Dim(y))
	for i := range y.Len() {
		row, ok := data.Row32(y, i)
		if !ok || len(row) != len(wide) {
			y.At(i).AddTo(mean, 1/float64(y.Len()))
			continue
		}
		for j, a := range row {
			wide[j] = float64(a)
		}
		vmath.Axpy(mean, 1/float64(y.Len()), wide)
	}
	for _, m := range mean {
		if m-m != 0 {
			return nil
		}
	}
	return mean
}

// Fill writes vector i of x into a row of D() numbers, moved and rounded once.
func (c Packing[F]) Fill(row []F, x data.Source[data.Vector], i int) {
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

// fill is Fill for a vector that is at hand.
func (c Packing[F]) fill(row []F, x data.Vector) {
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

// Beyond returns the squared norm and the L1 norm of the coordinates of vector i
// of x past the columns' dimension. They are zero in every column and count in a
// distance alone.
func (c Packing[F]) Beyond(source data.Source[data.Vector], i int) (square, absolute float64) {
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

// Scales returns 1/√k(x, x) for all instances, 0 where that is not positive.
func Scales[F gemm.Float](f kernel.Form, x data.Source[data.Vector]) []F {
	out := make([]F, x.Len())
	for i := range out {
		if k := f.Map.At(f.Pair.Self(x.At(i))); k > 0 {
			out[i] = F(1 / math.Sqrt(k))
		}
	}
	return out
}
