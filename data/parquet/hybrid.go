package parquet

import "encoding/binary"

// bits returns the width ≤ 64 bits of data that begin at bit at, the least
// significant ones first. Bits beyond the end are 0.
func bits(data []byte, at int, width uint) uint64 {
	if width == 0 {
		return 0
	}
	i, shift := at>>3, uint(at&7)
	var word uint64
	if i+8 <= len(data) {
		word = binary.LittleEndian.Uint64(data[i:]) >> shift
		if shift+width > 64 && i+8 < len(data) {
			word |= uint64(data[i+8]) << (64 - shift)
		}
	} else {
		for k := i; k < len(data); k++ {
			word |= uint64(data[k]) << (8 * uint(k-i))
		}
		word >>= shift
	}
	return word & (1<<width - 1)
}

// hybrid decodes runs of one value and runs of packed values, by which levels,
// indices of dictionaries and truth values are written.
type hybrid struct {
	data   []byte // after the current run of packed values
	width  uint   // bits of a value, at most 32
	left   int    // values left in the run
	value  uint32 // of all of them, where packed is nil
	packed []byte
	at     int // the first bit of the next packed value
}

// newHybrid returns a decoder of values of width bits.
func newHybrid(data []byte, width uint) (hybrid, error) {
	if width > 32 {
		return hybrid{}, errDamaged
	}
	return hybrid{data: data, width: width}, nil
}

// next begins a run that is not empty.
func (h *hybrid) next() error {
	for {
		head, n := binary.Uvarint(h.data)
		if n <= 0 {
			return errDamaged
		}
		h.data = h.data[n:]
		count := head >> 1
		if count > 1<<31 {
			return errDamaged
		}
		if head&1 == 0 {
			if err := h.repeat(int(count)); err != nil {
				return err
			}
		} else {
			h.pack(int(count))
		}
		if h.left > 0 {
			return nil
		}
	}
}

// repeat begins a run of count times the same value.
func (h *hybrid) repeat(count int) error {
	size := int(h.width+7) / 8
	if size > len(h.data) {
		return errDamaged
	}
	h.value, h.packed, h.left = 0, nil, count
	for i, b := range h.data[:size] {
		h.value |= uint32(b) << (8 * i)
	}
	h.data = h.data[size:]
	return nil
}

// pack begins a run of groups of eight packed values. The last one of a page may be
// cut after the values that count.
func (h *hybrid) pack(groups int) {
	if h.width == 0 {
		h.value, h.packed, h.left = 0, nil, 8*groups
		return
	}
	size := min(groups*int(h.width), len(h.data))
	h.packed, h.at, h.left = h.data[:size], 0, min(8*groups, 8*size/int(h.width))
	h.data = h.data[size:]
}

// read fills dst.
func (h *hybrid) read(dst []uint32) error {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.next(); err != nil {
				return err
			}
		}
		n := min(h.left, len(dst))
		if h.packed == nil {
			for i := range dst[:n] {
				dst[i] = h.value
			}
		} else {
			h.unpack(dst[:n])
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

// unpack fills dst by packed values.
func (h *hybrid) unpack(dst []uint32) {
	at, width, mask, fast := h.at, int(h.width), uint64(1)<<h.width-1, h.words(len(dst))
	for i := range dst[:fast] {
		dst[i] = uint32(binary.LittleEndian.Uint64(h.packed[at>>3:]) >> (at & 7) & mask)
		at += width
	}
	for i := fast; i < len(dst); i++ {
		dst[i] = uint32(bits(h.packed, at, h.width))
		at += width
	}
	h.at = at
}

// words returns how many of the next packed values, at most most, begin in a byte that is the first of
// eight, which hold them: 7 bits and 32 at most.
func (h *hybrid) words(most int) int {
	last := len(h.packed) - 8
	if last < h.at>>3 {
		return 0
	}
	return min((8*last+7-h.at)/int(h.width)+1, most)
}

// look fills dst by the numbers of a dictionary whose places are the next values. It is read and
// a look at each in one.
func (h *hybrid) look(dst, dict []float64) error {
	for len(dst) > 0 {
		if h.left == 0 {
			if err := h.next(); err != nil {
				return err
			}
		}
		n := min(h.left, len(dst))
		if h.packed == nil {
			if uint64(h.value) >= uint64(len(dict)) {
				return errDamaged
			}
			for i, v := 0, dict[h.value]; i < n; i++ {
				dst[i] = v
			}
		} else if !h.lookPacked(dst[:n], dict) {
			return errDamaged
		}
		h.left -= n
		dst = dst[n:]
	}
	return nil
}

// lookPacked is look of packed values. It reports false for one beyond the dictionary.
func (h *hybrid) lookPacked(dst, dict []float64) bool {
	at, width, mask, fast := h.at, int(h.width), uint64(1)<<h.width-1, h.words(len(dst))
	for i := range dst[:fast] {
		k := binary.LittleEndian.Uint64(h.packed[at>>3:]) >> (at & 7) & mask
		if k >= uint64(len(dict)) {
			return false
		}
		dst[i] = dict[k]
		at += width
	}
	for i := fast; i < len(dst); i++ {
		k := bits(h.packed, at, h.width)
		if k >= uint64(len(dict)) {
			return false
		}
		dst[i] = dict[k]
		at += width
	}
	h.at = at
	return true
}

// same returns how many of the next values, at most most, are one value that is written
// once, and the value.
func (h *hybrid) same(most int) (n int, value uint32, err error) {
	if h.left == 0 {
		if err := h.next(); err != nil {
			return 0, 0, err
		}
	}
	if h.packed != nil {
		return 0, 0, nil
	}
	return min(h.left, most), h.value, nil
}
