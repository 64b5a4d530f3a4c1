// Package npy reads and writes arrays of NumPy, as numpy.save does: versions 1, 2
// and 3 of the NPY format, one or two dimensions, in the order of C or Fortran,
// with values that are floating-point numbers of 4 or 8 bytes, whole numbers of 1
// to 8 bytes with or without sign, or truth values, of either byte order.
//
// The rows of an array are instances. An array of one dimension has rows of one
// value.
package npy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

const (
	bufferSize = 64 << 10
	checkEvery = 1 << 16 // values between two looks at the context
)

// Reader reads the rows of an array. It is not safe for concurrent use.
type Reader struct {
	name   string
	r      *bufio.Reader
	header header
	offset int64        // bytes read so far
	row    int          // rows handed out so far
	whole  *data.Matrix // all rows of an array in the order of Fortran, once read
	buffer []byte
	err    error // what ended the reading, given again by every later Read
}

// NewReader reads the header and returns a reader of the rows. The name stands
// for the file in errors. What is wrong with the header comes back as a
// *data.InputError.
func NewReader(r io.Reader, name string) (*Reader, error) {
	reader := &Reader{name: name, r: bufio.NewReaderSize(r, bufferSize)}
	if err := reader.readHeader(); err != nil {
		return nil, err
	}
	return reader, nil
}

// Rows returns the number of rows of the array.
func (r *Reader) Rows() int { return r.header.rows }

// Cols returns the number of columns of the array.
func (r *Reader) Cols() int { return r.header.cols }

// Streams reports whether Read keeps no more rows in memory than it returns. An
// array in the order of Fortran has to be read as a whole, at the first Read.
func (r *Reader) Streams() bool { return !r.header.fortran || r.header.cols == 1 || r.header.rows == 1 }

// Read returns the next rows, at most max of them, all that are left if max ≤ 0.
// It returns io.EOF, and nothing else, when no row is left. Nothing may stand after
// the array. Memory grows with what is there, not with what the header says.
//
// A value that is not finite is a *data.InputError, as is whatever else is wrong
// with the file; a cancelled context comes back as its error.
func (r *Reader) Read(ctx context.Context, max int) (*data.Matrix, error) {
	if r.err != nil {
		return nil, r.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, err := r.next(ctx, max)
	if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
		r.err = err
	}
	return m, err
}

func (r *Reader) next(ctx context.Context, max int) (*data.Matrix, error) {
	rows := r.header.rows - r.row
	if max > 0 {
		rows = min(rows, max)
	}
	if rows == 0 || r.header.cols == 0 {
		return nil, r.end()
	}
	m := &data.Matrix{Rows: rows, Cols: r.header.cols}
	first, past := r.row*m.Cols, (r.row+rows)*m.Cols
	if r.Streams() {
		values, err := r.values(ctx, past-first, func(i int) (row, col int) { return (first + i) / m.Cols, (first + i) % m.Cols })
		if err != nil {
			return nil, err
		}
		m.Data = values
	} else {
		if err := r.transpose(ctx); err != nil {
			return nil, err
		}
		m.Data = r.whole.Data[first:past:past]
	}
	if r.row += rows; r.row == r.header.rows {
		if err := r.end(); err != io.EOF {
			return nil, err
		}
	}
	return m, nil
}

// end returns io.EOF if the file ends with the array.
func (r *Reader) end() error {
	if _, err := r.r.Peek(1); err == nil {
		return r.fault(r.offset, "there is something after the array", "check that the file is whole, and holds one array")
	} else if err != io.EOF {
		return data.ReadError(r.name, err)
	}
	return io.EOF
}

// values reads n values. A value that is not finite is blamed on the row and
// column that where gives for it. The slice grows as values come, so that a
// header which promises more than there is costs no memory.
func (r *Reader) values(ctx context.Context, n int, where func(i int) (row, col int)) ([]float64, error) {
	values := make([]float64, 0, min(n, checkEvery))
	size := r.header.kind.size
	for len(values) < n {
		if err := ctx.Err(); err != nil {
			return nil, r.broken(err)
		}
		part := min(n-len(values), checkEvery)
		if len(r.buffer) < part*size {
			r.buffer = make([]byte, part*size)
		}
		if err := r.full(r.buffer[:part*size]); err != nil {
			return nil, err
		}
		at := len(values)
		values = append(values, make([]float64, part)...)
		r.header.kind.decode(values[at:], r.buffer, r.header.order)
		for i, v := range values[at:] {
			if v-v != 0 {
				row, col := where(at + i)
				return nil, &data.InputError{
					File: r.name, Problem: fmt.Sprintf("row %d, column %d: %v is not a number that kerf can use", row+1, col+1, v),
					Advice: "replace or leave out rows with values that are not finite",
				}
			}
		}
	}
	return values, nil
}

// broken ends the reading for good where a cancelled context has left it in the
// middle of a row.
func (r *Reader) broken(err error) error {
	r.err = err
	return err
}

// transpose reads an array in the order of Fortran and turns it round.
func (r *Reader) transpose(ctx context.Context) error {
	if r.whole != nil {
		return nil
	}
	rows, cols := r.header.rows, r.header.cols
	values, err := r.values(ctx, rows*cols, func(i int) (row, col int) { return i % rows, i / rows })
	if err != nil {
		return err
	}
	r.whole = data.NewMatrix(rows, cols)
	for j := range cols {
		for i := range rows {
			r.whole.Data[i*cols+j] = values[j*rows+i]
		}
	}
	return nil
}
