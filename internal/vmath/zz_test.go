package vmath_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func best(n int, f func()) float64 {
	reps := max(1, 20000/n)
	b := math.Inf(1)
	end := time.Now().Add(300 * time.Millisecond)
	for k := 0; k < 30 || time.Now().Before(end); k++ {
		t := time.Now()
		for range reps {
			f()
		}
		b = min(b, float64(time.Since(t).Nanoseconds())/float64(reps*n))
	}
	return b
}

func zz[F vmath.Float](name string, lo, hi float64, call func(dst, x []F)) {
	for _, n := range benchSizes {
		dst, x := make([]F, n), make([]F, n)
		for i := range x {
			x[i] = F(lo + (hi-lo)*float64(i*7%997)/996)
		}
		s := fmt.Sprintf("%-10s %T n=%-8d", name, x[0], n)
		for _, l := range levels() {
			restore := vmath.Limit(l)
			s += fmt.Sprintf(" %6.3f", best(n, func() { call(dst, x) }))
			restore()
		}
		fmt.Println(s)
	}
}

func TestZZ(t *testing.T) {
	zz("exp", -20, 1, vmath.Exp[float32]); zz("exp", -20, 1, vmath.Exp[float64])
	zz("expinpl", -20, 1, func(dst, x []float32) { vmath.ExpScale(dst, -1, 0) }); zz("expinpl", -20, 1, func(dst, x []float64) { vmath.ExpScale(dst,-1,0) })
	zz("rbf", -1, 1, rbf[float32]()); zz("rbf", -1, 1, rbf[float64]())
	yy32 := make([]float32,2<<20); yy64 := make([]float64,2<<20)
	zz("rbfinpl", -1, 1, func(dst, x []float32) { vmath.RBFRow(dst, 1, yy32[:len(dst)],0.5) }); zz("rbfinpl", -1, 1, func(dst, x []float64) { vmath.RBFRow(dst, 1, yy64[:len(dst)],0.5) })
	zz("log", 0.01, 50, vmath.Log[float32]); zz("log", 0.01, 50, vmath.Log[float64])
	zz("tanh", -4, 4, vmath.Tanh[float32]); zz("tanh", -4, 4, vmath.Tanh[float64])
	zz("cos", -50, 50, vmath.Cos[float32]); zz("cos", -50, 50, vmath.Cos[float64])
	zz("dot", -1, 1, func(dst, x []float32) { dst[0] = vmath.Dot(dst, x) }); zz("dot", -1, 1, func(dst, x []float64) { dst[0] = vmath.Dot(dst, x) })
	zz("sum", -1, 1, func(dst, x []float32) { dst[0] = vmath.Sum(x) })
	zz("axpy", -1, 1, func(dst, x []float32) { vmath.Axpy(dst, 1e-9, x) }); zz("axpy", -1, 1, func(dst, x []float64) { vmath.Axpy(dst, 1e-9, x) })
	zz("finite", -1, 1, func(_, x []float32) { vmath.Finite(x) }); zz("finite", -1, 1, func(_, x []float64) { vmath.Finite(x) })
}
