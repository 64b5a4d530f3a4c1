// Package fasta reads strings in the FASTA format:
//
//	> position=180699, label=-1
//	GAAATATTTTTAAAAAAATTTG
//	TTAAAAGCC
//
// A record is a header, which begins with >, and a sequence of letters, *, - and
// dots, over any number of lines, taken in the case in which it is written. The
// label is what follows label= in the header, up to a blank, comma, semicolon or
// bar; where the first header has no label=, the whole text of each header is
// the label. Blank lines and lines that begin with a semicolon are skipped.
package fasta

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Reader reads records from a stream. It is not safe for concurrent use.
type Reader struct {
	scan   *file.Scanner
	rows   file.Batches
	line   []byte // a header that was read and not used, nil for none
	first  int    // line of the first header, 0 before it
	marked bool   // whether the first header has label=

	sequence []byte // of the record being read
	labels   file.Words
}

// NewReader returns a reader of r. The name stands for the file in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{scan: file.NewScanner(r, name)}
}

// Read returns the next sequences, at most max of them, all that are left if
// max ≤ 0, with their labels. It returns io.EOF, and nothing else, when no record
// is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[string], labels []string, err error) {
	_, err = r.rows.Read(ctx, max, func() error {
		label, err := r.next()
		if err == nil {
			x, labels = append(x, string(r.sequence)), append(labels, label)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return x, labels, nil
}

// next reads a record: its sequence into r.sequence. It reads one line too far,
// the next header, and leaves that in r.line.
func (r *Reader) next() (label string, err error) {
	if r.line == nil {
		line, err := r.scanLine()
		if err != nil {
			return "", err
		}
		if line[0] != '>' {
			return "", r.scan.Fault(0, "the file begins with something else than a header",
				"begin each record with a line that begins with >")
		}
		r.line = line
	}
	begin := r.scan.Line()
	if label, err = r.label(r.line[1:]); err != nil {
		return "", err
	}
	r.line, r.sequence = nil, r.sequence[:0]
	for {
		line, err := r.scanLine()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if line[0] == '>' {
			r.line = line
			break
		}
		if err := r.extend(line); err != nil {
			return "", err
		}
	}
	if len(r.sequence) == 0 {
		return "", r.scan.FaultIn(begin, "the record has no sequence",
			"write it in the lines after the header, or leave the record out")
	}
	return label, nil
}

// scanLine returns the next line that is neither blank nor a remark.
func (r *Reader) scanLine() ([]byte, error) {
	for {
		line, err := r.scan.NextFilled()
		if err != nil || line[0] != ';' {
			return line, err
		}
	}
}

// extend appends the letters of a line to the sequence.
func (r *Reader) extend(line []byte) error {
	for at, c := range line {
		switch {
		case isLetter(c):
			r.sequence = append(r.sequence, c)
		case isBlank(c):
		default:
			return r.scan.Fault(at, fmt.Sprintf("%q is no part of a sequence", c),
				"write sequences in letters, * and -, and begin headers with >")
		}
	}
	return nil
}

// Sequence returns the letters of a sequence as a reader would have them, in one
// line that errors place.
func Sequence(text, name string, line int) (string, error) {
	r := &Reader{scan: file.At(name, line)}
	for part := range strings.Lines(text) {
		if err := r.extend([]byte(strings.TrimRight(part, "\r\n"))); err != nil {
			return "", err
		}
	}
	if len(r.sequence) == 0 {
		return "", r.scan.FaultIn(line, "the record has no sequence", "write it in letters")
	}
	return string(r.sequence), nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
