package parquet

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"
)

// The kinds of pages.
const (
	pageData   = 0
	pageIndex  = 1
	pageDict   = 2
	pageDataV2 = 3
)

const (
	firstHeader = 1 << 7  // bytes that most headers of pages fit in
	maxHeader   = 1 << 24 // of a page, whose statistics may hold long texts
	maxPage     = 1 << 28 // of an unpacked page
)

// pageHeader is what stands before a page.
type pageHeader struct {
	kind         int
	size, packed int64
	crc          int64
	checked      bool // there is a crc
	values       int64
	encoding     int
	levels       int   // how definition levels are encoded
	repeatBytes  int64 // of repetition levels, before those of definition levels
	levelBytes   int64
	unpacked     bool // the values of a second version are not packed
}

// parsePage reads a header and returns how many bytes it has.
func parsePage(data []byte) (pageHeader, int, error) {
	h := pageHeader{kind: none}
	c := &compact{data: data}
	c.fields(func(id int, typ byte) {
		switch {
		case id == 1 && typ == 5:
			h.kind = int(c.int())
		case id == 2 && typ == 5:
			h.size = c.int()
		case id == 3 && typ == 5:
			h.packed = c.int()
		case id == 4 && typ == 5:
			h.crc, h.checked = c.int(), true
		case (id == 5 || id == 7) && typ == compactStruct:
			c.pageFields(&h)
		case id == 8 && typ == compactStruct:
			c.pageFieldsV2(&h)
		default:
			c.skip(typ)
		}
	})
	return h, len(data) - len(c.data), c.err
}

// pageFields reads what is said of a page of values, or of a dictionary.
func (c *compact) pageFields(h *pageHeader) {
	c.fields(func(id int, typ byte) {
		switch {
		case id == 1 && typ == 5:
			h.values = c.int()
		case id == 2 && typ == 5:
			h.encoding = int(c.int())
		case id == 3 && typ == 5:
			h.levels = int(c.int())
		default:
			c.skip(typ)
		}
	})
}

func (c *compact) pageFieldsV2(h *pageHeader) {
	c.fields(func(id int, typ byte) {
		switch {
		case id == 1 && typ == 5:
			h.values = c.int()
		case id == 4 && typ == 5:
			h.encoding = int(c.int())
		case id == 5 && typ == 5:
			h.levelBytes = c.int()
		case id == 6 && typ == 5:
			h.repeatBytes = c.int()
		case id == 7:
			h.unpacked = typ == compactFalse
			c.skip(typ)
		default:
			c.skip(typ)
		}
	})
}

// pages reads the pages of a chunk one after the other.
type pages struct {
	file  io.ReaderAt
	at    int64
	end   int64 // where the footer begins
	codec int
	by    *unpacker
	store *store

	packed, room []byte
	reserved     int64 // bytes of room and packed
}

// next reads the next page, whose bytes hold until the call after. Those of a page
// that is neither of values nor a dictionary are nil.
func (p *pages) next() (pageHeader, []byte, error) {
	h, err := p.header()
	if err != nil {
		return h, nil, err
	}
	switch {
	case h.packed < 0 || h.packed > p.end-p.at || h.size < 0 || h.size > maxPage:
		return h, nil, fmt.Errorf("a page of %d bytes is said to unpack to %d", h.packed, h.size)
	case !plausible(p.codec, h.packed, h.size) && !h.unpacked:
		return h, nil, fmt.Errorf("a page of %d bytes cannot unpack to %d", h.packed, h.size)
	case h.unpacked && h.size != h.packed:
		return h, nil, errDamaged
	}
	if h.kind == pageIndex || h.kind > pageDataV2 || h.kind < 0 {
		p.at += h.packed
		return h, nil, nil
	}
	if err := p.reserve(h); err != nil {
		return h, nil, err
	}
	if _, err := p.file.ReadAt(p.packed, p.at); err != nil && err != io.EOF {
		return h, nil, err
	}
	p.at += h.packed
	if h.checked && uint32(h.crc) != crc32.ChecksumIEEE(p.packed) {
		return h, nil, fmt.Errorf("a page has another checksum than the file says")
	}
	return h, p.room, p.unpack(h)
}

// reserve makes room for a page. What is reserved never shrinks, as memory does not: columns
// that are decoded at the same time then reserve the same in whatever order.
func (p *pages) reserve(h pageHeader) error {
	need := max(h.packed+h.size, p.reserved)
	if err := p.store.take(need - p.reserved); err != nil {
		return err
	}
	p.reserved = need
	if int64(cap(p.packed)) < h.packed {
		p.packed = make([]byte, h.packed)
	}
	if int64(cap(p.room)) < h.size {
		p.room = make([]byte, h.size)
	}
	p.packed, p.room = p.packed[:h.packed], p.room[:h.size]
	return nil
}

// release gives back what was reserved.
func (p *pages) release() {
	_ = p.store.take(-p.reserved)
	p.packed, p.room, p.reserved = nil, nil, 0
}

// unpack unpacks a page. The levels of a page of the second version stand before
// its values and are never packed.
func (p *pages) unpack(h pageHeader) error {
	if h.kind != pageDataV2 {
		return p.by.unpack(p.codec, p.room, p.packed)
	}
	if h.repeatBytes < 0 || h.levelBytes < 0 || h.repeatBytes+h.levelBytes > min(h.packed, h.size) {
		return errDamaged
	}
	n := h.repeatBytes + h.levelBytes
	copy(p.room[:n], p.packed)
	codec := p.codec
	if h.unpacked {
		codec = codecNone
	}
	if len(p.packed[n:]) == 0 && len(p.room[n:]) == 0 {
		return nil // nothing but levels, which some writers do not even pack
	}
	return p.by.unpack(codec, p.room[n:], p.packed[n:])
}

// header reads the header of a page and moves behind it.
func (p *pages) header() (pageHeader, error) {
	for size := int64(firstHeader); ; size *= 8 {
		size = min(size, p.end-p.at)
		if size <= 0 {
			return pageHeader{}, fmt.Errorf("a column ends before its last row")
		}
		if int64(cap(p.packed)) < size {
			p.packed = make([]byte, size)
		}
		p.packed = p.packed[:size]
		if _, err := p.file.ReadAt(p.packed, p.at); err != nil && err != io.EOF {
			return pageHeader{}, err
		}
		h, n, err := parsePage(p.packed)
		if err == nil {
			p.at += int64(n)
			return h, nil
		}
		if size == p.end-p.at || size >= maxHeader {
			return pageHeader{}, fmt.Errorf("the head of a page makes no sense")
		}
	}
}

// store counts the bytes that pages hold, so that a small file that claims large
// pages takes no more memory than a large one. It is safe for concurrent use.
type store struct {
	left atomic.Int64
	size int64 // of all
}

// take counts n bytes more, or less where n is negative.
func (s *store) take(n int64) error {
	if s.left.Add(-n) < 0 && n > 0 {
		s.left.Add(n)
		return fmt.Errorf("its pages unpack to more than %d MiB at a time", s.size>>20)
	}
	return nil
}
