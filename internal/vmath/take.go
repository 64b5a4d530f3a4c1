package vmath

// Take sets dst[l] ← a·x[index[l]]. The slices dst and index must have the same
// length, and the indices must increase and be in range, of which the first and the
// last are checked. The bits are the same at every level.
func Take[F Float](dst []F, a F, x []F, index []int32) {
	n := len(dst)
	if n != len(index) {
		panic(lengths)
	}
	if n == 0 {
		return
	}
	if index[0] < 0 || int(index[n-1]) >= len(x) {
		panic("vmath: index outside of x")
	}
	done := 0
	switch x := any(x).(type) {
	case []float32:
		done = takePrefix32(any(dst).([]float32), float32(a), x, index)
	case []float64:
		done = takePrefix64(any(dst).([]float64), float64(a), x, index)
	}
	dst, index = dst[done:], index[done:]
	for l, i := range index {
		dst[l] = a * x[i]
	}
}
