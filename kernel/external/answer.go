package external

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

// parseAnswer reads a JSON array of len(dst) finite numbers.
func parseAnswer(dst []float64, line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return fmt.Errorf("it answered %s, which is no array of numbers", quote(line))
	}
	n := 0
	for cell := range bytes.SplitSeq(line[1:len(line)-1], []byte{','}) {
		cell = bytes.TrimSpace(cell)
		if len(cell) == 0 && len(bytes.TrimSpace(line[1:len(line)-1])) == 0 {
			break // the empty array
		}
		v, ok := parseNumber(cell)
		if !ok {
			return fmt.Errorf("it answered %s as value %d, which is no finite number", quote(cell), n+1)
		}
		if n < len(dst) {
			dst[n] = v
		}
		n++
	}
	if n != len(dst) {
		return fmt.Errorf("it answered %d numbers for %d pairs", n, len(dst))
	}
	return nil
}

// parseNumber reads a decimal number. Other spellings that Go knows, such as inf
// or 0x1p4, are none of JSON's.
func parseNumber(cell []byte) (float64, bool) {
	for _, c := range cell {
		if (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(cell), 64)
	return v, err == nil // out of range is an error too
}

// quote shows a piece of an answer in a message.
func quote(text []byte) string {
	return strconv.Quote(data.Clip(string(text[:min(len(text), 60)]), 40))
}
