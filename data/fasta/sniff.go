package fasta

import "bytes"

// Begins reports whether the first line that is not blank begins with > and the
// next is another header or holds letters, *, - and dots alone.
func Begins(head []byte) bool {
	begun := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case begun:
			return line[0] == '>' || isSequence(line)
		case line[0] != '>':
			return false
		default:
			begun = true
		}
	}
	return false
}

func isSequence(line []byte) bool {
	for _, c := range line {
		if !isLetter(c) && c != ' ' {
			return false
		}
	}
	return true
}

// isLetter reports what a sequence is made of.
func isLetter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '*' || c == '-' || c == '.'
}
