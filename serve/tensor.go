package serve

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// tensor is what a request has under a name, whatever way it came: numbers, with NaN
// where JSON has null, or texts.
type tensor struct {
	name     string
	datatype string
	shape    []int64
	numbers  []float64
	texts    []string
}

// isText reports a tensor of BYTES.
func (t *tensor) isText() bool { return t.datatype == typeBytes }

// The types of elements.
const (
	typeBool  = "BOOL"
	typeBytes = "BYTES"
	typeFP16  = "FP16"
	typeBF16  = "BF16"
	typeFP32  = "FP32"
	typeFP64  = "FP64"
)

// element is how the binary form has an element of a type: its size in bytes, and its
// value.
type element struct {
	size int
	read func(b []byte) float64
}

// elements has every type of numbers.
var elements = map[string]element{
	typeBool: {1, func(b []byte) float64 { return float64(b[0]) }},
	"UINT8":  {1, func(b []byte) float64 { return float64(b[0]) }},
	"UINT16": {2, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }},
	"UINT32": {4, func(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) }},
	"UINT64": {8, func(b []byte) float64 { return whole(binary.LittleEndian.Uint64(b)) }},
	"INT8":   {1, func(b []byte) float64 { return float64(int8(b[0])) }},
	"INT16":  {2, func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) }},
	"INT32":  {4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) }},
	"INT64":  {8, func(b []byte) float64 { return whole(int64(binary.LittleEndian.Uint64(b))) }},
	typeFP16: {2, func(b []byte) float64 { return half(binary.LittleEndian.Uint16(b)) }},
	typeBF16: {2, func(b []byte) float64 {
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	}},
	typeFP32: {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }},
	typeFP64: {8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }},
}

// whole returns an integer as a number, infinite if a float64 does not hold it: that is
// refused later, as what is too large is.
func whole[I int64 | uint64](v I) float64 {
	if f := float64(v); f < math.MaxInt64 && f > math.MinInt64 && I(f) == v {
		return f
	}
	return math.Inf(1)
}

// half returns a number of half precision.
func half(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exponent {
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	case 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// maxTensors is how many tensors a request may have: a column each of a wide table.
const maxTensors = 100_000

// newTensor returns a tensor without elements, whose shape and type are checked, and
// how many it is to have.
func newTensor(name, datatype string, shape []int64) (*tensor, int, error) {
	if _, ok := elements[datatype]; !ok && datatype != typeBytes {
		return nil, 0, badRequest("input %q has the datatype %q; use FP64, FP32, an INT or UINT type, BOOL or BYTES",
			clip(name), clip(datatype))
	}
	if len(shape) != 1 && len(shape) != 2 {
		return nil, 0, badRequest("input %q has %d dimensions; use [rows] or [rows, columns]", clip(name), len(shape))
	}
	count := int64(1)
	for _, d := range shape {
		if d < 1 || d > math.MaxInt32 || count > math.MaxInt32/d {
			return nil, 0, badRequest("input %q has the shape %v; each dimension must be at least 1, and the tensor no larger "+
				"than a request", clip(name), shape)
		}
		count *= d
	}
	return &tensor{name: name, datatype: datatype, shape: shape}, int(count), nil
}

// fromBinary fills a tensor with elements in the binary form.
func (t *tensor) fromBinary(b []byte, count int) error {
	if t.isText() {
		return t.fromBytes(b, count)
	}
	e := elements[t.datatype]
	if len(b) != count*e.size {
		return badRequest("input %q has %d bytes; its shape %v of %s needs %d", clip(t.name), len(b), t.shape, t.datatype,
			count*e.size)
	}
	t.numbers = make([]float64, count)
	switch t.datatype {
	case typeFP64: // of the two that most come in, without a call an element
		for i := range t.numbers {
			t.numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case typeFP32:
		for i := range t.numbers {
			t.numbers[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	default:
		for i := range t.numbers {
			t.numbers[i] = e.read(b[i*e.size:])
		}
	}
	return nil
}

// fromNumbers fills a tensor with numbers, NaN for null, that stood in a JSON list.
func (t *tensor) fromNumbers(all []float64, count int) error {
	switch {
	case len(all) > count:
		return t.miscounted(count, "more")
	case len(all) < count:
		return t.miscounted(count, "fewer")
	case t.isText():
		return t.wrong(strconv.FormatFloat(all[0], 'g', -1, 64))
	}
	for i, v := range all {
		var ok bool
		if all[i], ok = t.fitting(v); !ok && !math.IsNaN(v) {
			return t.wrong(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	t.numbers = all
	return nil
}

// fitting returns a number as the tensor's type has it, and false where it has none such.
func (t *tensor) fitting(v float64) (float64, bool) {
	switch t.datatype {
	case typeFP64:
		return v, true
	case typeFP32, typeFP16, typeBF16:
		return float64(float32(v)), true
	case typeBool:
		return v, v == 0 || v == 1
	}
	return v, v == math.Trunc(v)
}

// wrong reports an element that is not of the tensor's type.
func (t *tensor) wrong(element string) error {
	return badRequest("input %q has %s among its data, which is no %s", clip(t.name), clip(element), t.datatype)
}

// fromBytes reads texts, each behind its length in four bytes.
func (t *tensor) fromBytes(b []byte, count int) error {
	if count > len(b)/4 {
		return badRequest(
			"input %q has %d bytes, which is too few for %d texts with their lengths",
			clip(t.name),
			len(b),
			count,
		)
	}
	t.texts = make([]string, count)
	for i := range t.texts {
		if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
			return badRequest("input %q ends within text %d of %d", clip(t.name), i+1, count)
		}
		n := int(binary.LittleEndian.Uint32(b))
		t.texts[i], b = string(b[4:4+n]), b[4+n:]
		if !utf8.ValidString(t.texts[i]) {
			return badRequest("text %d of input %q is not UTF-8", i+1, clip(t.name))
		}
	}
	if len(b) > 0 {
		return badRequest("input %q has %d bytes more than its texts", clip(t.name), len(b))
	}
	return nil
}

// fromJSON fills a tensor with elements of a JSON list, flat or nested, which is valid
// JSON.
func (t *tensor) fromJSON(list json.RawMessage, count int) error {
	if len(list) == 0 {
		return badRequest("input %q has no data", clip(t.name))
	}
	if 2*count > len(list)+1 { // an element and what separates it from the next
		return t.miscounted(count, "fewer")
	}
	put := func(token []byte) error {
		if len(t.numbers)+len(t.texts) >= count {
			return t.miscounted(count, "more")
		}
		return t.putToken(token)
	}
	if t.isText() {
		t.texts = make([]string, 0, count)
	} else {
		t.numbers = make([]float64, 0, count)
	}
	if err := scan(list, put); err != nil {
		return err
	}
	if len(t.numbers)+len(t.texts) != count {
		return t.miscounted(count, "fewer")
	}
	return nil
}

func (t *tensor) miscounted(count int, how string) error {
	return badRequest("input %q has %s elements than the %d of its shape %v", clip(t.name), how, count, t.shape)
}

// putToken adds an element in the spelling of JSON.
func (t *tensor) putToken(token []byte) error {
	wrong := func() error { return t.wrong(string(token)) }
	switch {
	case t.isText():
		var text string
		if token[0] != '"' || json.Unmarshal(token, &text) != nil {
			return wrong()
		}
		t.texts = append(t.texts, text)
		return nil
	case string(token) == "null":
		t.numbers = append(t.numbers, math.NaN())
		return nil
	case token[0] == 't' || token[0] == 'f':
		if t.datatype != typeBool {
			return wrong()
		}
		t.numbers = append(t.numbers, map[byte]float64{'t': 1, 'f': 0}[token[0]])
		return nil
	}
	v, err := strconv.ParseFloat(string(token), 64)
	if err != nil || token[0] == '"' {
		return wrong()
	}
	if v, ok := t.fitting(v); ok {
		t.numbers = append(t.numbers, v)
		return nil
	}
	return wrong()
}

// scan calls put for each scalar of a nested list, which is valid JSON.
func scan(list []byte, put func(token []byte) error) error {
	for i := 0; i < len(list); {
		switch c := list[i]; c {
		case ' ', '\t', '\n', '\r', ',', '[', ']':
			i++
			continue
		case '{', '}', ':':
			return badRequest("data is a list of elements, flat or nested, and there is an object in it")
		}
		end := i + 1
		if list[i] == '"' {
			for ; list[end] != '"'; end++ {
				if list[end] == '\\' {
					end++
				}
			}
			end++
		} else {
			for end < len(list) && !slices.Contains([]byte(" \t\n\r,[]{}:"), list[end]) {
				end++
			}
		}
		if err := put(list[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// rows returns how many rows a tensor has, and how many elements each.
func (t *tensor) rows() (n, each int) {
	if len(t.shape) == 2 {
		return int(t.shape[0]), int(t.shape[1])
	}
	return int(t.shape[0]), 1
}
