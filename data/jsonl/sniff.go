package jsonl

import "bytes"

// Begins reports whether the first line that is not blank begins with { and goes
// on as an object does.
func Begins(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		rest := bytes.TrimSpace(line[1:])
		return line[0] == '{' && (len(rest) == 0 || rest[0] == '"' || rest[0] == '}')
	}
	return false
}
