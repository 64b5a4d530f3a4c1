package compute

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Panel is a set of vectors packed for tiles. The column side of a tile is
// packed once by Pack and used for many row sides, which its Rows method packs.
//
// A column panel is either dense (N×D, row after row) or inverted: for every
// coordinate the list of the vectors that have a value there, so that a sparse
// row meets only what it shares with them. A row panel is dense or a list of
// sparse rows.
type Panel struct {
	N, D  int
	dense []float64 // N×D, shifted; nil where the panel is sparse
	rows  []data.Vector
	lists []posting // by coordinate, for an inverted column panel
	shift []float64 // subtracted from every vector; nil where nothing is
	norm2 []float64 // squared norms after the shift, for Distance2
	scale []float64 // 1/√k(x, x), 0 where that is not positive, for a normalised form
}

// posting lists the vectors that have a value at one coordinate.
type posting struct {
	vector []int32
	value  []float64
}

// maxDense is the largest dimension up to which sparse columns are stored
// densely: a row's few values are then read from a short dense vector.
const maxDense = 1024

// Pack packs the column side. Squared distances between dense vectors do not
// change when all are moved by the same vector; moving them by the mean of the
// columns keeps |x|²+|y|²-2⟨x,y⟩ from cancelling when the data lie far from the
// origin.
func Pack(y data.Source[data.Vector], f kernel.Form, shift []float64) *Panel {
	n := y.Len()
	p := &Panel{N: n, D: max(data.Dim(y), len(shift)), shift: shift}
	sparse := false
	for i := range n {
		sparse = sparse || y.At(i).IsSparse()
	}
	if sparse && p.D > maxDense {
		p.invert(y)
	} else {
		p.dense = make([]float64, n*p.D)
		for i := range n {
			y.At(i).CopyTo(p.row(i))
			p.subtract(p.row(i))
		}
	}
	p.measure(y, f)
	return p
}

// Shift returns the vector to move all instances by before squared distances
// are taken: the mean of y where y is dense, nil where it is sparse or the form
// needs none.
func Shift(y data.Source[data.Vector], f kernel.Form) []float64 {
	if f.Pair != kernel.Distance2 || y.Len() == 0 {
		return nil
	}
	mean := make([]float64, data.Dim(y))
	for i := range y.Len() {
		v := y.At(i)
		if v.IsSparse() {
			return nil
		}
		v.AddTo(mean, 1/float64(y.Len()))
	}
	for _, m := range mean {
		if m-m != 0 {
			return nil
		}
	}
	return mean
}

// Rows packs the row side of a tile against the column panel p.
func (p *Panel) Rows(x data.Source[data.Vector], f kernel.Form) *Panel {
	n := x.Len()
	r := &Panel{N: n, D: p.D, shift: p.shift}
	dense := p.dense != nil && p.shift != nil
	if p.dense != nil && !dense {
		for i := range n {
			dense = dense || !x.At(i).IsSparse()
		}
	}
	if dense {
		r.dense = make([]float64, n*r.D)
		for i := range n {
			x.At(i).CopyTo(r.row(i))
			r.subtract(r.row(i))
		}
	} else {
		r.rows = make([]data.Vector, n)
		for i := range n {
			r.rows[i] = x.At(i)
		}
	}
	r.measure(x, f)
	return r
}

func (p *Panel) row(i int) []float64 { return p.dense[i*p.D : (i+1)*p.D : (i+1)*p.D] }

func (p *Panel) subtract(row []float64) {
	for j := range min(len(row), len(p.shift)) {
		row[j] -= p.shift[j]
	}
}

// measure fills norm2 and scale as the form needs them.
func (p *Panel) measure(x data.Source[data.Vector], f kernel.Form) {
	if f.Pair == kernel.Distance2 {
		p.norm2 = make([]float64, p.N)
		for i := range p.N {
			p.norm2[i] = p.squaredNorm(x.At(i))
		}
	}
	if f.Normalized {
		p.scale = make([]float64, p.N)
		for i := range p.N {
			pair := 0.0
			if f.Pair == kernel.Dot {
				pair = norm2(x.At(i).Value)
			}
			if k := f.Map.At(pair); k > 0 {
				p.scale[i] = 1 / math.Sqrt(k)
			}
		}
	}
}

// squaredNorm returns |x - shift|². It adds in the order in which a tile adds
// the products of an inner product, so that the squared distance of a vector to
// itself comes out as exactly zero. A coordinate past the panel's dimension is
// zero in every column and counts here alone.
func (p *Panel) squaredNorm(x data.Vector) float64 {
	if p.shift == nil {
		return norm2(x.Value)
	}
	sum := 0.0
	last := -1
	add := func(j int, a float64) {
		if j < len(p.shift) {
			a -= p.shift[j]
		}
		sum += a * a
		last = j
	}
	for k, a := range x.Value {
		j := k
		if x.IsSparse() {
			j = int(x.Index[k])
		}
		for i := last + 1; i < j; i++ {
			add(i, 0)
		}
		add(j, a)
	}
	for i := last + 1; i < len(p.shift); i++ {
		add(i, 0)
	}
	return sum
}

// norm2 is the sum of squares in order.
func norm2(x []float64) float64 {
	sum := 0.0
	for _, a := range x {
		sum += a * a
	}
	return sum
}

// invert stores the vectors by coordinate.
func (p *Panel) invert(y data.Source[data.Vector]) {
	p.lists = make([]posting, p.D)
	for i := range p.N {
		v := y.At(i)
		for k, a := range v.Value {
			j := k
			if v.IsSparse() {
				j = int(v.Index[k])
			}
			if a != 0 {
				p.lists[j].vector = append(p.lists[j].vector, int32(i))
				p.lists[j].value = append(p.lists[j].value, a)
			}
		}
	}
}
