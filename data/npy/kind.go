package npy

import (
	"encoding/binary"
	"fmt"
	"math"
)

// kind is the type of the values of an array: a letter and a size in bytes.
type kind struct {
	letter byte // f, i, u or b
	size   int
}

// parseType reads a type of NumPy, such as '<f8'.
func parseType(text string) (kind, binary.ByteOrder, error) {
	bad := fmt.Errorf("holds values of the type %.60q, which are no numbers that kerf reads", text)
	if text == "" {
		return kind{}, nil, fmt.Errorf("has no descr in its header")
	}
	name, rest, ok := quoted(text)
	if !ok || rest != "" || name == "" {
		return kind{}, nil, bad
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch name[0] {
	case '<', '|', '=':
		name = name[1:]
	case '>':
		order, name = binary.BigEndian, name[1:]
	}
	switch name {
	case "?", "b1":
		return kind{'b', 1}, order, nil
	case "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8":
		return kind{name[0], int(name[1] - '0')}, order, nil
	}
	return kind{}, nil, bad
}

// decode writes the values in src to dst. Integers of more than 53 bits are
// rounded to the nearest float64.
func (k kind) decode(dst []float64, src []byte, order binary.ByteOrder) {
	switch k {
	case kind{'f', 8}:
		for i := range dst {
			dst[i] = math.Float64frombits(order.Uint64(src[8*i:]))
		}
	case kind{'f', 4}:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(order.Uint32(src[4*i:])))
		}
	case kind{'u', 1}:
		for i := range dst {
			dst[i] = float64(src[i])
		}
	default:
		for i := range dst {
			dst[i] = k.integer(src[k.size*i:], order)
		}
	}
}

func (k kind) integer(src []byte, order binary.ByteOrder) float64 {
	switch k {
	case kind{'b', 1}:
		if src[0] != 0 {
			return 1
		}
		return 0
	case kind{'i', 1}:
		return float64(int8(src[0]))
	case kind{'i', 2}:
		return float64(int16(order.Uint16(src)))
	case kind{'i', 4}:
		return float64(int32(order.Uint32(src)))
	case kind{'i', 8}:
		return float64(int64(order.Uint64(src)))
	case kind{'u', 2}:
		return float64(order.Uint16(src))
	case kind{'u', 4}:
		return float64(order.Uint32(src))
	}
	return float64(order.Uint64(src))
}
