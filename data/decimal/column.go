package decimal

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/vmath"
)

//go:generate go -C ../../gen run ./text -what column -to ../data/decimal

// least is how many bytes columnAVX512 looks at before the end of a number.
const least = 24

// Column reads numbers of a table in a text: of each row the one behind byte ends[j] and up to
// ends[j+1], for j = first, first+width, and so on. It returns how many it has read before one
// that is not common: with at most eight digits before the point, 19 in all, a minus or none,
// nothing else, and some bytes of the text behind. It may read others that 64 bits hold. It
// reports whether one of them may have a point. Values are those of Read, but for 0 in the place
// of -0.
//
// With AVX-512 it reads eight numbers side by side. Those of more than 24 bytes, and the few that
// 64 bits find in the middle of two float64, are left to plain Go.
func Column(dst []float64, text []byte, ends []int32, first, width int) (read int, point bool) {
	if vmath.Active() < vmath.AVX512 || len(text) < least || len(dst) == 0 {
		return columnPlain(dst, text, ends, first, width)
	}
	_ = ends[first:][(len(dst)-1)*width+1]
	for next := 1; read < len(dst); {
		// Plain Go comes first: what it cannot read is no reason to begin with eight.
		part := dst[read:min(read+next, len(dst))]
		n, some := columnPlain(part, text, ends, first+read*width, width)
		read, point = read+n, point || some
		if n < len(part) {
			break
		}
		n, some = columnAVX512(dst[read:], text, ends, first+read*width, width)
		read, point = read+n, point || some
		if next = 1; n == 0 {
			next = 8
		}
	}
	return read, point
}

// columnPlain is Column in plain Go.
//
// Where it does not decide by what differs from number to number, the processor need not
// guess; and as it is known where the next one is, it reads several at the same time.
func columnPlain(dst []float64, text []byte, ends []int32, first, width int) (read int, point bool) {
	last := len(text) - room
	if last < 0 {
		return 0, false
	}
	from := unsafe.Pointer(unsafe.SliceData(text))
	for i := range dst {
		lo, hi := int(ends[first])+1, int(ends[first+1])
		first += width
		if uint(lo) > uint(last) || lo >= hi {
			return i, point
		}
		negative := 0
		if text[lo] == '-' {
			negative = 1
		}
		lo += negative
		chunk := load(from, lo)
		whole := leading(chunk) // bits of the digits before the point
		at := lo + whole/8
		size := 8 * (hi - lo - 1) // bits of all digits, where there is a point
		var number float64
		if at < hi && text[at] == '.' {
			point = true
			before := uint64(1)<<whole - 1
			chunk = chunk&before | load(from, lo+1)&^before // the first eight digits, without the point
			var mantissa uint64
			switch {
			case size == 0:
				return i, point
			case size <= 64:
				chunk <<= 64 - size
				if odd(chunk) {
					return i, point
				}
				mantissa = value(chunk)
			case size <= 128:
				next := load(from, lo+9) << (128 - size)
				if odd(chunk) || odd(next) {
					return i, point
				}
				mantissa = powers[(size-64)/8]*value(chunk) + value(next)
			case size <= 192:
				next, third := load(from, lo+9), load(from, lo+17)<<(192-size)
				mantissa = powers[8]*value(chunk) + value(next)
				more := (size - 128) / 8
				if odd(chunk) || odd(next) || odd(third) || mantissa >= bounds[more] {
					return i, point
				}
				mantissa = powers[more]*mantissa + value(third)
			default:
				return i, point
			}
			if scale := (size - whole) / 8; size <= 8*fewDigits {
				number = float64(mantissa) / tens[scale]
			} else {
				number = quotient(mantissa, scale)
			}
		} else {
			if size += 8; size == 0 || size > 64 || whole < size {
				return i, point
			}
			number = float64(value(chunk << (64 - size)))
		}
		signed := math.Float64bits(number) | uint64(negative)<<63
		dst[i] = math.Float64frombits(signed) + 0 // -0 becomes 0
	}
	return len(dst), point
}

// load is word, of a text that has eight bytes there.
func load(text unsafe.Pointer, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(text, i))[:]) ^ zeros
}

// odd reports whether a byte of a word is no digit.
func odd(word uint64) bool { return (word|(word+sixes))&uppers != 0 }
