package vmath_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// naiveRuns is the formula.
func naiveRuns(x, y string, d int) int {
	sum := 0
	for k := 1; k <= d; k++ {
		for i := 0; i+k <= len(x); i++ {
			if x[i:i+k] == y[i:i+k] {
				sum += d - k + 1
			}
		}
	}
	return sum
}

// TestRuns compares with the formula: strings of all lengths about the edges of vectors and
// blocks, at all alignments, that differ often, seldom and never.
func TestRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	atLevels(t, func(t *testing.T) {
		for _, n := range sizes() {
			for trial, letters := range []int{2, 4, 250, 1, 1} {
				a, b := make([]byte, n+1), make([]byte, n+2)
				for i := range n {
					a[i+1], b[i+2] = byte(r.IntN(letters)), byte(r.IntN(letters))
				}
				if trial == 4 && n > 0 {
					a[1+r.IntN(n)] ^= 0x80
				}
				x, y := string(a)[1:], string(b)[2:]
				for _, d := range []int{1, 2, 3, 4, 5, 6, 20, 63, 64} {
					if got, want := vmath.Runs(x, y, d), naiveRuns(x, y, d); got != want {
						t.Fatalf("%d letters of %d, d = %d: %d, want %d", n, letters, d, got, want)
					}
				}
			}
		}
	})
	for _, wrong := range []func(){
		func() { vmath.Runs("a", "", 1) }, func() { vmath.Runs("", "", 0) }, func() { vmath.Runs("", "", 65) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("what cannot be is taken")
				}
			}()
			wrong()
		}()
	}
}
