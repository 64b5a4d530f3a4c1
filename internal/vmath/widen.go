package vmath

// Widen sets dst to x in float64. The slices must have the same length.
func Widen(dst []float64, x []float32) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	at[float32]().widen(dst, x)
}
