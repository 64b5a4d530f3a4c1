package parquet

import "encoding/binary"

// composer writes the compact protocol of Thrift.
type composer struct {
	data []byte
	last []int // the id of the last field of each structure that is open
}

func (c *composer) begin() { c.last = append(c.last, 0) }

func (c *composer) end() {
	c.data = append(c.data, 0)
	c.last = c.last[:len(c.last)-1]
}

// field begins a field. Ids must grow, by 15 at most.
func (c *composer) field(id int, typ byte) {
	last := &c.last[len(c.last)-1]
	c.data = append(c.data, byte(id-*last)<<4|typ)
	*last = id
}

func (c *composer) int32(id, v int) {
	c.field(id, 5)
	c.data = binary.AppendVarint(c.data, int64(v))
}

func (c *composer) int64(id int, v int64) {
	c.field(id, 6)
	c.data = binary.AppendVarint(c.data, v)
}

func (c *composer) text(id int, s string) {
	c.field(id, compactBinary)
	c.bytes(s)
}

func (c *composer) bytes(s string) {
	c.data = binary.AppendUvarint(c.data, uint64(len(s)))
	c.data = append(c.data, s...)
}

// list begins a list of n elements.
func (c *composer) list(id int, typ byte, n int) {
	c.field(id, compactList)
	if n < 15 {
		c.data = append(c.data, byte(n)<<4|typ)
		return
	}
	c.data = append(c.data, 15<<4|typ)
	c.data = binary.AppendUvarint(c.data, uint64(n))
}

// pageHead returns the header of a page.
func pageHead(kind, size, packed, values, encoding int) []byte {
	c := &composer{}
	c.begin()
	c.int32(1, kind)
	c.int32(2, size)
	c.int32(3, packed)
	if kind == pageDict {
		c.field(7, compactStruct)
	} else {
		c.field(5, compactStruct)
	}
	c.begin()
	c.int32(1, values)
	c.int32(2, encoding)
	if kind == pageData {
		c.int32(3, encodingRuns)
		c.int32(4, encodingRuns)
	}
	c.end()
	c.end()
	return c.data
}

// footer returns the end of the file.
func (w *Writer) footer() []byte {
	cols := w.cols
	if w.labeled {
		cols++
	}
	c := &composer{}
	c.begin()
	c.int32(1, 2)
	c.list(2, compactStruct, 1+cols)
	c.begin()
	c.text(4, "schema")
	c.int32(5, cols)
	c.end()
	for j := range cols {
		c.begin()
		if j < w.cols {
			c.int32(1, int(kindDouble))
		} else {
			c.int32(1, int(kindBytes))
		}
		c.int32(3, repetitionRequired)
		c.text(4, w.name(j))
		if j == w.cols {
			c.int32(6, convertedText)
			c.field(10, compactStruct)
			c.begin()
			c.field(logicalText, compactStruct)
			c.begin()
			c.end()
			c.end()
		}
		c.end()
	}
	c.int64(3, int64(w.rows))
	c.list(4, compactStruct, len(w.groups))
	for i := range w.groups {
		w.group(c, &w.groups[i])
	}
	c.text(6, "kerf")
	c.end()
	return c.data
}

// group writes where a group stands.
func (w *Writer) group(c *composer, g *written) {
	c.begin()
	c.list(1, compactStruct, len(g.chunks))
	size := int64(0)
	for j := range g.chunks {
		size += g.chunks[j].size
		c.begin()
		c.int64(2, 0)
		c.field(3, compactStruct)
		w.chunk(c, j, &g.chunks[j], g.rows)
		c.end()
	}
	c.int64(2, size)
	c.int64(3, int64(g.rows))
	c.end()
}

func (w *Writer) chunk(c *composer, j int, k *writtenChunk, rows int) {
	kind, encodings := kindDouble, []int{encodingPlain}
	if j == w.cols {
		kind = kindBytes
	}
	if k.dict != 0 {
		encodings = []int{encodingPlain, encodingDict}
	}
	c.begin()
	c.int32(1, int(kind))
	c.list(2, 5, len(encodings))
	for _, e := range encodings {
		c.data = binary.AppendVarint(c.data, int64(e))
	}
	c.list(3, compactBinary, 1)
	c.bytes(w.name(j))
	c.int32(4, k.codec)
	c.int64(5, int64(rows))
	c.int64(6, k.size)
	c.int64(7, k.packed)
	c.int64(9, k.data)
	if k.dict != 0 {
		c.int64(11, k.dict)
	}
	c.end()
}
