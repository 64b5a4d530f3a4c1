// Package vec holds the inner loops over vectors of float64, in plain Go.
//
// The order of every sum depends on the lengths alone, so results repeat bit
// for bit.
package vec

// Dot returns the sum of x[i]·y[i]. The slices must have the same length.
func Dot(x, y []float64) float64 {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, a := range x {
		s0 += a * y[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// DotSparse returns the inner product of the sparse vector (index, value) and
// the dense y; coordinates past len(y) count as zero.
func DotSparse(index []int32, value, y []float64) float64 {
	sum := 0.0
	for k, j := range index {
		if int(j) >= len(y) {
			break
		}
		sum += value[k] * y[j]
	}
	return sum
}

// DotMerge returns the inner product of two sparse vectors.
func DotMerge(xi []int32, xv []float64, yi []int32, yv []float64) float64 {
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

// Axpy adds a·x to y. The slices must have the same length.
func Axpy(y []float64, a float64, x []float64) {
	if len(x) != len(y) {
		panic("vec: lengths differ")
	}
	for i, b := range x {
		y[i] += a * b
	}
}

// Scale multiplies x by a in place.
func Scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
	}
}

// Finite returns the index of the first value that is NaN or infinite, and -1
// where there is none.
func Finite(x []float64) int {
	for i, a := range x {
		if a-a != 0 {
			return i
		}
	}
	return -1
}
