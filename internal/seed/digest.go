package seed

import (
	"math"
	"math/bits"
)

// Digest returns a number for a word behind those that h is the digest of: the two halves of
// a product of 128 bits, by exclusive or. It is the same on all machines. Equal words have
// equal digests; that others differ is likely, and for whoever asks to see to.
func Digest(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, word^0xa0761d6478bd642f)
	return hi ^ lo ^ h
}

// DigestText is Digest of the words of a text, eight bytes each, and of its length.
func DigestText(h uint64, s string) uint64 {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		h = Digest(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var last uint64
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	return Digest(Digest(h, last), uint64(n))
}

// DigestNumbers is a digest of numbers by their bits, of which four are worked on side by side.
func DigestNumbers(h uint64, values []float64) uint64 {
	a, b, c, d := h, h+1, h+2, h+3
	for ; len(values) >= 4; values = values[4:] {
		a, b = Digest(a, math.Float64bits(values[0])), Digest(b, math.Float64bits(values[1]))
		c, d = Digest(c, math.Float64bits(values[2])), Digest(d, math.Float64bits(values[3]))
	}
	for _, v := range values {
		a = Digest(a, math.Float64bits(v))
	}
	return Digest(Digest(Digest(a, b), c), d)
}
