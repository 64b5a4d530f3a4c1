package vmath_test

import (
	"fmt"
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// benchSizes: a row of a tile, a chunk that stays in the first cache, and a
// stream from memory.
var benchSizes = []int{64, 2048, 2 << 20}

// benchmark measures call(dst, x) with x cycling through the range at every
// level, and a loop over the scalar function where there is one. Beside the
// mean it reports the best batch, which on a shared machine is the truer one.
func benchmark[F vmath.Float](b *testing.B, lo, hi float64, call func(dst, x []F), scalar func(float64) float64) {
	for _, n := range benchSizes {
		dst, x := make([]F, n), make([]F, n)
		for i := range x {
			x[i] = F(lo + (hi-lo)*float64(i*7%997)/996)
		}
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("float%d/n=%d/%s", 8*unsafe.Sizeof(F(0)), n, name), func(b *testing.B) {
				reps := max(1, 1<<14/n)
				least := math.Inf(1)
				for b.Loop() {
					start := time.Now()
					for range reps {
						f()
					}
					least = min(least, float64(time.Since(start).Nanoseconds()))
				}
				values := float64(n * reps)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/values, "ns/value")
				b.ReportMetric(least/values, "best-ns/value")
				b.ReportMetric(0, "ns/op")
			})
		}
		for _, l := range levels() {
			restore := vmath.Limit(l)
			run(l.String(), func() { call(dst, x) })
			restore()
		}
		if scalar != nil {
			run("math", func() {
				for i, v := range x {
					dst[i] = F(scalar(float64(v)))
				}
			})
		}
	}
}

func BenchmarkExp(b *testing.B) {
	benchmark(b, -20, 1, vmath.Exp[float32], math.Exp)
	benchmark(b, -20, 1, vmath.Exp[float64], math.Exp)
}

func BenchmarkLog(b *testing.B) {
	benchmark(b, 0.01, 50, vmath.Log[float32], math.Log)
	benchmark(b, 0.01, 50, vmath.Log[float64], math.Log)
}

func BenchmarkTanh(b *testing.B) {
	benchmark(b, -4, 4, tanh[float32], math.Tanh)
	benchmark(b, -4, 4, tanh[float64], math.Tanh)
}

// BenchmarkRBFRow leaves the result in dst: the inner products are refreshed,
// which costs a copy.
func BenchmarkRBFRow(b *testing.B) {
	benchmark(b, -1, 1, rbf[float32](), nil)
	benchmark(b, -1, 1, rbf[float64](), nil)
}

func rbf[F vmath.Float]() func(dst, x []F) {
	yy := make([]F, benchSizes[len(benchSizes)-1])
	for i := range yy {
		yy[i] = 1
	}
	return func(dst, x []F) {
		copy(dst, x)
		vmath.RBFRow(dst, 1, yy[:len(dst)], 0.5)
	}
}

func BenchmarkDot(b *testing.B) {
	benchmark(b, -1, 1, func(dst, x []float32) { dst[0] = vmath.Dot(x, x) }, nil)
	benchmark(b, -1, 1, func(dst, x []float64) { dst[0] = vmath.Dot(x, x) }, nil)
}

func BenchmarkAxpy(b *testing.B) {
	benchmark(b, -1, 1, func(dst, x []float32) { vmath.Axpy(dst, 1e-9, x) }, nil)
	benchmark(b, -1, 1, func(dst, x []float64) { vmath.Axpy(dst, 1e-9, x) }, nil)
}

func BenchmarkFinite(b *testing.B) {
	benchmark(b, -1, 1, func(_, x []float32) { vmath.Finite(x) }, nil)
	benchmark(b, -1, 1, func(_, x []float64) { vmath.Finite(x) }, nil)
}
