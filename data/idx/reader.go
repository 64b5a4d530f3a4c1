// Package idx reads arrays in the IDX format, in which the images and labels of
// MNIST come: two zero bytes, a type of values, a number of dimensions, the size
// of each, and the values, the last dimension fastest, all in big-endian order.
//
// The first dimension counts the instances. Whatever further dimensions there are
// become the coordinates of a row, in the order of the file.
package idx

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

const maxValues = 1 << 40 // of an array

// The types of values.
const (
	typeUint8   = 0x08
	typeInt8    = 0x09
	typeInt16   = 0x0b
	typeInt32   = 0x0c
	typeFloat32 = 0x0d
	typeFloat64 = 0x0e
)

var sizes = map[byte]int{typeUint8: 1, typeInt8: 1, typeInt16: 2, typeInt32: 4, typeFloat32: 4, typeFloat64: 8}

// Reader reads the rows of an array. It is not safe for concurrent use.
type Reader struct {
	r     *file.Array
	kind  byte
	shape []int
	cols  int   // product of all dimensions but the first
	row   int   // rows handed out so far
	err   error // what ended the reading, given again by every later Read
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

func (r *Reader) readHeader() error {
	var begin [4]byte
	if err := r.r.Full(begin[:]); err != nil {
		return err
	}
	r.kind = begin[2]
	if begin[0] != 0 || begin[1] != 0 || sizes[r.kind] == 0 || begin[3] == 0 {
		return r.r.Fault(0, "is no IDX data: it does not begin with two zeros, a type and a number of dimensions",
			"give a file as those of MNIST")
	}
	values := 1
	r.cols = 1
	for i := range int(begin[3]) {
		at := r.r.Offset()
		if err := r.r.Full(begin[:]); err != nil {
			return err
		}
		size := int(binary.BigEndian.Uint32(begin[:]))
		r.shape = append(r.shape, size)
		if size > 0 && values > maxValues/size {
			return r.r.Fault(at, fmt.Sprintf("has the shape %v, which fits no memory", r.shape), "check that the file is whole")
		}
		values *= max(size, 1)
		if i > 0 {
			r.cols *= size
		}
	}
	return nil
}

// Rows returns the number of instances.
func (r *Reader) Rows() int { return r.shape[0] }

// Cols returns the number of coordinates of a row: the product of all dimensions
// but the first.
func (r *Reader) Cols() int { return r.cols }

// Shape returns the size of each dimension. The caller must not write to it.
func (r *Reader) Shape() []int { return r.shape }

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
	rows := r.Rows() - r.row
	if max > 0 {
		rows = min(rows, max)
	}
	if rows == 0 || r.cols == 0 {
		return nil, r.r.End()
	}
	first := r.row * r.cols
	values, err := r.r.Values(ctx, rows*r.cols, sizes[r.kind], 1, r.decode, func(i int) (row, col int) {
		return (first + i) / r.cols, (first + i) % r.cols
	})
	if err != nil {
		return nil, err
	}
	if r.row += rows; r.row == r.Rows() {
		if err := r.r.End(); err != io.EOF {
			return nil, err
		}
	}
	return &data.Matrix{Rows: rows, Cols: r.cols, Data: values}, nil
}

// decode reads values from src.
func (r *Reader) decode(dst []float64, src []byte) {
	size := sizes[r.kind]
	for i := range dst {
		dst[i] = r.value(src[i*size:])
	}
}

// value returns the value at the beginning of src.
func (r *Reader) value(src []byte) float64 {
	switch r.kind {
	case typeUint8:
		return float64(src[0])
	case typeInt8:
		return float64(int8(src[0]))
	case typeInt16:
		return float64(int16(binary.BigEndian.Uint16(src)))
	case typeInt32:
		return float64(int32(binary.BigEndian.Uint32(src)))
	case typeFloat32:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(src)))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(src))
}

// ReadLabels reads a file of labels, an array of one value for each instance, and
// returns them spelled in the shortest way. It returns io.EOF for an array without
// values.
func ReadLabels(ctx context.Context, r io.Reader, name string) ([]string, error) {
	reader, err := NewReader(r, name)
	if err != nil {
		return nil, err
	}
	if reader.cols != 1 {
		return nil, &data.InputError{
			File: name, Problem: fmt.Sprintf("has the shape %v, and labels are one value each", reader.shape),
			Advice: "name the file of the labels, not that of the images",
		}
	}
	m, err := reader.Read(ctx, 0)
	if err != nil {
		return nil, err
	}
	return file.Spell(m.Data), nil
}
