package vmath_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// TestScatterAdd compares with the loop of the documentation, bit for bit.
func TestScatterAdd(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 1))
		for _, n := range []int{0, 1, 2, 7, 33} {
			for _, m := range []int{0, 1, 3, 8, 40} {
				for _, places := range []int{1, 5, 100} {
					from, to := make([]int, n), make([]int, m)
					for k := range from {
						from[k] = 8 * r.IntN(places)
					}
					for k := range to {
						to[k] = r.IntN(8 * places)
					}
					x, y := ordinary[float64](r, 8*n), ordinary[float64](r, 8*m)
					sum := ordinary[float64](r, 16*places+8)
					want := slices.Clone(sum)
					for k, f := range from {
						for l, g := range to {
							for i := range 8 {
								want[f+g+i] += float64(x[8*k+i] * y[8*l+i])
							}
						}
					}
					vmath.ScatterAdd(sum, from, to, x, y)
					if !slices.Equal(sum, want) {
						t.Fatalf("%d by %d into %d differ", n, m, places)
					}
				}
			}
		}
	})
}

func TestScatterAddPanics(t *testing.T) {
	x := make([]float64, 8)
	for _, call := range []func(){
		func() { vmath.ScatterAdd(make([]float64, 15), []int{4}, []int{4}, x, x) },
		func() { vmath.ScatterAdd(make([]float64, 15), []int{-1}, []int{4}, x, x) },
		func() { vmath.ScatterAdd(make([]float64, 15), []int{1 << 62}, []int{1 << 62}, x, x) },
		func() { vmath.ScatterAdd(make([]float64, 16), []int{0}, []int{0}, x[:7], x) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a place outside of the table is taken")
				}
			}()
			call()
		}()
	}
}
