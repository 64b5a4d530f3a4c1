package compute

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Packing says how vectors become rows of numbers in the precision F: those that the
// columns have, moved and rounded once.
//
// Squared and L1 distances between dense vectors do not change when all are
// moved by the same vector; moving them by the mean of the columns keeps
// |x|²+|y|²-2⟨x,y⟩ from cancelling when the data lie far from the origin. Where three
// of four numbers are 0 and the mean is not far, as with columns of 0 and 1, they stay
// as they are: products leave zeros out.
type Packing[F gemm.Float] struct {
	d      int
	shift  []float64 // subtracted from every vector; nil where nothing is
	sparse bool
}

// NewPacking returns the packing for the columns of a form.
func NewPacking[F gemm.Float](y data.Source[data.Vector], f kernel.Form) Packing[F] {
	return newPacking[F](y, f, 1)
}

// rowsPerStretch is how many vectors one task looks at or packs.
const rowsPerStretch = 256

// stretches calls body for stretches of n vectors, on so many cores. A panic, of a source
// that fails, is one here.
func stretches(workers, n int, body func(k, lo, hi int)) {
	ctl := run.Control{Workers: max(workers, 1)}
	err := par.For(context.Background(), ctl, "", par.Blocks(n, rowsPerStretch), func(k int) error {
		lo, hi := par.Range(k, n, rowsPerStretch)
		body(k, lo, hi)
		return nil
	})
	if err != nil {
		panic(err)
	}
}

func newPacking[F gemm.Float](y data.Source[data.Vector], f kernel.Form, workers int) Packing[F] {
	type seen struct {
		d, stored int
		sparse    bool
	}
	parts := make([]seen, par.Blocks(y.Len(), rowsPerStretch))
	stretches(workers, y.Len(), func(k, lo, hi int) {
		s := seen{}
		for i := lo; i < hi; i++ {
			if row, ok := data.Row32(y, i); ok {
				s.d, s.stored = max(s.d, len(row)), s.stored+len(row)
				continue
			}
			v := y.At(i)
			s.d = max(s.d, v.Dim())
			s.stored += len(v.Value)
			s.sparse = s.sparse || v.IsSparse()
		}
		parts[k] = s
	})
	p := Packing[F]{}
	stored, sparse := 0, false
	for _, s := range parts {
		p.d, stored, sparse = max(p.d, s.d), stored+s.stored, sparse || s.sparse
	}
	switch y.(type) { // these say it, and it may be more than any row has
	case *data.Matrix, *data.Matrix32, *data.CSR:
		p.d = data.Dim(y)
	}
	p.sparse = !byCoordinate(f.Pair) && sparse && !dense(stored, y.Len(), p.d)
	if !sparse {
		p.shift = shift(y, f, p.d)
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
func shift(y data.Source[data.Vector], f kernel.Form, d int) []float64 {
	if f.Pair != kernel.Distance2 && f.Pair != kernel.L1 || y.Len() == 0 {
		return nil
	}
	mean, wide := make([]float64, d), make([]float64, d)
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
	if stays(y, mean) {
		return nil
	}
	return mean
}

// stays reports whether dense vectors are better left where they are: most of their
// coordinates are 0, and moved by their mean they would not have less than half of the
// sum of squares, Σ|y|² - n·|mean|².
func stays(y data.Source[data.Vector], mean []float64) bool {
	left, squares := y.Len()*len(mean)/4, 0.0
	for i := range y.Len() {
		value, ok := data.Row32(y, i)
		if ok {
			for _, a := range value {
				if a != 0 {
					left--
					squares += float64(a) * float64(a)
				}
			}
		} else {
			for _, a := range y.At(i).Value {
				if a != 0 {
					left--
					squares += a * a
				}
			}
		}
		if left < 0 {
			return false
		}
	}
	return float64(y.Len())*vmath.Dot(mean, mean) <= squares/2
}

// stored returns the numbers of dense vectors of one length that lie in memory one behind the other: those of a
// matrix, or of a range of one.
func stored(x data.Source[data.Vector]) (value []float64, cols int, ok bool) {
	switch x := x.(type) {
	case *data.Matrix:
		return x.Data[:x.Rows*x.Cols], x.Cols, true
	case data.Range[data.Vector]:
		if value, cols, ok = stored(x.Of); ok {
			value = value[x.Lo*cols : x.Hi*cols]
		}
	}
	return value, cols, ok
}

// FillAll is Fill for all vectors of x, into rows one behind the other.
func (c Packing[F]) FillAll(rows []F, x data.Source[data.Vector]) {
	value, cols, ok := stored(x)
	if !ok || cols != c.d {
		for i := range x.Len() {
			c.Fill(rows[i*c.d:(i+1)*c.d], x, i)
		}
		return
	}
	if c.shift == nil {
		if single, ok := any(rows).([]float32); ok {
			vmath.Narrow(single, value)
			return
		}
		copy(any(rows).([]float64), value)
		return
	}
	for i := 0; i < len(value); i += cols {
		row, from, shift := rows[i:][:cols], value[i:][:cols], c.shift[:cols]
		for j := range row {
			row[j] = F(from[j] - shift[j])
		}
	}
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
