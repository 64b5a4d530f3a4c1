package sums

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The first byte of each binary form says what it is, and in which version.
const (
	tagMoments byte = 0x11 + iota
	tagCounts
	tagReservoir
	tagProducts
	tagQuadratic
	tagGradient
	tagQuantiles
)

// reader takes a binary form apart. After a fault all it gives is zero.
type reader struct {
	rest []byte
	bad  bool
}

// read begins to read a form with a tag.
func read(b []byte, tag byte) *reader {
	r := &reader{rest: b}
	if len(b) == 0 || b[0] != tag {
		r.bad = true
		return r
	}
	r.rest = b[1:]
	return r
}

// count reads a number of things of at least so many bytes each, which must be there.
func (r *reader) count(bytes int) int {
	v, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || v > math.MaxInt64/16 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	if bytes > 0 && v > uint64(len(r.rest)/bytes) {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) word() uint64 {
	if r.bad || len(r.rest) < 8 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return v
}

// number reads a number, which must be finite.
func (r *reader) number() float64 {
	v := math.Float64frombits(r.word())
	if v-v != 0 {
		r.bad = true
		return 0
	}
	return v
}

// numbers fills dst, for which there must be enough bytes.
func (r *reader) numbers(dst []float64) {
	for i := range dst {
		dst[i] = r.number()
	}
}

// room reports whether so many numbers are left at least, which must be asked before
// they are allocated.
func (r *reader) room(numbers float64) bool {
	if !r.bad && numbers > float64(len(r.rest)/8) {
		r.bad = true
	}
	return !r.bad
}

// text reads a text with its length.
func (r *reader) text() string {
	n := r.count(1)
	if r.bad {
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

// end reports a form that was not read to its end without a fault.
func (r *reader) end(what string) error {
	if r.bad || len(r.rest) > 0 {
		return fmt.Errorf("%s: %w", what, ErrDamaged)
	}
	return nil
}

func putCount(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func putNumbers(b []byte, v ...float64) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}
