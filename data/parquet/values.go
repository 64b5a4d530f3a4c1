package parquet

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// How values are encoded.
const (
	encodingPlain       = 0
	encodingDictOld     = 2
	encodingRuns        = 3
	encodingBits        = 4
	encodingDelta       = 5
	encodingDeltaLength = 6
	encodingDeltaText   = 7
	encodingDict        = 8
	encodingSplit       = 9
)

// values decodes the values of a page, as many at a time as are asked for. A
// decoder of numbers has no texts, and one of texts no numbers.
type values interface {
	numbers(dst []float64) error
	texts(dst []string) error
}

// noNumbers and noTexts are the halves that a decoder lacks.
type (
	noNumbers struct{}
	noTexts   struct{}
)

func (noNumbers) numbers([]float64) error { return errDamaged }
func (noTexts) texts([]string) error      { return errDamaged }

// newValues returns the decoder of the values in data.
func newValues(c *column, encoding int, data []byte, dict *dictionary, store *store) (values, error) {
	switch encoding {
	case encodingDict, encodingDictOld:
		return newIndices(data, dict)
	case encodingPlain:
		switch {
		case c.kind == kindBool:
			return &truths{data: data}, nil
		case c.text():
			return &plainTexts{data: data, width: c.width}, nil
		}
		return &plainNumbers{column: c, data: data}, nil
	case encodingRuns:
		if c.kind == kindBool && len(data) >= 4 {
			if n := binary.LittleEndian.Uint32(data); int64(n) <= int64(len(data)-4) {
				runs, err := newHybrid(data[4:4+n], 1)
				return &truthRuns{runs: runs}, err
			}
		}
	case encodingDelta:
		if c.kind == kindInt32 || c.kind == kindInt64 {
			d, err := newDelta(data)
			return &deltaNumbers{column: c, from: d}, err
		}
	case encodingDeltaLength:
		if c.kind == kindBytes {
			return newDeltaTexts(data)
		}
	case encodingDeltaText:
		if c.text() {
			return newPrefixed(data, store)
		}
	case encodingSplit:
		if c.width > 0 && len(data)%c.width == 0 {
			return newSplit(c, data), nil
		}
	}
	return nil, errDamaged
}

// plainNumbers are numbers one after the other.
type plainNumbers struct {
	noTexts
	column *column
	data   []byte
}

func (v *plainNumbers) numbers(dst []float64) error {
	width := v.column.width
	if len(v.data) < len(dst)*width {
		return errDamaged
	}
	from := v.data[:len(dst)*width]
	switch {
	case v.column.kind == kindDouble && littleEndian:
		copy(bytesOf(dst), from)
	case v.column.kind == kindFloat:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:])))
		}
	default:
		for i := range dst {
			dst[i] = v.column.plain(from[i*width:])
		}
	}
	v.data = v.data[len(dst)*width:]
	return nil
}

// littleEndian reports whether numbers lie in memory as in the format.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of numbers.
func bytesOf(numbers []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 8*len(numbers))
}

// truths are packed bits.
type truths struct {
	noTexts
	data []byte
	at   int
}

func (v *truths) numbers(dst []float64) error {
	if v.at+len(dst) > 8*len(v.data) {
		return errDamaged
	}
	for i := range dst {
		dst[i] = float64(bits(v.data, v.at, 1))
		v.at++
	}
	return nil
}

// truthRuns are bits in runs.
type truthRuns struct {
	noTexts
	runs hybrid
	room []uint32
}

func (v *truthRuns) numbers(dst []float64) error {
	v.room = grow(v.room, len(dst))
	if err := v.runs.read(v.room); err != nil {
		return err
	}
	for i, bit := range v.room {
		dst[i] = float64(bit & 1)
	}
	return nil
}

// grow returns a slice of n elements, in the same memory where it fits.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// deltaNumbers are whole numbers as differences.
type deltaNumbers struct {
	noTexts
	column *column
	from   *delta
}

func (v *deltaNumbers) numbers(dst []float64) error {
	for i := range dst {
		n, err := v.from.next()
		if err != nil {
			return err
		}
		if v.column.kind == kindInt32 {
			n = int64(int32(n)) // differences wrap around
		}
		dst[i] = v.column.whole(n)
	}
	return nil
}

// split are values whose first bytes stand together, then their second ones, and so
// on.
type split struct {
	column *column
	data   []byte
	count  int // values of the page
	at     int
	value  []byte
}

func newSplit(c *column, data []byte) *split {
	return &split{column: c, data: data, count: len(data) / c.width, value: make([]byte, c.width)}
}

// next gathers the bytes of a value.
func (v *split) next() ([]byte, error) {
	if v.at == v.count {
		return nil, errDamaged
	}
	for k := range v.value {
		v.value[k] = v.data[k*v.count+v.at]
	}
	v.at++
	return v.value, nil
}

func (v *split) numbers(dst []float64) error {
	for i := range dst {
		b, err := v.next()
		if err != nil {
			return err
		}
		dst[i] = v.column.plain(b)
	}
	return nil
}

func (v *split) texts(dst []string) error {
	for i := range dst {
		b, err := v.next()
		if err != nil {
			return err
		}
		dst[i] = string(b)
	}
	return nil
}

// dictionary holds the values that indices stand for.
type dictionary struct {
	numbers []float64
	texts   []string
}

// newDictionary decodes a page of count values. There are no more of them than the
// page has bytes, whatever it says. Numbers are put in room where they fit there.
func newDictionary(c *column, data []byte, count int64, room []float64) (*dictionary, error) {
	d := &dictionary{}
	if count < 0 || count > int64(len(data)) || c.kind == kindBool {
		return nil, errDamaged
	}
	if !c.text() {
		d.numbers = grow(room, int(count))
		return d, (&plainNumbers{column: c, data: data}).numbers(d.numbers)
	}
	if c.width == 0 && 4*count > int64(len(data)) {
		return nil, errDamaged
	}
	d.texts = make([]string, count)
	return d, (&plainTexts{data: data, width: c.width}).texts(d.texts)
}

// indices are values by their places in a dictionary.
type indices struct {
	from hybrid
	dict *dictionary
	room []uint32
}

// newIndices reads the width of indices, which stands before them.
func newIndices(data []byte, dict *dictionary) (*indices, error) {
	if dict == nil {
		return nil, errDamaged
	}
	if len(data) == 0 {
		return &indices{dict: dict}, nil // of a page of missing values
	}
	from, err := newHybrid(data[1:], uint(data[0]))
	return &indices{from: from, dict: dict}, err
}

func (v *indices) numbers(dst []float64) error { return v.from.look(dst, v.dict.numbers) }

func (v *indices) texts(dst []string) error {
	v.room = grow(v.room, len(dst))
	if err := v.from.read(v.room); err != nil {
		return err
	}
	for i, k := range v.room {
		if uint64(k) >= uint64(len(v.dict.texts)) {
			return errDamaged
		}
		dst[i] = v.dict.texts[k]
	}
	return nil
}
