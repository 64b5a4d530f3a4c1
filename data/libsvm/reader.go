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
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// MaxIndex is the largest index a file may use.
const MaxIndex = 1<<31 - 2

const (
	bufferSize  = 64 << 10
	checkEvery  = 1024 // lines between two looks at the context
	maxInterned = 4096 // labels of which one copy is kept
)

// Reader reads instances from a stream of LIBSVM lines. It is not safe for
// concurrent use.
type Reader struct {
	name  string
	r     *bufio.Reader
	long  []byte // a line that does not fit the buffer of r
	line  int    // number of the line read last
	err   error  // what ended the reading, given again by every later Read
	first int    // line of the first instance, 0 before it
	named bool   // whether the first instance has a label

	labels map[string]string
	index  []int32 // of the line being read
	value  []float64
}

// NewReader returns a reader of r. The name stands for the file in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{name: name, r: bufio.NewReaderSize(r, bufferSize), labels: map[string]string{}}
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
	if r.err != nil {
		return nil, nil, r.err
	}
	x = &data.CSR{Ptr: []int{0}, Index: []int32{}}
	for max <= 0 || x.Len() < max {
		if r.line%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		line, err := r.readLine()
		if err == nil {
			labels, err = r.parse(line, x, labels)
		}
		if err == io.EOF && x.Len() > 0 {
			r.err = io.EOF
			break
		}
		if err != nil {
			r.err = err
			return nil, nil, err
		}
	}
	return x, labels, nil
}

// readLine returns the next line without its end. It is valid until the next
// call.
func (r *Reader) readLine() ([]byte, error) {
	line, err := r.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = append(r.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = r.r.ReadSlice('\n')
			r.long = append(r.long, line...)
		}
		line = r.long
	}
	if err == io.EOF && len(line) > 0 {
		err = nil // the last line may lack its end
	}
	if err != nil {
		return nil, data.ReadError(r.name, err)
	}
	r.line++
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}), nil
}

// intern returns the label as a string, the same one for the same bytes while
// labels are few.
func (r *Reader) intern(label []byte) string {
	if s, ok := r.labels[string(label)]; ok {
		return s
	}
	s := string(label)
	if len(r.labels) < maxInterned {
		r.labels[s] = s
	}
	return s
}
