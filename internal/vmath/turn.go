package vmath

import "math"

// Turn sets cos[i] = a·cos(x[i]) and sin[i] = a·sin(x[i]), for |a| ≤ 1. It equals
// Cos and Sin followed by Scale, bit for bit, in one pass. The slices must have
// the same length. One of cos and sin may be x; otherwise they must not overlap.
func Turn[F Float](cos, sin, x []F, a F) {
	if len(cos) != len(x) || len(sin) != len(x) {
		panic(lengths)
	}
	if !(a >= -1 && a <= 1) {
		panic("vmath: a factor above 1")
	}
	left := false
	switch x := any(x).(type) {
	case []float32:
		left = turn32(any(cos).([]float32), any(sin).([]float32), x, float32(a))
	case []float64:
		left = turn64(any(cos).([]float64), any(sin).([]float64), x, float64(a))
	}
	if !left {
		return
	}
	for i, v := range cos {
		// What is above 1 is no cosine, but an argument that was left.
		if v > 1 || v < -1 {
			cos[i], sin[i] = a*F(math.Cos(float64(v))), a*F(math.Sin(float64(v)))
		}
	}
}

// turnPlain leaves nothing to do.
func turnPlain[F Float](cos, sin, x []F, a F) (left bool) {
	// The argument is kept aside, as cos or sin may be x.
	var buf [64]F
	for len(x) > 0 {
		b := buf[:copy(buf[:], x)]
		cosPlain(cos[:len(b)], b)
		sinPlain(sin[:len(b)], b)
		scalePlain(cos[:len(b)], a)
		scalePlain(sin[:len(b)], a)
		cos, sin, x = cos[len(b):], sin[len(b):], x[len(b):]
	}
	return false
}
