package vmath

import "math"

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
	switch x := any(x).(type) {
	case []float32:
		exp32(any(dst).([]float32), x)
	case []float64:
		exp64(any(dst).([]float64), x)
	}
}

// Log sets dst[i] = log(x[i]), the natural logarithm, with the special cases of
// math.Log. The slices are as in Exp.
func Log[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	switch x := any(x).(type) {
	case []float32:
		log32(any(dst).([]float32), x)
	case []float64:
		log64(any(dst).([]float64), x)
	}
}

// Tanh sets dst[i] = tanh(x[i]), with the special cases of math.Tanh; tanh(-x)
// is exactly -tanh(x). The slices are as in Exp.
func Tanh[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	switch x := any(x).(type) {
	case []float32:
		tanh32(any(dst).([]float32), x)
	case []float64:
		tanh64(any(dst).([]float64), x)
	}
}

// Cos sets dst[i] = cos(x[i]), with the special cases of math.Cos; cos(-x) is
// exactly cos(x). The slices are as in Exp.
//
// Arguments above 2¹⁷ (float32) or 2³⁰ (float64) in magnitude are left to
// math.Cos, one by one, which takes longer.
func Cos[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	left := false
	switch x := any(x).(type) {
	case []float32:
		left = cos32(any(dst).([]float32), x)
	case []float64:
		left = cos64(any(dst).([]float64), x)
	}
	if left {
		finish(dst, math.Cos)
	}
}

// Sin sets dst[i] = sin(x[i]), with the special cases of math.Sin; sin(-x) is
// exactly -sin(x). Slices and large arguments are as in Cos.
func Sin[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	left := false
	switch x := any(x).(type) {
	case []float32:
		left = sin32(any(dst).([]float32), x)
	case []float64:
		left = sin64(any(dst).([]float64), x)
	}
	if left {
		finish(dst, math.Sin)
	}
}

// finish applies f to what is no value of a cosine or sine, and so is an
// argument that was left in its place.
func finish[F Float](dst []F, f func(float64) float64) {
	for i, v := range dst {
		if v > 1 || v < -1 {
			dst[i] = F(f(float64(v)))
		}
	}
}
