package csv

import (
	"bytes"
	"strconv"
)

// separators are what may stand between cells.
const separators = ",\t;|"

// IsLine reports whether a line holds a separator of cells or is one number.
func IsLine(line []byte) bool {
	if bytes.ContainsAny(line, separators) {
		return true
	}
	_, err := strconv.ParseFloat(string(line), 64)
	return err == nil
}

// HasSeparator reports whether a separator of cells stands anywhere.
func HasSeparator(text []byte) bool { return bytes.ContainsAny(text, separators) }
