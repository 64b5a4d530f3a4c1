package compute

import (
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
)

// invertedCols is how many columns one inverted index holds: its sums for a row
// stay in the first level of cache.
const invertedCols = 256

// inverted holds invertedCols columns by coordinate: those with a value at the
// k-th coordinate that occurs are column[ptr[k]:ptr[k+1]], with their values
// beside them.
type inverted[F gemm.Float] struct {
	coordinate []int32 // that occur, in increasing order
	place      []int32 // of each coordinate among them, -1 for none; nil where there are too many
	ptr        []int32
	column     []int32
	value      []F
}

// maxPlaces is the dimension up to which the place of a coordinate is looked up
// in a table; beyond it is searched for.
const maxPlaces = 1 << 20

// invert stores sparse columns by coordinate.
func (c *columns[F]) invert() {
	for lo := 0; lo < c.n; lo += invertedCols {
		hi := min(lo+invertedCols, c.n)
		c.inverted = append(c.inverted, newInverted[F](data.Range[data.Vector]{Of: c.y, Lo: lo, Hi: hi}, c.d))
	}
	if needsNorms(c.form) {
		c.norm2 = make([]F, c.n)
		for i := range c.n {
			c.norm2[i] = sparseNorm2[F](c.y.At(i))
			c.top = max(c.top, c.norm2[i])
		}
	}
	if c.form.Normalized {
		c.scale = Scales[F](c.form, c.y)
	}
}

func newInverted[F gemm.Float](y data.Source[data.Vector], d int) inverted[F] {
	var v inverted[F]
	each(y, func(_, j int, _ float64) { v.coordinate = append(v.coordinate, int32(j)) })
	slices.Sort(v.coordinate)
	v.coordinate = slices.Clip(slices.Compact(v.coordinate))
	if d <= maxPlaces {
		v.place = make([]int32, d)
		for j := range v.place {
			v.place[j] = -1
		}
		for k, j := range v.coordinate {
			v.place[j] = int32(k)
		}
	}
	n := len(v.coordinate)
	v.ptr = make([]int32, n+1)
	each(y, func(_, j int, _ float64) { v.ptr[v.find(int32(j))+1]++ })
	for k := range n {
		v.ptr[k+1] += v.ptr[k]
	}
	v.column, v.value = make([]int32, v.ptr[n]), make([]F, v.ptr[n])
	next := append([]int32(nil), v.ptr[:n]...)
	each(y, func(i, j int, a float64) {
		k := v.find(int32(j))
		v.column[next[k]], v.value[next[k]] = int32(i), F(a)
		next[k]++
	})
	return v
}

// find returns the place of a coordinate, -1 where no column has a value there.
func (v *inverted[F]) find(j int32) int32 {
	if v.place != nil {
		if int(j) >= len(v.place) {
			return -1
		}
		return v.place[j]
	}
	if k, ok := slices.BinarySearch(v.coordinate, j); ok {
		return int32(k)
	}
	return -1
}

// each calls f for every stored coordinate of every vector.
func each(y data.Source[data.Vector], f func(i, j int, a float64)) {
	for i := range y.Len() {
		v := y.At(i)
		for k, a := range v.Value {
			if v.IsSparse() {
				f(i, int(v.Index[k]), a)
			} else {
				f(i, k, a)
			}
		}
	}
}

// dots adds up what x shares with each column, in the order of coordinates. A
// conversion forbids the compiler to fuse product and sum, here and in
// sparseNorm2, which it does on some architectures and then not in both.
func (v *inverted[F]) dots(dst []F, x data.Vector) {
	clear(dst)
	for k, a := range x.Value {
		j := int32(k)
		if x.IsSparse() {
			j = x.Index[k]
		}
		at := v.find(j)
		if at < 0 {
			continue
		}
		lo, hi := v.ptr[at], v.ptr[at+1]
		column, value, b := v.column[lo:hi], v.value[lo:hi], F(a)
		for n, i := range column {
			dst[i] += F(b * value[n])
		}
	}
}

// sparseNorm2 is the sum of squares in the order of dots, so that the squared
// distance of a vector to itself is exactly zero.
func sparseNorm2[F gemm.Float](x data.Vector) F {
	sum := F(0)
	for _, a := range x.Value {
		b := F(a)
		sum += F(b * b)
	}
	return sum
}
