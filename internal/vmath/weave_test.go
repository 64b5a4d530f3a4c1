package vmath_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// TestWeave compares with the formula of the documentation, bit for bit: nothing else is written.
func TestWeave(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 1))
		for _, n := range []int{0, 1, 3, 4, 5, 8, 31, 128} {
			for _, stride := range []int{4, 5, 50} {
				for _, odd := range []int{-1, 0, 2, n - 1} {
					var columns [4][]float64
					var center, spread [4]float64
					for k := range columns {
						columns[k] = ordinary[float64](r, n)
						center[k], spread[k] = r.NormFloat64(), r.ExpFloat64()
					}
					if odd >= 0 && odd < n {
						columns[r.IntN(4)][odd] = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
					} else {
						odd = n
					}
					dst := make([]float64, stride*n+8)
					got := vmath.Weave(dst, stride, &columns, &center, &spread)
					if got > odd || got < odd-odd%4 {
						t.Fatalf("%d rows, of which row %d is odd: %d are woven", n, odd, got)
					}
					for at, v := range dst {
						i, k, want := at/stride, at%stride, 0.0
						if i < got && k < 4 {
							want = (columns[k][i] - center[k]) / spread[k]
						}
						if v != want {
							t.Fatalf("%d rows, stride %d: element %d of row %d is %v, want %v", n, stride, k, i, v, want)
						}
					}
				}
			}
		}
	})
}

func TestWeavePanics(t *testing.T) {
	var center, spread [4]float64
	five, four := make([]float64, 5), make([]float64, 4)
	for _, call := range []func(){
		func() { vmath.Weave(make([]float64, 8), 3, &[4][]float64{four, four, four, four}, &center, &spread) },
		func() { vmath.Weave(make([]float64, 15), 4, &[4][]float64{four, four, four, four}, &center, &spread) },
		func() { vmath.Weave(make([]float64, 20), 4, &[4][]float64{five, five, five, four}, &center, &spread) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("lengths that do not fit are taken")
				}
			}()
			call()
		}()
	}
}
