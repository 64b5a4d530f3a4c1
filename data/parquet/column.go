package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
)

// kind is how a value is stored.
type kind int

const (
	kindBool kind = iota
	kindInt32
	kindInt64
	kindInt96
	kindFloat
	kindDouble
	kindBytes
	kindFixed
)

// What values mean, in the numbers of the format: those that matter here.
const (
	logicalText    = 1
	logicalDecimal = 5
	logicalInteger = 10

	convertedText    = 0
	convertedDecimal = 5
	convertedUint8   = 11
	convertedUint64  = 14
)

// refused are the meanings of columns that hold neither numbers nor texts.
var (
	refusedLogical = map[int]string{
		13: "BSON", 14: "UUID", 15: "FLOAT16", 16: "VARIANT", 17: "GEOMETRY", 18: "GEOGRAPHY",
	}
	refusedConverted = map[int]string{20: "BSON", 21: "INTERVAL"}
)

const (
	repetitionRequired = 0
	repetitionOptional = 1
)

// maxScale is how many decimal places a decimal of 64 bits can have.
const maxScale = 38

// column is a column of the file.
type column struct {
	name     string
	to       int // its place in the sink
	kind     kind
	width    int // bytes of a value in plain encoding, 0 for texts with a length
	optional bool
	unsigned bool
	scale    float64 // by which a decimal is divided, 1 for all others
}

// text reports whether the column holds texts.
func (c *column) text() bool { return c.kind == kindBytes || c.kind == kindFixed }

// newColumn says how to read a column, or what it is refused for.
func newColumn(e *element) (c column, refused string, err error) {
	c = column{name: e.name, kind: e.kind, optional: e.repetition == repetitionOptional, scale: 1}
	if e.children != 0 || e.repetition != repetitionRequired && !c.optional {
		return c, "holds lists, maps or groups", nil
	}
	switch c.kind {
	case kindBool, kindBytes:
	case kindInt32, kindFloat:
		c.width = 4
	case kindInt64, kindDouble:
		c.width = 8
	case kindInt96:
		return c, "holds times in an old format of 12 bytes", nil
	case kindFixed:
		if c.width = e.width; c.width < 1 {
			return c, "", fmt.Errorf("column %q has values of %d bytes", c.name, e.width)
		}
	default:
		return c, "", fmt.Errorf("column %q has values of an unknown kind", c.name)
	}
	if what := refusedLogical[e.logical]; what != "" {
		return c, "holds " + what, nil
	}
	if what := refusedConverted[e.converted]; what != "" {
		return c, "holds " + what, nil
	}
	if e.logical == logicalDecimal || e.logical == 0 && e.converted == convertedDecimal {
		if c.text() {
			return c, "holds decimals as bytes", nil
		}
		if e.scale < 0 || e.scale > maxScale {
			return c, "", fmt.Errorf("column %q has decimals of %d places", c.name, e.scale)
		}
		c.scale = math.Pow10(e.scale)
	}
	c.unsigned = e.unsigned && e.logical == logicalInteger ||
		e.logical == 0 && e.converted >= convertedUint8 && e.converted <= convertedUint64
	return c, "", nil
}

// plain reads a number of c.width bytes.
func (c *column) plain(b []byte) float64 {
	switch c.kind {
	case kindDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case kindFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case kindInt32:
		return c.whole(int64(int32(binary.LittleEndian.Uint32(b))))
	}
	return c.whole(int64(binary.LittleEndian.Uint64(b)))
}

// whole returns the number that a whole one stands for.
func (c *column) whole(v int64) float64 {
	switch {
	case !c.unsigned:
		return float64(v) / c.scale
	case c.kind == kindInt32:
		return float64(uint32(v))
	}
	return float64(uint64(v))
}
