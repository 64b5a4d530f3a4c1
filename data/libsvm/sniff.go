package libsvm

import (
	"bytes"
	"strconv"
)

// IsLine reports whether all tokens of a line but perhaps the first are pairs
// index:value, and there is one at least.
func IsLine(line []byte) bool {
	pairs := 0
	for i, token := range bytes.Fields(line) {
		switch {
		case token[0] == '#':
			return pairs > 0
		case isPair(token):
			pairs++
		case i > 0:
			return false
		}
	}
	return pairs > 0
}

func isPair(token []byte) bool {
	index, value, found := bytes.Cut(token, []byte{':'})
	if !found || len(index) == 0 {
		return false
	}
	if string(index) == "qid" {
		return true
	}
	for _, c := range index {
		if c < '0' || c > '9' {
			return false
		}
	}
	_, err := strconv.ParseFloat(string(value), 64)
	return err == nil
}
