package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// stream reads the messages of a stream.
type stream struct {
	from  io.Reader
	ended bool
}

func (s *stream) schema() (flat, error) {
	m, err := s.next(func(string, float64) error { return nil })
	switch {
	case err == io.EOF:
		return flat{}, errors.New("it has no schema")
	case err != nil:
		return flat{}, err
	case m.kind != messageSchema:
		return flat{}, errors.New("it does not begin with a schema")
	}
	return m.head, nil
}

// next reads a message: a mark, the length of its head, the head, and its body. A
// length of 0 ends the stream, which may as well just end.
func (s *stream) next(reserve func(what string, bytes float64) error) (*message, error) {
	if s.ended {
		return nil, io.EOF
	}
	var begin [8]byte
	if n, err := io.ReadFull(s.from, begin[:]); err != nil {
		if n == 0 && err == io.EOF {
			s.ended = true
			return nil, io.EOF
		}
		return nil, cut(err)
	}
	switch {
	case string(begin[:4]) == magicFeather:
		return nil, unread("is Feather of version 1")
	case string(begin[:6]) == magic:
		return nil, errors.New("it is a file and not a stream")
	case binary.LittleEndian.Uint32(begin[:]) != continuation:
		return nil, errors.New("a message does not begin as one, or is older than Arrow 0.15")
	}
	size := int64(int32(binary.LittleEndian.Uint32(begin[4:])))
	if size == 0 {
		s.ended = true
		return nil, io.EOF
	}
	if size < 0 || size > maxHead {
		return nil, fmt.Errorf("the head of a message has %d bytes", size)
	}
	head, err := s.read(size, reserve)
	if err != nil {
		return nil, err
	}
	m, body, err := newMessage(head)
	if err != nil {
		return nil, err
	}
	m.body, err = s.read(body, reserve)
	return m, err
}

// read reads n bytes. Memory grows as they come, so that a message that promises
// more than there is costs nothing.
func (s *stream) read(n int64, reserve func(what string, bytes float64) error) ([]byte, error) {
	all := make([]byte, 0, min(n, readPart))
	for int64(len(all)) < n {
		part := int(min(n-int64(len(all)), readPart))
		at := len(all)
		if cap(all)-at < part {
			more := min(int(n), 2*cap(all)+part)
			if err := reserve(fmt.Sprintf("a batch of %d bytes", n), float64(more)); err != nil {
				return nil, err
			}
			grown := make([]byte, at, more)
			copy(grown, all)
			all = grown
		}
		all = all[:at+part]
		if _, err := io.ReadFull(s.from, all[at:]); err != nil {
			return nil, cut(err)
		}
	}
	return all, nil
}
