package vmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestSinCos(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testSinCos[float32])
		t.Run("float64", testSinCos[float64])
	})
}

// testSinCos compares with the factor 1 and Scale, bit for bit, in place and not.
func testSinCos[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	special := specialValues[F]()
	for _, n := range sizes() {
		for _, size := range []float64{1, 100, 1e5, 1e10} {
			x := make([]F, n)
			for i := range x {
				x[i] = F((2*r.Float64() - 1) * size)
				if r.IntN(10) == 0 {
					x[i] = special[r.IntN(len(special))]
				}
			}
			a := F(r.Float64())
			wantCos, wantSin := make([]F, n), make([]F, n)
			cos(wantCos, x)
			sin(wantSin, x)
			vmath.Scale(wantCos, a)
			vmath.Scale(wantSin, a)
			for _, place := range []string{"apart", "cos", "sin"} {
				arg := append([]F(nil), x...)
				outer := make([]F, 2*(n+2))
				for i := range outer {
					outer[i] = F(math.NaN())
				}
				cos, sin := outer[1:n+1], outer[n+3:2*n+3]
				switch place {
				case "cos":
					cos = arg
				case "sin":
					sin = arg
				}
				vmath.SinCos(sin, cos, arg, a)
				for i := range x {
					if !same(cos[i], wantCos[i]) || !same(sin[i], wantSin[i]) {
						t.Fatalf("%s, %d of %d: %v has cosine %v and sine %v, want %v and %v",
							place, i, n, x[i], cos[i], sin[i], wantCos[i], wantSin[i])
					}
				}
				for _, i := range []int{0, n + 1, n + 2, 2*n + 3} {
					if outer[i] == outer[i] {
						t.Fatalf("wrote outside of %d", n)
					}
				}
			}
		}
	}
}

func BenchmarkSinCos(b *testing.B) {
	b.Run("float32", benchmarkSinCos[float32])
	b.Run("float64", benchmarkSinCos[float64])
}

func benchmarkSinCos[F vmath.Float](b *testing.B) {
	x, cos, sin := make([]F, 256), make([]F, 256), make([]F, 256)
	for i := range x {
		x[i] = F(i) / 10
	}
	for b.Loop() {
		vmath.SinCos(sin, cos, x, 0.5)
	}
}
