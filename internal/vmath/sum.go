package vmath

// laneBytes is the size of the partial sums of Dot and Sum: 64 of float32 or 32
// of float64.
const laneBytes = 256

// Dot returns the sum of x[i]·y[i]. The slices must have the same length.
//
// Products are rounded, then added to one of 64 (float32) or 32 (float64)
// partial sums, that of i mod 64 or 32; the partial sums are folded in halves.
// A sum of zero is +0. So the result depends on the values and the length
// alone: it has the same bits at every level and on every machine.
func Dot[F Float](x, y []F) F {
	if len(x) != len(y) {
		panic(lengths)
	}
	return at[F]().dot(x, y)
}

// SignDot returns the sum of x[i]·sign(b - y[i]), where sign(0) is 0, in the order of Dot. The slices must have the
// same length.
func SignDot[F Float](x, y []F, b F) F {
	if len(x) != len(y) {
		panic(lengths)
	}
	return at[F]().signDot(x, y, b)
}

// Sum returns the sum of x[i], in the order of Dot.
func Sum[F Float](x []F) F {
	return at[F]().sum(x)
}

// Finite returns the index of the first value that is NaN or infinite, and -1
// where there is none.
func Finite[F Float](x []F) int {
	n := at[F]().finitePrefix(x)
	for i, v := range x[n:] {
		if v-v != 0 {
			return n + i
		}
	}
	return -1
}
