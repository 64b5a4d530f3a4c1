package vmath_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestTimes(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		testTimes[float32](t)
		testTimes[float64](t)
	})
	defer func() {
		if recover() == nil {
			t.Error("lengths that differ are taken")
		}
	}()
	vmath.Times(make([]float64, 2), make([]float64, 2), make([]float64, 3))
}

func testTimes[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(9, 11))
	special := specialValues[F]()
	for _, n := range sizes() {
		x, y := make([]F, n), make([]F, n)
		for i := range x {
			x[i], y[i] = F(r.NormFloat64()), F(r.NormFloat64())
			if r.IntN(4) == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		guarded := slices.Repeat([]F{42}, n+2)
		vmath.Times(guarded[1:n+1], x, y)
		in := slices.Clone(x)
		vmath.Times(in, in, y)
		for i := range x {
			if want := x[i] * y[i]; !same(guarded[i+1], want) || !same(in[i], want) {
				t.Fatalf("n = %d: %v·%v is %v and %v", n, x[i], y[i], guarded[i+1], in[i])
			}
		}
		if guarded[0] != 42 || guarded[n+1] != 42 {
			t.Fatalf("n = %d: wrote outside", n)
		}
	}
}
