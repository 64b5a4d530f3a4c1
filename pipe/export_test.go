package pipe

import (
	"context"
	"errors"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// Message writes a message, for tests that are clients.
var Message = writeMessage

// Part is a frame to write.
type Part = part

// ArrayPart, BytesPart are frames of a form.
var (
	ArrayPart = func(name string, m *data.Matrix) Part { return part{name: name, array: m} }
	BytesPart = func(name string, b []byte) Part { return part{name: name, bytes: b} }
)

// ReadHead and ReadFrame read what Message writes.
var (
	ReadHead  = readHead
	ReadFrame = readFrame
)

// Payload is a frame that was read.
type Payload = payload

// Array and Bytes are what a payload holds.
func (p payload) Array() *data.Matrix { return p.array }

// Bytes are what a frame of bytes holds.
func (p payload) Bytes() []byte { return p.bytes }

// Texts are what a frame of texts holds.
func (p payload) Texts() []string { return p.texts }

// ErrStream reports a stream that has ended, or is none.
var ErrStream = errors.New("no further request")

// ReadRows reads a request and returns its rows.
func ReadRows(ctx context.Context, r io.Reader) (*dataset.Rows, error) {
	a, err := read(ctx, r)
	if err != nil {
		return nil, ErrStream
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.take(run.Control{})
}
