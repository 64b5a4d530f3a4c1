package margin

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// Lengths in [tiny, huge] have squares and products that neither overflow nor
// lose digits: 2⁻¹⁰⁰⁰ is far above the smallest normal number, 2⁻¹⁰²².
const (
	tiny = 0x1p-500
	huge = 0x1p+500
)

// cosine returns score/(a·b) for lengths a and b of two vectors with the inner
// product score. It is false where the lengths are out of range, zero and NaN
// included, or the score has overflowed; then scaledCosine has to be asked.
func cosine(score, a, b float64) (float64, bool) {
	if a >= tiny && a <= huge && b >= tiny && b <= huge && finite(score) {
		return score / a / b, true
	}
	return 0, false
}

// scaledCosine returns the cosine of the angle between (w, bias) and (x, unit),
// 0 where one of them is zero, NaN where one is not finite. It scales copies of
// both to a largest coordinate of 1, and so works for all finite vectors.
func scaledCosine(w data.Vector, bias float64, x data.Vector, unit float64) float64 {
	w, bias = scaled(w, bias)
	x, unit = scaled(x, unit)
	a, b := length(w, bias), length(x, unit)
	if a == 0 || b == 0 {
		return 0
	}
	return (w.Dot(x) + bias*unit) / a / b
}

// scaled divides a vector and its additional coordinate by the largest absolute
// value among them; a zero vector stays as it is.
func scaled(v data.Vector, extra float64) (data.Vector, float64) {
	largest := math.Abs(extra)
	for _, a := range v.Value {
		largest = max(largest, math.Abs(a))
	}
	if largest == 0 {
		return v, extra
	}
	value := make([]float64, len(v.Value))
	for i, a := range v.Value {
		value[i] = a / largest
	}
	return data.Vector{Index: v.Index, Value: value}, extra / largest
}

// length returns √(|v|² + extra²).
func length(v data.Vector, extra float64) float64 {
	return math.Sqrt(vmath.Dot(v.Value, v.Value) + extra*extra)
}

// clamp takes a cosine back to [-1, 1] where rounding has led out of it, and
// NaN to -1, the worst there is.
func clamp(m float64) float64 {
	if m >= -1 {
		return min(m, 1)
	}
	return -1
}

func finite(a float64) bool { return a-a == 0 }
