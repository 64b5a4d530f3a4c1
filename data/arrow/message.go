package arrow

import (
	"errors"
	"fmt"
	"io"
)

// unread is an error for what may well be a whole file, of a kind that is not read.
type unread string

func (e unread) Error() string { return string(e) }

// The kinds of messages.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

const (
	magic        = "ARROW1"
	magicFeather = "FEA1" // of the first version of Feather
	continuation = 0xffffffff
	leastVersion = 3       // of the format: what is written since 2017
	maxHead      = 1 << 26 // bytes of the head of a message
	maxBody      = 1 << 32 // and of what follows it
	readPart     = 1 << 20 // bytes read at a time
)

// message is the head of a message and what follows it.
type message struct {
	kind int64
	head flat
	body []byte
}

// messages gives messages one after the other.
type messages interface {
	// schema returns the schema, which comes first.
	schema() (flat, error)

	// next returns the next message, and io.EOF after the last. It asks reserve
	// before it takes more memory than the bytes that came.
	next(reserve func(what string, bytes float64) error) (*message, error)
}

// cut says that a file ends too early.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return err
}

// newMessage reads the head of a message, and returns how many bytes follow it.
func newMessage(head []byte) (*message, int64, error) {
	bad := false
	f := root(head, &bad)
	version, kind, body := f.int(0, 2, 0), f.int(1, 1, 0), f.int(3, 8, 0)
	inner, ok := f.table(2)
	switch {
	case bad || !ok:
		return nil, 0, errors.New("the head of a message makes no sense")
	case version < leastVersion:
		return nil, 0, unread("is of an early version of Arrow")
	case body < 0 || body > maxBody:
		return nil, 0, fmt.Errorf("a message has %d bytes", body)
	}
	return &message{kind: kind, head: inner}, body, nil
}
