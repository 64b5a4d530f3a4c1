package file

import (
	"bytes"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// binaryFormat returns the binary format that content begins like, 0 if none.
func binaryFormat(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return NPY
	case isIDX(head):
		return IDX
	case bytes.HasPrefix(head, []byte("PAR1")) && looksBinary(head):
		return Parquet
	}
	return 0
}

// isIDX looks for two zeros, a type of values, a number of dimensions that is not
// zero, and as many sizes, of four bytes each.
func isIDX(head []byte) bool {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 {
		return false
	}
	switch head[2] {
	case 0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e:
		return head[3] > 0 && len(head) >= 4+4*int(head[3])
	}
	return false
}

// beginning returns the text format that shows in the first lines, 0 if none.
func beginning(head []byte) Format {
	var first []byte
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case first != nil: // a header that may be of FASTA
			if line[0] == '>' || isSequence(line) {
				return FASTA
			}
			return 0
		case line[0] == '{':
			if rest := bytes.TrimSpace(line[1:]); len(rest) == 0 || rest[0] == '"' || rest[0] == '}' {
				return JSONL
			}
			return 0
		case line[0] != '>':
			return 0
		}
		first = line
	}
	return 0
}

// isSequence reports whether a line holds letters, *, - and dots alone.
func isSequence(line []byte) bool {
	for _, c := range line {
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c == '*' || c == '-' || c == '.' || c == ' ') {
			return false
		}
	}
	return true
}

// Bytes reads all content that was not read yet into memory, for formats that
// must be read at random places, as Parquet must. It returns a *data.InputError,
// having read no more, when there are more than limit bytes.
func (f *File) Bytes(limit int64) ([]byte, error) {
	var all bytes.Buffer
	n, err := io.Copy(&all, io.LimitReader(f.text, limit))
	if err != nil {
		return nil, err
	}
	if n == limit {
		if _, err := f.text.Peek(1); err != io.EOF {
			if err != nil {
				return nil, err
			}
			return nil, &data.InputError{
				File:    f.Name,
				Problem: fmt.Sprintf("holds more than %d bytes, and files of its format are read as a whole", limit),
				Advice:  "allow more memory, or convert the file to CSV",
			}
		}
	}
	return all.Bytes(), nil
}
