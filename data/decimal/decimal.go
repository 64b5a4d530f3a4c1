// Package decimal reads decimal numbers as text files have them, to the same bits as
// strconv.ParseFloat and in a fraction of its time: cells of tables and elements of JSON
// are mostly numbers of up to 19 digits, for which integers of 64 bits are enough.
package decimal

import (
	"math"
	"math/bits"
	"strconv"
)

const (
	mostDigits  = 19 // that any integer of 64 bits holds
	mostPower   = 27 // 5²⁷ is the largest power of five below 2⁶³
	exactPower  = 22 // 10²² is the largest power of ten that a float64 holds
	mostExact   = 1 << 53
	mostEncoded = 1000 // exponents beyond this are not looked at
)

// tens are powers of ten as float64, fives powers of five shifted so that the highest bit
// is set, and shifts by how much; inverses are 2¹²⁷ over fives, without the fraction.
var (
	tens     [exactPower + 1]float64
	fives    [mostPower + 1]uint64
	shifts   [mostPower + 1]int
	inverses [mostPower + 1]uint64
)

func init() {
	ten, five := 1.0, uint64(1)
	for k := range fives {
		if k < len(tens) {
			tens[k] = ten
			ten *= 10
		}
		shifts[k] = bits.LeadingZeros64(five)
		fives[k] = five << shifts[k]
		if k > 0 { // 2¹²⁷ over 1 takes 65 bits
			inverses[k], _ = bits.Div64(1<<63, 0, fives[k])
		}
		five *= 5
	}
}

// Number is a number at the beginning of a text.
type Number struct {
	Value float64
	End   int // where it ends
	Point int // where its decimal point stands; -1 for none
}

// Read reads the number that begins at at: a sign, digits with or without a point before,
// among or behind them, an exponent. It reports false where there is none, and where one has
// more than 19 digits, or is so large or small, that it is better left to strconv. The value
// has the bits that strconv.ParseFloat gives it.
func Read(b []byte, at int) (n Number, ok bool) {
	if n, ok = common(b, at); ok {
		return n, true
	}
	return general(b, at)
}

// general is Read of numbers of all spellings.
func general(b []byte, at int) (n Number, ok bool) {
	i, negative := at, false
	n.Point = -1
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	first := i
	mantissa, i := digits(0, b, i)
	count, scale := i-first, 0
	if i < len(b) && b[i] == '.' {
		n.Point = i
		mantissa, i = digits(mantissa, b, i+1)
		scale = n.Point + 1 - i
		count -= scale
	}
	n.End = i
	if count == 0 || count > mostDigits && significant(b[first:i], count) > mostDigits {
		return n, false
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		exponent, end, ok := exponent(b, i+1)
		if !ok {
			return n, false
		}
		scale += exponent
		n.End = end
	}
	if n.Value, ok = scaled(mantissa, scale); negative {
		n.Value = -n.Value
	}
	return n, ok
}

// Parse is strconv.ParseFloat of a text, for 64 bits.
func Parse(text []byte) (float64, error) {
	if n, ok := Read(text, 0); ok && n.End == len(text) {
		return n.Value, nil
	}
	return strconv.ParseFloat(string(text), 64)
}

// digits appends the digits from i on to those of a mantissa, modulo 2⁶⁴, and returns where
// they end.
func digits(mantissa uint64, b []byte, i int) (uint64, int) {
	for len(b)-i >= 8 {
		chunk := word(b, i)
		size := leading(chunk)
		mantissa = powers[size/8]*mantissa + value(chunk<<(64-size))
		if i += size / 8; size < 64 {
			return mantissa, i
		}
	}
	for ; i < len(b); i++ {
		c := b[i] - '0'
		if c > 9 {
			break
		}
		mantissa = 10*mantissa + uint64(c)
	}
	return mantissa, i
}

// significant counts the digits from the first one on that is not 0.
func significant(text []byte, count int) int {
	for _, c := range text {
		if c == '0' {
			count--
		} else if c != '.' {
			break
		}
	}
	return count
}

// exponent reads a sign and digits.
func exponent(b []byte, i int) (e, end int, ok bool) {
	minus := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		minus = b[i] == '-'
		i++
	}
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if e, ok = 10*e+int(b[i]-'0'), true; e > mostEncoded {
			return 0, i, false
		}
	}
	if minus {
		e = -e
	}
	return e, i, ok
}

// scaled returns the float64 next to mantissa·10^scale, the even one of two, and false where
// the scale is too large for that.
//
// A mantissa and a power of ten that float64 hold exactly have a product and a quotient that
// are rounded once (Clinger 1990). Of others 63 bits of the quotient, or all of the product,
// are computed in integers: rounding needs 54 of them, and whether the rest is 0.
func scaled(mantissa uint64, scale int) (float64, bool) {
	switch {
	case mantissa <= mostExact && -exactPower <= scale && scale <= exactPower:
		if scale < 0 {
			return float64(mantissa) / tens[-scale], true
		}
		return float64(mantissa) * tens[scale], true
	case mantissa == 0:
		return 0, true
	case scale < -mostPower || scale > mostPower:
		return 0, false
	}
	return divided(mantissa, scale), true
}

// divided is scaled of a mantissa other than 0, for a scale up to mostPower either way.
func divided(mantissa uint64, scale int) float64 {
	shift := bits.LeadingZeros64(mantissa)
	m := mantissa << shift
	var high, low uint64
	var power int // the number is (high + a part of 1)·2^power, with low 0 for no part
	if scale < 0 {
		// m·2⁶³/five is at least 2⁶², and m·2⁶³ less than 2⁶⁴·five, so that it does not overflow.
		high, low = bits.Div64(m>>1, m<<63, fives[-scale])
		power = shifts[-scale] - shift + scale - 63
	} else {
		high, low = bits.Mul64(m, fives[scale])
		power = 64 - shifts[scale] - shift + scale
	}
	if high>>63 == 0 {
		// The bit that comes in is the highest of low, or not known. It is one of the eleven
		// that are cut off, which it cannot carry to a half, or from one, that others decide.
		high <<= 1
		power--
	}
	rest := high & (1<<cut - 1)
	high >>= cut
	if rest > half || rest == half && (low != 0 || high&1 == 1) {
		high++
	}
	return assemble(high, power)
}

const (
	cut  = 11             // bits of 64 that a float64 has no room for
	half = 1 << (cut - 1) // of the last one that it has
)

// assemble returns m·2^(power+cut), for m of 53 bits, or 2⁵³ by rounding: that leaves a
// fraction of 0, and adds to the exponent.
func assemble(m uint64, power int) float64 {
	exponent := uint64(power + cut + 52 + 1023)
	return math.Float64frombits(exponent<<52 + m - 1<<52)
}
