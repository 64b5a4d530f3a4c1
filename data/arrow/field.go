package arrow

import (
	"fmt"
	"math"
)

// kind is how the values of a column are laid out.
type kind int

const (
	kindNull kind = iota
	kindBool
	kindInt
	kindUint
	kindHalf
	kindFloat
	kindDecimal // of 128 bits
	kindFixed   // bytes of a fixed number
	kindText    // with offsets of width bytes
	kindView
)

// The types of the format that matter here.
const (
	typeNull            = 1
	typeInt             = 2
	typeFloatingPoint   = 3
	typeBinary          = 4
	typeUtf8            = 5
	typeBool            = 6
	typeDecimal         = 7
	typeDate            = 8
	typeTime            = 9
	typeTimestamp       = 10
	typeFixedSizeBinary = 15
	typeDuration        = 18
	typeLargeBinary     = 19
	typeLargeUtf8       = 20
	typeBinaryView      = 23
	typeUtf8View        = 24
)

// refusedTypes are those that hold neither numbers nor texts.
var refusedTypes = map[int64]string{
	11: "intervals", 12: "lists", 13: "structures", 14: "unions", 16: "lists", 17: "maps", 21: "lists",
	22: "run ends", 25: "lists", 26: "lists",
}

const maxScale = 38 // decimal places

// layout says how values are stored.
type layout struct {
	kind   kind
	width  int     // bytes of a value, or of an offset
	places int     // of a decimal
	scale  float64 // by which a decimal is divided, 1 for all others
}

// field is a column of the file.
type field struct {
	name    string
	to      int // its place in the sink
	values  layout
	indexed bool // the column holds places in a dictionary
	id      int64
	index   layout
}

// stored returns the layout of what record batches hold.
func (f *field) stored() layout {
	if f.indexed {
		return f.index
	}
	return f.values
}

// newField reads a column of the schema, or says what it is refused for.
func newField(f flat) (field, string, error) {
	c := field{name: f.text(0)}
	typ := f.int(2, 1, 0)
	if what := refusedTypes[typ]; what != "" {
		return c, "holds " + what, nil
	}
	about, ok := f.table(3)
	if !ok {
		return c, "", fmt.Errorf("column %q has no type", c.name)
	}
	var refused string
	c.values, refused = newLayout(typ, about)
	if refused != "" {
		return c, refused, nil
	}
	if dictionary, ok := f.table(4); ok {
		c.indexed, c.id = true, dictionary.int(0, 8, 0)
		c.index = layout{kind: kindInt, width: 4, scale: 1}
		if about, ok := dictionary.table(1); ok {
			c.index, refused = newLayout(typeInt, about)
		}
	}
	return c, refused, nil
}

// newLayout returns the layout of a type, or what it is refused for.
func newLayout(typ int64, about flat) (l layout, refused string) {
	l = layout{kind: kindInt, width: 8, scale: 1}
	switch typ {
	case typeNull:
		l.kind = kindNull
	case typeBool:
		l.kind = kindBool
	case typeInt:
		if about.int(1, 1, 0) == 0 {
			l.kind = kindUint
		}
		l.width = int(about.int(0, 4, 0)) / 8
	case typeFloatingPoint:
		switch about.int(0, 2, 0) {
		case 0:
			l.kind, l.width = kindHalf, 2
		case 1:
			l.kind, l.width = kindFloat, 4
		default:
			l.kind = kindFloat
		}
	case typeDecimal:
		return newDecimal(about)
	case typeDate:
		if about.int(0, 2, 1) == 0 {
			l.width = 4
		}
	case typeTime:
		l.width = int(about.int(1, 4, 32)) / 8
	case typeTimestamp, typeDuration:
	case typeFixedSizeBinary:
		l.kind, l.width = kindFixed, int(about.int(0, 4, 0))
	case typeBinary, typeUtf8:
		l.kind, l.width = kindText, 4
	case typeLargeBinary, typeLargeUtf8:
		l.kind = kindText
	case typeBinaryView, typeUtf8View:
		l.kind, l.width = kindView, 16
	default:
		return l, fmt.Sprintf("holds values of the unknown type %d", typ)
	}
	if l.kind <= kindUint && l.width != 1 && l.width != 2 && l.width != 4 && l.width != 8 ||
		l.width < 1 || l.width > maxFixed {
		return l, fmt.Sprintf("holds values of %d bytes", l.width)
	}
	return l, ""
}

func newDecimal(about flat) (l layout, refused string) {
	scale, bits := about.int(1, 4, 0), about.int(2, 4, 128)
	l = layout{kind: kindInt, width: int(bits) / 8}
	if scale < 0 || scale > maxScale {
		return l, fmt.Sprintf("holds decimals of %d places", scale)
	}
	l.places, l.scale = int(scale), math.Pow10(int(scale))
	switch bits {
	case 32, 64:
	case 128:
		l.kind = kindDecimal
	default:
		return l, fmt.Sprintf("holds decimals of %d bits", bits)
	}
	return l, ""
}
