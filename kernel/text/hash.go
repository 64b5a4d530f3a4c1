package text

import (
	"math/bits"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// hash numbers strings of one length of 8 letters or more by multilinear hashing
// (Lemire and Kaser 2014, theorem 1): with the letters in words w_1 … w_n of 64
// bits
//
//	h = (a_0 + Σ a_i·w_i mod 2¹²⁸) ÷ 2⁶⁴
//
// where the a_i are numbers of 128 bits, drawn at random once and for all. Over
// that draw two different strings have the same h with probability 2⁻⁶⁴.
type hash struct {
	factor []wide
}

// wide is a number of 128 bits.
type wide struct{ hi, lo uint64 }

// newHash returns the hash of strings of n letters.
func newHash(n int) hash {
	h := hash{factor: make([]wide, 1+(n+7)/8)}
	state := uint64(0x6b65726674657874)
	for i := range h.factor {
		h.factor[i] = wide{mix(&state), mix(&state)}
	}
	return h
}

// mix returns the next number of SplitMix64 (Steele, Lea and Flood 2014).
func mix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// of returns h. The last word is that of the last 8 letters, which may overlap
// the word before: all letters are in some word, so different strings have
// different words.
func (h hash) of(s string) uint64 {
	sum := h.factor[0]
	last := len(s) - 8
	for i, a := range h.factor[1:] {
		w := vmath.Word(s[min(8*i, last):])
		hi, lo := bits.Mul64(a.lo, w)
		var carry uint64
		sum.lo, carry = bits.Add64(sum.lo, lo, 0)
		sum.hi += hi + a.hi*w + carry
	}
	return sum.hi
}
