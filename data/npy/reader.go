// Package npy reads and writes arrays of NumPy, as numpy.save does: versions 1, 2
// and 3 of the NPY format, one or two dimensions, in the order of C or Fortran,
// with values that are floating-point numbers of 4 or 8 bytes, whole numbers of 1
// to 8 bytes with or without sign, or truth values, of either byte order.
//
// The rows of an array are instances. An array of one dimension has rows of one
// value.
package npy

import (
	"context"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Reader reads the rows of an array. It is not safe for concurrent use.
type Reader struct {
	r      *file.Array
	header header
	row    int          // rows handed out so far
	whole  *data.Matrix // all rows of an array in the order of Fortran, once read
	err    error        // what ended the reading, given again by every later Read
}

// NewReader reads the header and returns a reader of the rows. The name stands
// for the file in errors. What is wrong with the header comes back as a
// *data.InputError.
func NewReader(r io.Reader, name string) (*Reader, error) {
	reader := &Reader{r: file.NewArray(r, name)}
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
// the array. Memory grows with what is there, not with what the header says, unless
// the stream has a limit, see file.File.
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
	r.err = err
	return m, err
}

func (r *Reader) next(ctx context.Context, max int) (*data.Matrix, error) {
	rows := r.header.rows - r.row
	if max > 0 {
		rows = min(rows, max)
	}
	if rows == 0 || r.header.cols == 0 {
		return nil, r.r.End()
	}
	m := &data.Matrix{Rows: rows, Cols: r.header.cols}
	first, past := r.row*m.Cols, (r.row+rows)*m.Cols
	if r.Streams() {
		values, err := r.values(ctx, past-first, 1, func(i int) (row, col int) {
			return (first + i) / m.Cols, (first + i) % m.Cols
		})
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
		if err := r.r.End(); err != io.EOF {
			return nil, err
		}
	}
	return m, nil
}

// values reads n values, which will be in memory so many times. where gives the row
// and column of each.
func (r *Reader) values(ctx context.Context, n, copies int, where func(i int) (row, col int)) ([]float64, error) {
	h := &r.header
	decode := func(dst []float64, src []byte) { h.kind.decode(dst, src, h.order) }
	return r.r.Values(ctx, n, h.kind.size, copies, decode, where)
}

// transpose reads an array in the order of Fortran and turns it round.
func (r *Reader) transpose(ctx context.Context) error {
	if r.whole != nil {
		return nil
	}
	rows, cols := r.header.rows, r.header.cols
	values, err := r.values(ctx, rows*cols, 2, func(i int) (row, col int) { return i % rows, i / rows })
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

// ReadLabels reads an array of one value a row as labels. The name stands for the file
// in errors.
func ReadLabels(ctx context.Context, r io.Reader, name string) ([]string, error) {
	reader, err := NewReader(r, name)
	if err != nil {
		return nil, err
	}
	if reader.Cols() != 1 {
		return nil, &data.InputError{
			File: name, Problem: fmt.Sprintf("has %d columns, and labels are one value each", reader.Cols()),
			Advice: "name the file of the labels, not that of the instances",
		}
	}
	m, err := reader.Read(ctx, 0)
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return file.Spell(m.Data), nil
}
