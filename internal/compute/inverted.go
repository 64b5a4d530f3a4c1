package compute

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/kernel"
)

// invertedCols is how many columns one inverted index holds: its sums for a row
// stay in the first level of cache.
const invertedCols = 256

// inverted holds invertedCols columns by coordinate: those with a value at
// coordinate j are column[ptr[j]:ptr[j+1]], with their values beside them.
type inverted[F gemm.Float] struct {
	ptr    []int32
	column []int32
	value  []F
}

// invert stores sparse columns by coordinate.
func (c *columns[F]) invert() {
	for lo := 0; lo < c.n; lo += invertedCols {
		hi := min(lo+invertedCols, c.n)
		c.inverted = append(c.inverted, newInverted[F](data.Range[data.Vector]{Of: c.y, Lo: lo, Hi: hi}, c.d))
	}
	if c.form.Pair == kernel.Distance2 {
		c.norm2 = make([]F, c.n)
		for i := range c.n {
			c.norm2[i] = sparseNorm2[F](c.y.At(i))
			c.top = max(c.top, c.norm2[i])
		}
	}
	if c.form.Normalized {
		c.scale = scales[F](c.form, c.y)
	}
}

func newInverted[F gemm.Float](y data.Source[data.Vector], d int) inverted[F] {
	v := inverted[F]{ptr: make([]int32, d+1)}
	each(y, func(_, j int, _ float64) { v.ptr[j+1]++ })
	for j := range d {
		v.ptr[j+1] += v.ptr[j]
	}
	v.column, v.value = make([]int32, v.ptr[d]), make([]F, v.ptr[d])
	next := append([]int32(nil), v.ptr[:d]...)
	each(y, func(i, j int, a float64) {
		v.column[next[j]], v.value[next[j]] = int32(i), F(a)
		next[j]++
	})
	return v
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

// dots adds up what x shares with each column, in the order of coordinates.
func (v *inverted[F]) dots(dst []F, x data.Vector) {
	clear(dst)
	for k, a := range x.Value {
		j := k
		if x.IsSparse() {
			j = int(x.Index[k])
		}
		if j+1 >= len(v.ptr) {
			return
		}
		lo, hi := v.ptr[j], v.ptr[j+1]
		column, value, b := v.column[lo:hi], v.value[lo:hi], F(a)
		for n, i := range column {
			dst[i] += b * value[n]
		}
	}
}

// sparseNorm2 is the sum of squares in the order of dots, so that the squared
// distance of a vector to itself is exactly zero.
func sparseNorm2[F gemm.Float](x data.Vector) F {
	sum := F(0)
	for _, a := range x.Value {
		b := F(a)
		sum += b * b
	}
	return sum
}
