package arrow

import (
	"encoding/binary"
	"math"
	"math/big"
)

// cells are the values of a column in a batch, in the bytes of the file.
type cells struct {
	layout
	rows  int
	valid []byte // a bit for each value that is not missing; nil if none is
	data  []byte // values, or offsets
	texts []byte
	parts [][]byte // what views point to
}

// missing reports whether value i is.
func (c *cells) missing(i int) bool {
	return c.kind == kindNull || c.valid != nil && c.valid[i>>3]>>(i&7)&1 == 0
}

// text reports whether the values are texts.
func (c *cells) text() bool { return c.kind >= kindFixed }

// whole returns value i of a column of whole numbers. An unsigned one of 64 bits may
// come out negative.
func (c *cells) whole(i int) int64 {
	b := c.data[i*c.width:]
	switch c.width {
	case 1:
		if c.kind == kindUint {
			return int64(b[0])
		}
		return int64(int8(b[0]))
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if c.kind == kindUint {
			return int64(v)
		}
		return int64(int16(v))
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if c.kind == kindUint {
			return int64(v)
		}
		return int64(int32(v))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// number returns value i of a column of numbers.
func (c *cells) number(i int) float64 {
	switch c.kind {
	case kindFloat:
		if c.width == 4 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(c.data[4*i:])))
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(c.data[8*i:]))
	case kindHalf:
		return half(binary.LittleEndian.Uint16(c.data[2*i:]))
	case kindDecimal:
		return c.decimal(c.data[16*i:])
	case kindUint:
		return float64(uint64(c.whole(i)))
	}
	return float64(c.whole(i)) / c.scale
}

// half returns the number of 16 bits: a sign, 5 of the exponent, 10 of the fraction.
func half(v uint16) float64 {
	exponent, fraction := int(v>>10&31), float64(v&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if v>>15 != 0 {
		return -x
	}
	return x
}

// exactPlaces is up to which power of ten float64 is exact.
const exactPlaces = 22

// decimal returns the number nearest to a decimal of 128 bits.
func (c *cells) decimal(b []byte) float64 {
	low, high := binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
	if high == int64(low)>>63 && c.places <= exactPlaces {
		return float64(int64(low)) / c.scale
	}
	v := new(big.Int).Lsh(big.NewInt(high), 64)
	v.Add(v, new(big.Int).SetUint64(low))
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.places)), nil)
	x, _ := new(big.Rat).SetFrac(v, scale).Float64()
	return x
}

// bytes returns value i of a column of texts, and false if it lies outside of the
// batch.
func (c *cells) bytes(i int) ([]byte, bool) {
	switch c.kind {
	case kindFixed:
		return c.data[i*c.width : (i+1)*c.width], true
	case kindView:
		return c.view(c.data[16*i : 16*i+16])
	}
	from, to := c.offset(i), c.offset(i+1)
	if from < 0 || from > to || to > int64(len(c.texts)) {
		return nil, false
	}
	return c.texts[from:to], true
}

func (c *cells) offset(i int) int64 {
	if c.width == 4 {
		return int64(int32(binary.LittleEndian.Uint32(c.data[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(c.data[8*i:]))
}

// view returns the text of a view, which holds it, or says where it stands.
func (c *cells) view(v []byte) ([]byte, bool) {
	const inline = 12
	n := int64(int32(binary.LittleEndian.Uint32(v)))
	if n >= 0 && n <= inline {
		return v[4 : 4+n], true
	}
	part, at := binary.LittleEndian.Uint32(v[8:]), int64(int32(binary.LittleEndian.Uint32(v[12:])))
	if n < 0 || at < 0 || uint64(part) >= uint64(len(c.parts)) || at+n > int64(len(c.parts[part])) {
		return nil, false
	}
	return c.parts[part][at : at+n], true
}
