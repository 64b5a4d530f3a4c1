package vmath

import "math"

// SinCos sets sin[i] = a·sin(x[i]) and cos[i] = a·cos(x[i]), for |a| ≤ 1: sine and
// cosine rounded, then the product. sin(-x) is exactly -sin(x) and cos(-x) exactly
// cos(x); special cases are those of package math. The slices must have the same
// length. One of sin and cos may be x; otherwise they must not overlap.
//
// Arguments above 2¹⁷ (float32) or 2³⁰ (float64) in magnitude are left to package
// math, one by one, which takes longer.
func SinCos[F Float](sin, cos, x []F, a F) {
	if len(sin) != len(x) || len(cos) != len(x) {
		panic(lengths)
	}
	if !(a >= -1 && a <= 1) {
		panic("vmath: a factor above 1")
	}
	if left := at[F]().sinCos(sin, cos, x, a); !left {
		return
	}
	for i, v := range cos {
		// What is above 1 is no cosine, but an argument that was left.
		if v > 1 || v < -1 {
			sin[i], cos[i] = a*F(math.Sin(float64(v))), a*F(math.Cos(float64(v)))
		}
	}
}

// sinCosPlain leaves nothing to do.
func sinCosPlain[F Float](sin, cos, x []F, a F) (left bool) {
	// The argument is kept aside, as sin or cos may be x.
	var buf [64]F
	for len(x) > 0 {
		b := buf[:copy(buf[:], x)]
		each(sin[:len(b)], b, sine)
		each(cos[:len(b)], b, cosine)
		scalePlain(sin[:len(b)], a)
		scalePlain(cos[:len(b)], a)
		sin, cos, x = sin[len(b):], cos[len(b):], x[len(b):]
	}
	return false
}
