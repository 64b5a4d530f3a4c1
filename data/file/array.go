package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// arrayPart is how many values of an array are read between two looks at the
// context.
const arrayPart = 1 << 16

// Array reads the bytes of a file that holds one array of numbers, and knows which
// it is at. It is not safe for concurrent use.
type Array struct {
	name   string
	from   io.Reader
	r      *bufio.Reader
	offset int64 // bytes read so far
	buffer []byte
}

// NewArray returns a reader of r. The name stands for the file in errors.
func NewArray(r io.Reader, name string) *Array {
	return &Array{name: name, from: r, r: bufio.NewReaderSize(r, HeadSize)}
}

// Offset returns how many bytes were read.
func (a *Array) Offset() int64 { return a.offset }

// Full fills p, and reports a file that ends before.
func (a *Array) Full(p []byte) error {
	n, err := io.ReadFull(a.r, p)
	a.offset += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return a.Fault(a.offset, "ends in the middle of the array: the file is truncated", "copy or download it again")
	}
	if err != nil {
		return data.ReadError(a.name, err)
	}
	return nil
}

// Values reads n values of size bytes each. One that is not finite is blamed on
// the row and column, from 0, that where gives for it. Copies is how many times the
// values will be in memory. A stream with a limit is asked for that before anything
// is allocated; of others the slice grows as values come, so that a header which
// promises more than there is costs no memory.
func (a *Array) Values(
	ctx context.Context, n, size, copies int, decode func(dst []float64, src []byte), where func(i int) (row, col int),
) ([]float64, error) {
	room := min(n, arrayPart)
	if from, ok := a.from.(reserver); ok {
		known, err := from.Reserve(fmt.Sprintf("an array of %d values", n), 8*float64(copies)*float64(n))
		if err != nil {
			return nil, err
		}
		if known {
			room = n
		}
	}
	values := make([]float64, 0, room)
	for len(values) < n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := min(n-len(values), arrayPart)
		if len(a.buffer) < part*size {
			a.buffer = make([]byte, part*size)
		}
		if err := a.Full(a.buffer[:part*size]); err != nil {
			return nil, err
		}
		at := len(values)
		values = slices.Grow(values, part)[:at+part]
		decode(values[at:], a.buffer)
		for i, v := range values[at:] {
			if v-v != 0 {
				row, col := where(at + i)
				return nil, &data.InputError{
					File:    a.name,
					Problem: fmt.Sprintf("row %d, column %d: %v is not a number that kerf can use", row+1, col+1, v),
					Advice:  "replace or leave out rows with values that are not finite",
				}
			}
		}
	}
	return values, nil
}

// End returns io.EOF if the file ends with the array.
func (a *Array) End() error {
	if _, err := a.r.Peek(1); err == nil {
		return a.Fault(a.offset, "there is something after the array", "check that the file is whole, and holds one array")
	} else if err != io.EOF {
		return data.ReadError(a.name, err)
	}
	return io.EOF
}

// Fault reports what is wrong at a byte of the file.
func (a *Array) Fault(at int64, problem, advice string) error {
	return &data.InputError{File: a.name, Problem: fmt.Sprintf("byte %d: %s", at, problem), Advice: advice}
}
