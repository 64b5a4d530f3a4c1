package csv

import (
	"bytes"
	"strconv"
)

// separators are what may stand between cells.
const separators = ",\t;|"

// IsLine reports whether a line holds a separator of cells, or is one number, or words
// half of which are numbers.
func IsLine(line []byte) bool {
	if bytes.ContainsAny(line, separators) {
		return true
	}
	words, numbers := count(line)
	return words > 0 && 2*numbers >= words
}

// count returns how many words a line has, and how many of them are numbers.
func count(line []byte) (words, numbers int) {
	for word := range bytes.FieldsSeq(line) {
		words++
		if _, err := strconv.ParseFloat(string(word), 64); err == nil {
			numbers++
		}
	}
	return words, numbers
}

// Spaced reports whether lines are cells with blanks between them: two at least, as many
// in all lines but a header, half of which are numbers.
func Spaced(head []byte) bool {
	if cut := bytes.LastIndexByte(head, '\n'); cut >= 0 {
		head = head[:cut+1]
	}
	lines, width := 0, 0
	for _, record := range sampleRecords(head[len(remarks(head, true)):], true, ' ') {
		if len(record) < 2 {
			return false
		}
		numbers := 0
		for _, c := range record {
			if _, err := strconv.ParseFloat(c.Text, 64); err == nil {
				numbers++
			}
		}
		if numbers == 0 && lines == 0 {
			continue // the header
		}
		if width == 0 {
			width = len(record)
		}
		if len(record) != width || 2*numbers < width {
			return false
		}
		lines++
	}
	return lines > 1
}

// HasSeparator reports whether a separator of cells stands anywhere.
func HasSeparator(text []byte) bool { return bytes.ContainsAny(text, separators) }
