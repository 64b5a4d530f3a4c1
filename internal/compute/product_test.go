package compute_test

import (
	"math"
	"testing"

	"github.com/kerf-ml/kerf/internal/compute"
)

// TestMul compares with the sum, with strides beyond the widths and numbers around
// the result that stay.
func TestMul(t *testing.T) {
	for _, size := range [][3]int{{1, 1, 1}, {3, 17, 9}, {7, 25, 80}, {10, 72, 385}} {
		m, n, k := size[0], size[1], size[2]
		lda, ldb, ldt, ldc := k+2, n+1, k+3, n+4
		a, b, bt := make([]float64, m*lda), make([]float64, k*ldb), make([]float64, n*ldt)
		for i := range a {
			a[i] = math.Sin(float64(i))
		}
		for p := range k {
			for j := range n {
				b[p*ldb+j] = math.Cos(float64(p*n + 3*j))
				bt[j*ldt+p] = b[p*ldb+j]
			}
		}
		for name, multiply := range map[string]func(c []float64){
			"Mul":  func(c []float64) { compute.Mul(c, ldc, a, lda, b, ldb, m, n, k) },
			"MulT": func(c []float64) { compute.MulT(c, ldc, a, lda, bt, ldt, m, n, k) },
		} {
			c := make([]float64, m*ldc)
			for i := range c {
				c[i] = math.NaN()
			}
			multiply(c)
			for i := range m {
				for j, got := range c[i*ldc : (i+1)*ldc] {
					want := 0.0
					for p := 0; p < k && j < n; p++ {
						want += a[i*lda+p] * b[p*ldb+j]
					}
					// k terms of at most 1, each rounded.
					if j < n && !(math.Abs(got-want) <= float64(k*k)*0x1p-52) || j >= n && !math.IsNaN(got) {
						t.Fatalf("%s of %v: entry %d, %d is %v, want %v", name, size, i, j, got, want)
					}
				}
			}
		}
	}
}
