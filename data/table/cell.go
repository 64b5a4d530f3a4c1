package table

import (
	"math"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data/decimal"
)

// content is what a cell reads as.
type content uint8

const (
	missing content = iota
	number
	nonfinite // reads as NaN or an infinity, or as a number too large for float64
	text
)

// classify says what a cell reads as, with its value if it is a number.
func classify(cell []byte, quoted bool) (content, float64) {
	if len(cell) == 0 || !quoted && isMissing(cell) {
		return missing, math.NaN()
	}
	if !mayBeNumber(cell) {
		return text, 0
	}
	v, err := decimal.Parse(cell)
	switch {
	case v-v != 0:
		return nonfinite, v
	case err != nil:
		return text, 0
	}
	return number, v + 0 // -0 becomes 0
}

// IsMissing reports whether a text stands for a missing cell where it is not
// quoted.
func IsMissing(text string) bool { return text == "" || isMissing([]byte(text)) }

func isMissing(cell []byte) bool {
	switch len(cell) {
	case 1:
		return cell[0] == '?'
	case 2:
		return strings.EqualFold(string(cell), "na")
	case 3:
		return strings.EqualFold(string(cell), "n/a")
	case 4:
		return strings.EqualFold(string(cell), "null")
	}
	return false
}

// mayBeNumber rules out by its first bytes what is not a decimal number, nor
// NaN or an infinity, before the costlier parsing. Hexadecimal numbers are text.
func mayBeNumber(cell []byte) bool {
	c := cell[0]
	if c == '+' || c == '-' {
		if len(cell) == 1 {
			return false
		}
		cell = cell[1:]
		c = cell[0]
	}
	if len(cell) > 1 && c == '0' && cell[1]|0x20 == 'x' {
		return false
	}
	return c >= '0' && c <= '9' || c == '.' || c|0x20 == 'n' || c|0x20 == 'i'
}

// spell is the canonical spelling of a number, which is also the key of the
// category that a numeric cell stands for: "1", "1.0" and "+1" are one category.
func spell(v float64) string {
	const short = 1_000_000 // from which on a whole number is spelled with an exponent
	if n := int(v); float64(n) == v && -short < n && n < short && (n != 0 || !math.Signbit(v)) {
		return strconv.Itoa(n)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
