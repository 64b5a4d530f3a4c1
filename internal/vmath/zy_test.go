package vmath_test
import ("testing";"github.com/kerf-ml/kerf/internal/vmath")
func TestZY(t *testing.T) {
	zz("log", 0.01, 50, vmath.Log[float32]); zz("log", 0.01, 50, vmath.Log[float64])
	zz("tanh", -4, 4, vmath.Tanh[float32]); zz("tanh", -4, 4, vmath.Tanh[float64])
}
