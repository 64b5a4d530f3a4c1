//go:build unix

package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// tokens are pieces that parsers know, and odd ones.
var tokens = []string{"0", "-1", "1e308", "-1e308", "1e-320", "9223372036854775807", "18446744073709551616", "0x10",
	"1,5", "NaN", "inf", "?", "NA", "\"", "'", ",", ";", "\t", "\n", "\r\n", "\x00", "\xff", "\xef\xbb\xbf", "#", ":",
	"{", "}", "[", "]", ">", " ", "größe", "\u202e", "\x1b[2J", "1:1", "2147483647:1", "label", "null", "true", "-", "+",
	"*", "^", "(", ")"}

// mutate damages bytes in a few places.
func mutate(r *rand.Rand, b []byte, other func() []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(4) {
		i, j := span(r, len(b))
		switch r.IntN(8) {
		case 0:
			if i < len(b) {
				b[i] ^= 1 << r.IntN(8)
			}
		case 1:
			if i < len(b) {
				b[i] = byte(r.Uint32())
			}
		case 2:
			b = slices.Delete(b, i, j)
		case 3:
			b = slices.Insert(b, i, slices.Clone(b[i:j])...)
		case 4, 5:
			b = slices.Insert(b, i, []byte(tokens[r.IntN(len(tokens))])...)
		case 6:
			b = b[:i]
		case 7: // splice
			o := other()
			k, l := span(r, len(o))
			b = slices.Insert(b, i, o[k:l]...)
		}
	}
	return b
}

// span returns the ends of a stretch of n bytes.
func span(r *rand.Rand, n int) (int, int) {
	i := r.IntN(n + 1)
	return i, min(n, i+r.IntN(1+r.IntN(1+n)))
}

// odd are numbers that a number is replaced by.
var odd = []float64{0, -1, 1, 7, 0.5, 1e300, -1e300, 1e-300, 5e-324, 1 << 40, math.MaxFloat64, -math.MaxFloat64, 1e155}

// damage changes a model file in a few places: bytes, numbers of its header and its
// parts, or it takes a stretch of another model. It reports whether it gave the file
// the checksum that makes it whole.
func damage(r *rand.Rand, b []byte, other func() []byte) ([]byte, bool) {
	if r.IntN(3) == 0 || len(b) < 64 {
		return mutate(r, b, other), false
	}
	body := slices.Clone(b[:len(b)-sha256.Size])
	n := int(binary.LittleEndian.Uint32(body[12:]))
	header, parts := body[16:16+n:16+n], body[16+n:]
	for range 1 + r.IntN(3) {
		switch r.IntN(5) {
		case 0:
			header = oddNumber(r, header)
		case 1:
			if m := len(parts) / 8; m > 0 {
				v := append(odd[:len(odd):len(odd)], math.NaN(), math.Inf(1))
				binary.LittleEndian.PutUint64(parts[8*r.IntN(m):], math.Float64bits(v[r.IntN(len(v))]))
			}
		case 2:
			if len(parts) > 0 {
				parts[r.IntN(len(parts))] ^= 1 << r.IntN(8)
			}
		case 3:
			header = mutate(r, header, other)
		case 4: // the parts of another model under this header, or cut
			if o := other(); r.IntN(4) == 0 && len(o) > 64 {
				parts = slices.Clone(o[min(len(o), 16+int(binary.LittleEndian.Uint32(o[12:]))) : len(o)-sha256.Size])
			} else if len(header) > 0 {
				header[r.IntN(len(header))] ^= 1 << r.IntN(7)
			}
		}
	}
	body = append(binary.LittleEndian.AppendUint32(slices.Clone(body[:12]), uint32(len(header))), header...)
	body = append(body, parts...)
	sum := sha256.Sum256(body)
	return append(body, sum[:]...), true
}

// oddNumber replaces a number of a text by another.
func oddNumber(r *rand.Rand, text []byte) []byte {
	digit := func(c byte) bool { return bytes.IndexByte([]byte("0123456789.-+e"), c) >= 0 }
	for range 50 {
		i := r.IntN(len(text) + 1)
		if i == len(text) || text[i] < '0' || text[i] > '9' {
			continue
		}
		j := i
		for i > 0 && digit(text[i-1]) {
			i--
		}
		for j < len(text) && digit(text[j]) {
			j++
		}
		v := strconv.FormatFloat(odd[r.IntN(len(odd))], 'g', -1, 64)
		return slices.Concat(text[:i], []byte(v), text[j:])
	}
	return text
}
