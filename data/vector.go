package data

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// Vector is a numeric instance, dense or sparse.
//
// With a nil Index it is dense: coordinate j is Value[j]. Otherwise coordinate
// Index[k] is Value[k], Index increases strictly, and every coordinate that is
// not named is zero. Dense and sparse vectors mix freely in all operations;
// vectors of different length are padded with zeros.
//
// A Vector shares its slices with whoever made it and is never written to.
type Vector struct {
	Index []int32
	Value []float64
}

// Dense returns the dense vector of the given coordinates. It keeps the slice.
func Dense(value ...float64) Vector { return Vector{Value: value} }

// Sparse returns the vector with Value[k] at coordinate Index[k]. It keeps the
// slices. It returns an error unless both have the same length and the indices
// are non-negative and strictly increasing.
func Sparse(index []int32, value []float64) (Vector, error) {
	if len(index) != len(value) {
		return Vector{}, fmt.Errorf("sparse vector: %d indices and %d values", len(index), len(value))
	}
	for k, j := range index {
		if j < 0 || k > 0 && j <= index[k-1] {
			return Vector{}, fmt.Errorf("sparse vector: index %d at place %d is not larger than the one before", j, k)
		}
	}
	if index == nil {
		index = []int32{}
	}
	return Vector{Index: index, Value: value}, nil
}

// IsSparse reports whether the coordinates are named by Index.
func (v Vector) IsSparse() bool { return v.Index != nil }

// Dim returns the number of coordinates: one past the last that is stored.
func (v Vector) Dim() int {
	if v.Index == nil {
		return len(v.Value)
	}
	if len(v.Index) == 0 {
		return 0
	}
	return int(v.Index[len(v.Index)-1]) + 1
}

// Dot returns ⟨v, w⟩.
func (v Vector) Dot(w Vector) float64 {
	switch {
	case v.Index == nil && w.Index == nil:
		n := min(len(v.Value), len(w.Value))
		return vmath.Dot(v.Value[:n], w.Value[:n])
	case v.Index == nil:
		return dotSparse(w.Index, w.Value, v.Value)
	case w.Index == nil:
		return dotSparse(v.Index, v.Value, w.Value)
	}
	return dotMerge(v.Index, v.Value, w.Index, w.Value)
}

// Norm2 returns |v|².
func (v Vector) Norm2() float64 { return vmath.Dot(v.Value, v.Value) }

// Norm returns |v|.
func (v Vector) Norm() float64 { return math.Sqrt(v.Norm2()) }

// Distance2 returns |v - w|², summed from the differences of coordinates.
func (v Vector) Distance2(w Vector) float64 {
	if v.Index == nil && w.Index == nil {
		return distanceDense(v.Value, w.Value)
	}
	sum := 0.0
	Walk(v, w, func(_ int, a, b float64) { sum += (a - b) * (a - b) })
	return sum
}

func distanceDense(v, w []float64) float64 {
	if len(v) > len(w) {
		v, w = w, v
	}
	sum := 0.0
	for j, a := range v {
		sum += (a - w[j]) * (a - w[j])
	}
	for _, b := range w[len(v):] {
		sum += b * b
	}
	return sum
}

// Walk calls f for every coordinate that is stored in v or w, in increasing
// order, with the two values there.
func Walk(v, w Vector, f func(j int, a, b float64)) {
	i, k := 0, 0
	for i < len(v.Value) || k < len(w.Value) {
		jv, jw := v.coordinate(i), w.coordinate(k)
		switch {
		case jv < jw:
			f(jv, v.Value[i], 0)
			i++
		case jw < jv:
			f(jw, 0, w.Value[k])
			k++
		default:
			f(jv, v.Value[i], w.Value[k])
			i++
			k++
		}
	}
}

// coordinate returns the coordinate of the k-th stored value, past all others
// when there is none.
func (v Vector) coordinate(k int) int {
	if k >= len(v.Value) {
		return math.MaxInt
	}
	if v.Index == nil {
		return k
	}
	return int(v.Index[k])
}

// DotWith returns ⟨v, w⟩ for a dense w; coordinates past len(w) count as zero.
func (v Vector) DotWith(w []float64) float64 {
	if v.Index == nil {
		n := min(len(v.Value), len(w))
		return vmath.Dot(v.Value[:n], w[:n])
	}
	return dotSparse(v.Index, v.Value, w)
}

// AddTo adds a·v to the dense w; coordinates past len(w) are dropped.
func (v Vector) AddTo(w []float64, a float64) {
	if v.Index == nil {
		n := min(len(v.Value), len(w))
		vmath.Axpy(w[:n], a, v.Value[:n])
		return
	}
	for k, j := range v.Index {
		if int(j) >= len(w) {
			return
		}
		w[j] += a * v.Value[k]
	}
}

// CopyTo writes the coordinates of v into dst, padded with zeros. Coordinates
// past len(dst) are dropped.
func (v Vector) CopyTo(dst []float64) {
	if v.Index == nil {
		n := copy(dst, v.Value)
		clear(dst[n:])
		return
	}
	clear(dst)
	v.AddTo(dst, 1)
}

// Finite reports whether all stored values are finite.
func (v Vector) Finite() bool {
	for _, a := range v.Value {
		if a-a != 0 {
			return false
		}
	}
	return true
}

// dotSparse returns the inner product of a sparse and a dense vector;
// coordinates past len(y) count as zero.
func dotSparse(index []int32, value, y []float64) float64 {
	sum := 0.0
	for k, j := range index {
		if int(j) >= len(y) {
			break
		}
		sum += value[k] * y[j]
	}
	return sum
}

// dotMerge returns the inner product of two sparse vectors.
func dotMerge(xi []int32, xv []float64, yi []int32, yv []float64) float64 {
	sum := 0.0
	for i, k := 0, 0; i < len(xi) && k < len(yi); {
		switch {
		case xi[i] < yi[k]:
			i++
		case xi[i] > yi[k]:
			k++
		default:
			sum += xv[i] * yv[k]
			i++
			k++
		}
	}
	return sum
}
