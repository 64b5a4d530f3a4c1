// Package jsonl reads JSON Lines, one flat object a line, as rows of a table:
//
//	{"age": 39, "job": "clerk", "rich": false, "income": null}
//
// The columns are the keys, in the order in which they first come. A value is a
// number, a string, true or false, or null, which is missing, as is a key that is
// not there. An array of numbers under the key x is the columns x[1], x[2] and so
// on. Objects within objects, and arrays of anything else, are refused.
//
// Cells go to a Sink, which csvfile.Builder is, so that tables of JSON Lines and
// of CSV are used alike.
package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// MaxLine is the longest line in bytes that Read takes.
const MaxLine = 16 << 20

const (
	bufferSize = 64 << 10
	checkEvery = 1024    // rows between two looks at the context
	maxColumns = 1 << 20 // of a table
)

// Sink takes the cells of a table, row by row.
type Sink interface {
	// Column returns the index of the column of a name, which is added if it is
	// new.
	Column(name string) int

	// Row begins a row, which stands in the given line.
	Row(line int)

	// Number, Bool and Text add a cell to the row. A cell that is not added is
	// missing.
	Number(col int, v float64)
	Bool(col int, v bool)
	Text(col int, s string)
}

// Reader reads objects from a stream of lines. It is not safe for concurrent use.
type Reader struct {
	name   string
	to     Sink
	scan   *bufio.Scanner
	line   int            // number of the line read last
	err    error          // what ended the reading, given again by every later Read
	column map[string]int // of the names met so far
	filled []int          // line in which each column was filled last
}

// NewReader returns a reader of r that gives its cells to a sink. The name stands
// for the file in errors.
func NewReader(r io.Reader, name string, to Sink) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, bufferSize), MaxLine)
	return &Reader{name: name, to: to, scan: s, column: map[string]int{}}
}

// Read gives the next rows to the sink, at most max of them, all that are left if
// max ≤ 0, and returns how many there were. It returns 0 and io.EOF when no row is
// left. After any other error the last row of the sink may lack cells.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (rows int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	for max <= 0 || rows < max {
		if rows%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		line, err := r.next()
		if err == nil {
			err = r.object(line)
		}
		if err == io.EOF && rows > 0 {
			r.err = io.EOF
			break
		}
		if err != nil {
			r.err = err
			return 0, err
		}
		rows++
	}
	return rows, nil
}

// next returns the next line that is not blank, valid until the next call.
func (r *Reader) next() ([]byte, error) {
	for r.scan.Scan() {
		r.line++
		if line := r.scan.Bytes(); len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
	if err := r.scan.Err(); err != nil {
		return nil, r.readError(err)
	}
	return nil, io.EOF
}

// readError is data.ReadError, which knows nothing of lines that are too long.
func (r *Reader) readError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &data.InputError{
			File: r.name, Line: r.line + 1, Problem: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
			Advice: "check that the file has one object a line and ends its lines with newlines", Err: err,
		}
	}
	return data.ReadError(r.name, err)
}

// fault reports what is wrong at a byte of the current line, counted from 0.
func (r *Reader) fault(at int64, problem, advice string) error {
	return &data.InputError{File: r.name, Line: r.line, Column: int(at) + 1, Problem: problem, Advice: advice}
}
