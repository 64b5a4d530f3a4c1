package parquet

import "encoding/binary"

// maxBlock is how many values a block of differences may have. Writers use 128 or
// 256.
const maxBlock = 1 << 16

// delta decodes whole numbers that are written as packed differences, value by
// value, and makes no room.
//
// A block is the least of its differences, the widths of its parts, and the parts:
// the same number of differences each, less the least one. Parts that no value
// needs are not there.
type delta struct {
	data  []byte // after what was begun
	minis int    // parts of a block
	per   int    // values of a part
	left  int    // values that are still to come
	first bool   // the next value is the first
	value int64

	least  int64
	widths []byte // of the parts of the block that were not begun
	packed []byte // the part
	at     int    // its next bit
	in     int    // its values left
	width  uint
}

// newDelta reads the head of a sequence.
func newDelta(data []byte) (*delta, error) {
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errDamaged
		}
		head[i], data = v, data[n:]
	}
	value, n := binary.Varint(data)
	block, minis, total := head[0], head[1], head[2]
	if n <= 0 || block == 0 || block > maxBlock || minis == 0 || block%minis != 0 || block/minis%8 != 0 || total > 1<<31 {
		return nil, errDamaged
	}
	return &delta{
		data: data[n:], minis: int(minis), per: int(block / minis), left: int(total), first: true, value: value,
	}, nil
}

// next returns the next value.
func (d *delta) next() (int64, error) {
	if d.left == 0 {
		return 0, errDamaged
	}
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.in == 0 {
		if err := d.part(); err != nil {
			return 0, err
		}
	}
	d.value += d.least + int64(bits(d.packed, d.at, d.width))
	d.at += int(d.width)
	d.in--
	return d.value, nil
}

// part begins the next part, and the next block where that is needed.
func (d *delta) part() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		if n <= 0 || len(d.data)-n < d.minis {
			return errDamaged
		}
		d.least = least
		d.widths, d.data = d.data[n:n+d.minis], d.data[n+d.minis:]
	}
	d.width = uint(d.widths[0])
	d.widths = d.widths[1:]
	size := int(d.width) * d.per / 8
	if d.width > 64 || size > len(d.data) {
		return errDamaged
	}
	d.packed, d.at, d.in = d.data[:size], 0, d.per
	d.data = d.data[size:]
	return nil
}

// after returns what stands behind a sequence, and leaves it as it is.
func (d *delta) after() ([]byte, error) {
	ahead := *d
	for ahead.left -= 1; ahead.left > 0; ahead.left -= ahead.per {
		if err := ahead.part(); err != nil {
			return nil, err
		}
	}
	return ahead.data, nil
}
