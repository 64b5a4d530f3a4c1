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
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// MaxLine is the longest line in bytes that Read takes. A sequence may be longer,
// over several lines.
const MaxLine = 16 << 20

const (
	bufferSize  = 64 << 10
	checkEvery  = 1024 // records between two looks at the context
	maxInterned = 4096 // labels of which one copy is kept
)

// Reader reads records from a stream. It is not safe for concurrent use.
type Reader struct {
	name    string
	scan    *bufio.Scanner
	line    int   // number of the line read last
	records int   // read so far
	header  bool  // whether the scanner holds a header that was not used
	err     error // what ended the reading, given again by every later Read
	first   int   // line of the first header, 0 before it
	marked  bool  // whether the first header has label=

	sequence []byte // of the record being read
	labels   map[string]string
}

// NewReader returns a reader of r. The name stands for the file in errors.
func NewReader(r io.Reader, name string) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, bufferSize), MaxLine)
	return &Reader{name: name, scan: s, labels: map[string]string{}}
}

// Read returns the next sequences, at most max of them, all that are left if
// max ≤ 0, with their labels. It returns io.EOF, and nothing else, when no record
// is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[string], labels []string, err error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	for max <= 0 || len(x) < max {
		if r.records%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		label, err := r.next()
		if err == io.EOF && len(x) > 0 {
			r.err = io.EOF
			break
		}
		if err != nil {
			r.err = err
			return nil, nil, err
		}
		x, labels = append(x, string(r.sequence)), append(labels, label)
		r.records++
	}
	return x, labels, nil
}

// next reads a record: its sequence into r.sequence. It reads one line too far,
// the next header, and leaves that in the scanner.
func (r *Reader) next() (label string, err error) {
	if !r.header {
		if err := r.scanLine(); err != nil {
			return "", err
		}
		if line := r.scan.Bytes(); line[0] != '>' {
			return "", r.fault(0, "the file begins with something else than a header", "begin each record with a line that begins with >")
		}
	}
	r.header = false
	begin := r.line
	if label, err = r.label(r.scan.Bytes()[1:]); err != nil {
		return "", err
	}
	r.sequence = r.sequence[:0]
	for {
		err := r.scanLine()
		if err != nil && err != io.EOF {
			return "", err
		}
		if r.header = err == nil && r.scan.Bytes()[0] == '>'; r.header || err == io.EOF {
			break
		}
		if err := r.extend(r.scan.Bytes()); err != nil {
			return "", err
		}
	}
	if len(r.sequence) == 0 {
		return "", &data.InputError{File: r.name, Line: begin, Problem: "the record has no sequence", Advice: "write it in the lines after the header, or leave the record out"}
	}
	return label, nil
}

// scanLine moves to the next line that is neither blank nor a remark.
func (r *Reader) scanLine() error {
	for r.scan.Scan() {
		r.line++
		if line := r.scan.Bytes(); len(bytes.TrimSpace(line)) > 0 && line[0] != ';' {
			return nil
		}
	}
	if err := r.scan.Err(); err != nil {
		return r.readError(err)
	}
	return io.EOF
}

// extend appends the letters of a line to the sequence.
func (r *Reader) extend(line []byte) error {
	for at, c := range line {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '*' || c == '-' || c == '.':
			r.sequence = append(r.sequence, c)
		case isBlank(c):
		default:
			return r.fault(at, fmt.Sprintf("%q is no part of a sequence", c), "write sequences in letters, * and -, and begin headers with >")
		}
	}
	return nil
}

// readError is data.ReadError, which knows nothing of lines that are too long.
func (r *Reader) readError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &data.InputError{
			File: r.name, Line: r.line + 1, Problem: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
			Advice: "write long sequences over several lines", Err: err,
		}
	}
	return data.ReadError(r.name, err)
}

// fault reports what is wrong at a byte of the current line, counted from 0.
func (r *Reader) fault(at int, problem, advice string) error {
	return &data.InputError{File: r.name, Line: r.line, Column: at + 1, Problem: problem, Advice: advice}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
