package decimal

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const (
	// room is how many bytes common may look at: a sign, a point and three times eight digits.
	room = 26

	fewDigits = 15 // any number of so many is less than 2⁵³
)

// common is Read of numbers as tables mostly have them: a minus or none, at most seven digits
// before the point, no exponent, and some bytes behind. It reports false for all others, of
// which nothing is known then. Where it does not decide by what differs from number to
// number, the processor need not guess.
func common(b []byte, at int) (n Number, ok bool) {
	if len(b)-at < room {
		return n, false
	}
	negative := 0
	if b[at] == '-' {
		negative = 1
	}
	first := at + negative
	chunk := word(b, first)
	whole := leading(chunk) // bits of the digits before the point
	if whole == 64 {
		return n, false
	}
	n.Point, n.End = -1, first+whole/8
	if b[n.End] != '.' {
		if whole == 0 || b[n.End]|0x20 == 'e' {
			return n, false
		}
		n.Value = float64(value(chunk << (64 - whole)))
		return n.signed(negative), true
	}
	n.Point = n.End
	before := uint64(1)<<whole - 1
	chunk = chunk&before | word(b, first+1)&^before // the first eight digits, without the point
	size := leading(chunk)
	if size == 0 {
		return n, false
	}
	mantissa := value(chunk << (64 - size))
	if size == 64 {
		chunk = word(b, first+9)
		next := leading(chunk)
		mantissa = powers[next/8]*mantissa + value(chunk<<(64-next))
		if size += next; next == 64 {
			chunk = word(b, first+17)
			next = leading(chunk)
			if next == 64 || mantissa >= bounds[next/8] {
				return n, false // more than 19 digits, or there may be
			}
			mantissa = powers[next/8]*mantissa + value(chunk<<(64-next))
			size += next
		}
	}
	n.End = first + 1 + size/8
	if b[n.End]|0x20 == 'e' {
		return n, false
	}
	if scale := (size - whole) / 8; size <= 8*fewDigits {
		n.Value = float64(mantissa) / tens[scale]
	} else {
		n.Value = quotient(mantissa, scale)
	}
	return n.signed(negative), true
}

// signed returns the number with a sign, 1 for a minus.
func (n Number) signed(negative int) Number {
	n.Value = math.Float64frombits(math.Float64bits(n.Value) | uint64(negative)<<63)
	return n
}

// word returns eight bytes, of which digits are numbers from 0 to 9.
func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) ^ zeros }

const (
	zeros  = 0x3030303030303030 // eight digits
	sixes  = 0x0606060606060606
	uppers = 0xf0f0f0f0f0f0f0f0 // the upper half of each byte
)

// leading returns how many bits of a word are digits, up to the first byte that is none: a
// digit has no bit in its upper half, and still has none with 6 added. Only what is no digit
// can carry over into the next byte.
func leading(word uint64) int {
	return bits.TrailingZeros64((word|(word+sixes))&uppers) &^ 7
}

// value is the number of eight digits, of which the lowest byte is the first: neighbours
// become numbers of two digits, these of four, these the whole.
func value(word uint64) uint64 {
	word = (word*10 + word>>8) & 0x00ff00ff00ff00ff
	word = (word*100 + word>>16) & 0x0000ffff0000ffff
	return (word*10_000 + word>>32) & 0xffffffff
}

var powers = [...]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}

// bounds are those of a mantissa that takes so many more digits within 19.
var bounds = [...]uint64{1e19, 1e18, 1e17, 1e16, 1e15, 1e14, 1e13, 1e12, 1e11}

// quotient returns the float64 next to mantissa/10^scale, for a scale from 1 to mostPower.
//
// The inverse of 5^scale lacks less than 1, so that its product with a mantissa below 2⁶⁴
// lacks less than 1 in the upper half, and what is cut off there is less than 1 more: 2 in
// all, and 3 with a bit moved in from the lower half. Where the bits that a float64 has no
// room for are above a half, or 3 below, that does not matter to where they round.
func quotient(mantissa uint64, scale int) float64 {
	if mantissa == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(mantissa)
	high, low := bits.Mul64(mantissa<<shift, inverses[scale])
	more := 1 &^ (high >> 63)
	high = high<<more | low>>63&more
	rest := high & (1<<cut - 1)
	if rest-(half-3) <= 3 {
		return divided(mantissa, -scale)
	}
	return assemble(high>>cut+rest>>(cut-1), shifts[scale]-shift-scale-63-int(more))
}
