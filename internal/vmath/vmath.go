package vmath

// Float is a precision.
type Float interface{ float32 | float64 }

const lengths = "vmath: lengths differ"

// Exp sets dst[i] = exp(x[i]). The slices must have the same length; dst may
// be x, and must not overlap it otherwise.
//
// Special cases are those of math.Exp; results below the least normal number
// are rounded to subnormal ones.
func Exp[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	at[F]().exp(dst, x)
}

// Log sets dst[i] = log(x[i]), the natural logarithm, with the special cases of
// math.Log. The slices are as in Exp.
func Log[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	at[F]().log(dst, x)
}
