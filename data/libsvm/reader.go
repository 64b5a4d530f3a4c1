// Package libsvm reads and writes the text format of LIBSVM and SVMlight, one
// instance a line:
//
//	label index:value index:value … # comment
//
// The label is any token without a colon, and may be missing if it is missing
// in all lines. Indices are whole numbers from 0 to MaxIndex and increase
// strictly along a line. The coordinate of a value is its index as written:
// files that count from 1, as most do, leave coordinate 0 at zero throughout,
// which changes no inner product and no distance. Tokens qid:n are skipped, and
// so are blank lines. Values are finite decimal numbers; those that are zero
// are not stored.
package libsvm

import (
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// MaxIndex is the largest index a file may use.
const MaxIndex = 1<<31 - 2

// Reader reads instances from a stream of LIBSVM lines. It is not safe for
// concurrent use.
type Reader struct {
	scan  *file.Scanner
	rows  file.Batches
	first int  // line of the first instance, 0 before it
	named bool // whether the first instance has a label

	labels file.Words
	index  []int32 // of the line being read
	value  []float64
}

// NewReader returns a reader of r. The name stands for the file in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{scan: file.NewScanner(r, name)}
}

// Read returns the next instances, at most max of them, all that are left if
// max ≤ 0, with their labels; the labels are nil where the file has none. It
// returns io.EOF, and nothing else, when no instance is left.
//
// Cols of the result is one past the largest index among the instances
// returned, so it may differ from call to call.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x *data.CSR, labels []string, err error) {
	x = &data.CSR{Ptr: []int{0}, Index: []int32{}}
	_, err = r.rows.Read(ctx, max, func() error {
		for rows := x.Len(); x.Len() == rows; { // blank lines and remarks add none
			line, err := r.scan.Next()
			if err == nil {
				labels, err = r.parse(line, x, labels)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return x, labels, nil
}
