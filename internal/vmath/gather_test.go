package vmath_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestGather(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		testGather[float32](t)
		testGather[float64](t)
	})
	for _, index := range [][]int32{{-1}, {0, 3}, {2, 1}, {1, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("the places %v of 3 are taken", index)
				}
			}()
			vmath.Choose(3, index)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("room for one of two is taken")
		}
	}()
	vmath.Gather(make([]float64, 1), 1, make([]float64, 3), vmath.Choose(3, []int32{0, 2}))
}

func testGather[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, n := range sizes() {
		x := make([]F, 3*n+1)
		for i := range x {
			x[i] = F(r.NormFloat64())
		}
		if n > 2 {
			x[1], x[2] = F(math.Inf(1)), F(math.NaN())
		}
		index := make([]int32, n)
		for l, i := range r.Perm(len(x))[:n] {
			index[l] = int32(i)
		}
		slices.Sort(index)
		guarded := slices.Repeat([]F{42}, n+2)
		vmath.Gather(guarded[1:n+1], 0.3, x, vmath.Choose(len(x), index))
		for l, i := range index {
			if want := F(0.3) * x[i]; !same(guarded[l+1], want) {
				t.Fatalf("n = %d: %v at %d, want %v", n, guarded[l+1], l, want)
			}
		}
		if guarded[0] != 42 || guarded[n+1] != 42 {
			t.Fatalf("n = %d: wrote outside", n)
		}
	}
}
