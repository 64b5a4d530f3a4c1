package vmath

// Narrow rounds x to float32 into dst. The slices must have the same length.
// The bits are the same at every level, but for those of a NaN.
func Narrow(dst []float32, x []float64) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	at[float32]().narrow(dst, x)
}
