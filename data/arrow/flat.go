package arrow

import "encoding/binary"

// flat reads a table of a FlatBuffer, in which the heads of messages are written:
// fields by their places, all optional. Nothing is trusted: what lies outside the
// buffer sets bad and reads as 0.
type flat struct {
	data []byte
	at   int
	bad  *bool
}

// root returns the outermost table of a buffer.
func root(data []byte, bad *bool) flat {
	f := flat{data: data, bad: bad}
	f.at = int(f.uint32(0))
	return f
}

// bytes returns n bytes at a place, nil if there are not so many.
func (f flat) bytes(at, n int) []byte {
	if at < 0 || n < 0 || at > len(f.data)-n {
		*f.bad = true
		return nil
	}
	return f.data[at : at+n]
}

func (f flat) uint16(at int) uint16 {
	if b := f.bytes(at, 2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (f flat) uint32(at int) uint32 {
	if b := f.bytes(at, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (f flat) uint64(at int) uint64 {
	if b := f.bytes(at, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// field returns where field i stands, 0 if it is not there.
func (f flat) field(i int) int {
	index := f.at - int(int32(f.uint32(f.at)))
	if size := int(f.uint16(index)); 4+2*i+2 > size {
		return 0
	}
	if offset := int(f.uint16(index + 4 + 2*i)); offset != 0 {
		return f.at + offset
	}
	return 0
}

// int returns field i, a whole number of size bytes, otherwise where it is not
// there.
func (f flat) int(i, size int, otherwise int64) int64 {
	at := f.field(i)
	if at == 0 {
		return otherwise
	}
	switch size {
	case 1:
		if b := f.bytes(at, 1); b != nil {
			return int64(int8(b[0]))
		}
		return 0
	case 2:
		return int64(int16(f.uint16(at)))
	case 4:
		return int64(int32(f.uint32(at)))
	}
	return int64(f.uint64(at))
}

// table returns field i, another table, and false where it is not there.
func (f flat) table(i int) (flat, bool) {
	at := f.field(i)
	if at == 0 {
		return f, false
	}
	f.at = at + int(f.uint32(at))
	return f, !*f.bad
}

// vector returns where the elements of field i begin, and how many there are, of
// size bytes each.
func (f flat) vector(i, size int) (at, n int) {
	if at = f.field(i); at == 0 {
		return 0, 0
	}
	at += int(f.uint32(at))
	n = int(f.uint32(at))
	if f.bytes(at+4, n*size) == nil {
		return 0, 0
	}
	return at + 4, n
}

// text returns field i, a text.
func (f flat) text(i int) string {
	at, n := f.vector(i, 1)
	return string(f.bytes(at, n))
}

// element returns table k of a vector of tables that begins at a place.
func (f flat) element(at, k int) flat {
	at += 4 * k
	f.at = at + int(f.uint32(at))
	return f
}
