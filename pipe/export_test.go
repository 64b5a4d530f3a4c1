package pipe

import "github.com/kerf-ml/kerf/data"

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
