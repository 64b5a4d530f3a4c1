package parquet

import (
	"encoding/binary"
	"errors"
)

// errDamaged is what the parts of the decoder return. The reader adds the place.
var errDamaged = errors.New("its bytes make no sense")

// unread is an error for what may well be a whole file, of a kind that is not read.
type unread string

func (e unread) Error() string { return string(e) }

// The types of Thrift's compact protocol.
const (
	compactTrue   = 1
	compactFalse  = 2
	compactByte   = 3
	compactDouble = 7
	compactBinary = 8
	compactList   = 9
	compactSet    = 10
	compactMap    = 11
	compactStruct = 12
)

// maxDepth is how deep structures of the compact protocol are followed. The
// footer of a Parquet file has seven levels.
const maxDepth = 32

// compact reads the compact protocol of Thrift, in which the footer and the
// headers of pages are written. It makes no room for what it has not seen: texts
// are parts of data, and a list cannot be longer than the bytes that are left.
//
// After the first fault err is set, and everything reads as 0 or empty.
type compact struct {
	data  []byte // what is left
	depth int
	err   error
}

func (c *compact) fail() {
	c.data = nil
	if c.err == nil {
		c.err = errDamaged
	}
}

func (c *compact) byte() byte {
	if len(c.data) == 0 {
		c.fail()
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b
}

func (c *compact) uvarint() uint64 {
	v, n := binary.Uvarint(c.data)
	if n <= 0 {
		c.fail()
		return 0
	}
	c.data = c.data[n:]
	return v
}

// int reads a whole number of 16, 32 or 64 bits.
func (c *compact) int() int64 {
	v := c.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// bytes reads a text, which shares memory with data.
func (c *compact) bytes() []byte {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		c.fail()
		return nil
	}
	b := c.data[:n:n]
	c.data = c.data[n:]
	return b
}

// fields calls do for the fields of a structure. It must read the value, or skip
// it; truth values have none, they are their types.
func (c *compact) fields(do func(id int, typ byte)) {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	id := 0
	for c.err == nil {
		head := c.byte()
		typ := head & 15
		if typ == 0 {
			break
		}
		if step := int(head >> 4); step != 0 {
			id += step
		} else {
			id = int(int16(c.int()))
		}
		do(id, typ)
	}
	c.depth--
}

// list calls do for each element of a list, which must read it or skip it.
func (c *compact) list(do func(typ byte)) {
	head := c.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = c.uvarint()
	}
	if n > uint64(len(c.data)) {
		c.fail()
		return
	}
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	for ; n > 0 && c.err == nil; n-- {
		do(head & 15)
	}
	c.depth--
}

// skip reads past the value of a field.
func (c *compact) skip(typ byte) {
	switch typ {
	case compactTrue, compactFalse:
	case compactByte:
		c.byte()
	case 4, 5, 6:
		c.uvarint()
	case compactDouble:
		for range 8 {
			c.byte()
		}
	case compactBinary:
		c.bytes()
	case compactList, compactSet:
		c.list(c.skipElement)
	case compactMap:
		c.skipMap()
	case compactStruct:
		c.fields(func(_ int, typ byte) { c.skip(typ) })
	default:
		c.fail()
	}
}

// skipElement reads past an element of a list or map, where truth values take a
// byte.
func (c *compact) skipElement(typ byte) {
	if typ == compactTrue || typ == compactFalse {
		typ = compactByte
	}
	c.skip(typ)
}

func (c *compact) skipMap() {
	n := c.uvarint()
	if n == 0 {
		return
	}
	types := c.byte()
	if n > uint64(len(c.data)) {
		c.fail()
		return
	}
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	for ; n > 0 && c.err == nil; n-- {
		c.skipElement(types >> 4)
		c.skipElement(types & 15)
	}
	c.depth--
}
