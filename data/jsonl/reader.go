// Package jsonl reads JSON Lines, one flat object a line, as rows of a table:
//
//	{"age": 39, "job": "clerk", "rich": false, "income": null}
//
// The columns are the keys, in the order in which they first come. A value is a
// number, a string, true or false, or null, which is missing, as is a key that is
// not there. An array of numbers under the key x is the columns x[1], x[2] and so
// on. Objects within objects, and arrays of anything else, are refused.
//
// Cells go to a table.Sink, so that tables of JSON Lines and of CSV are used alike.
package jsonl

import (
	"context"
	"io"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
)

const maxColumns = 1 << 20 // of a table

// Reader reads objects from a stream of lines. It is not safe for concurrent use.
type Reader struct {
	to     table.Sink
	scan   *file.Scanner
	rows   file.Batches
	column map[string]int // of the names met so far
	filled []int          // line in which each column was filled last
}

// NewReader returns a reader of r that gives its cells to a sink. The name stands
// for the file in errors.
func NewReader(r io.Reader, name string, to table.Sink) *Reader {
	return &Reader{to: to, scan: file.NewScanner(r, name), column: map[string]int{}}
}

// Read gives the next rows to the sink, at most max of them, all that are left if
// max ≤ 0, and returns how many there were. It returns 0 and io.EOF when no row is
// left. After any other error the last row of the sink may lack cells.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (rows int, err error) {
	return r.rows.Read(ctx, max, func() error {
		line, err := r.scan.NextFilled()
		if err != nil {
			return err
		}
		return r.object(line)
	})
}

// fault reports what is wrong at a byte of the current line, counted from 0.
func (r *Reader) fault(at int64, problem, advice string) error {
	return r.scan.Fault(int(at), problem, advice)
}
