package text_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// dna returns a random string of n letters.
func dna(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = "ACGT"[rng.IntN(4)]
	}
	return string(b)
}

func BenchmarkPair(b *testing.B) {
	// As many partners as a row has landmarks in a tile, so that branches
	// cannot be learnt by heart.
	x, y := dna(398, 0), make([]string, 64)
	for i := range y {
		y[i] = dna(398, uint64(i+1))
	}
	for _, k := range []kernel.Kernel[string]{
		text.Degree{D: 5}, text.Degree{D: 20}, text.Degree{D: 100},
		text.Substring{}, text.Substring{Max: 8}, text.Spectrum{K: 3}, text.Spectrum{K: 12},
		text.NewMismatch(5, 1), text.NewSubsequence(3),
	} {
		with := make([]func(string) float64, len(y))
		for i := range y {
			with[i] = kernel.Prepare(k, y[i])
		}
		b.Run(k.(interface{ String() string }).String(), func(b *testing.B) {
			i := 0
			for b.Loop() {
				with[i%len(with)](x)
				i++
			}
		})
	}
}

func BenchmarkDiag(b *testing.B) {
	x := dna(398, 0)
	for _, k := range []kernel.Kernel[string]{text.Substring{}, text.Spectrum{K: 3}, text.NewMismatch(5, 1)} {
		b.Run(k.(interface{ String() string }).String(), func(b *testing.B) {
			for b.Loop() {
				kernel.Diag(k, x)
			}
		})
	}
}
