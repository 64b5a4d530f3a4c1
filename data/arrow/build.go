package arrow

import "encoding/binary"

// builder writes a FlatBuffer from its beginning to its end: a table stands before
// what it points to.
type builder struct{ data []byte }

// pad fills up to a multiple of n, less the given number of bytes.
func (b *builder) pad(n, less int) {
	for (len(b.data)+less)%n != 0 {
		b.data = append(b.data, 0)
	}
}

// slot is a field of a table that is written. The zero value is one that is left
// out.
type slot struct {
	size  int // bytes, 4 for what refers to something behind
	value int64
}

// reference is a field that point fills in later.
var reference = slot{size: 4}

// table writes a table, and returns where it stands and where its fields do. Each
// field has 8 bytes, so that all are aligned.
func (b *builder) table(slots ...slot) (at int, fields []int) {
	b.pad(8, 4+2*len(slots))
	index := len(b.data)
	b.data = binary.LittleEndian.AppendUint16(b.data, uint16(4+2*len(slots)))
	b.data = binary.LittleEndian.AppendUint16(b.data, uint16(8+8*len(slots)))
	for i, s := range slots {
		offset := 0
		if s.size > 0 {
			offset = 8 + 8*i
		}
		b.data = binary.LittleEndian.AppendUint16(b.data, uint16(offset))
	}
	at = len(b.data)
	b.data = binary.LittleEndian.AppendUint32(b.data, uint32(at-index))
	b.data = append(b.data, 0, 0, 0, 0)
	for _, s := range slots {
		fields = append(fields, len(b.data))
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(s.value))
	}
	return at, fields
}

// point makes the field at a place refer to what stands at another, behind it.
func (b *builder) point(from, to int) { binary.LittleEndian.PutUint32(b.data[from:], uint32(to-from)) }

// text writes a text.
func (b *builder) text(s string) (at int) {
	b.pad(4, 0)
	at = len(b.data)
	b.data = binary.LittleEndian.AppendUint32(b.data, uint32(len(s)))
	b.data = append(b.data, s...)
	b.data = append(b.data, 0)
	return at
}

// references writes a vector of n references, and returns where the first stands.
func (b *builder) references(n int) (at, first int) {
	b.pad(4, 0)
	at = len(b.data)
	b.data = binary.LittleEndian.AppendUint32(b.data, uint32(n))
	b.data = append(b.data, make([]byte, 4*n)...)
	return at, at + 4
}

// numbers writes a vector of n structures of numbers of 64 bits.
func (b *builder) numbers(n int, values ...int64) (at int) {
	b.pad(8, 4)
	at = len(b.data)
	b.data = binary.LittleEndian.AppendUint32(b.data, uint32(n))
	for _, v := range values {
		b.data = binary.LittleEndian.AppendUint64(b.data, uint64(v))
	}
	return at
}
