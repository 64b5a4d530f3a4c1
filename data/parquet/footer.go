package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// footer is what stands at the end of a file.
type footer struct {
	rows   int64
	schema []element
	groups []group
}

// element is a node of the schema, which is a tree written down from its root,
// each node before its children.
type element struct {
	name       string
	kind       kind
	width      int // of fixed bytes
	repetition int
	children   int64
	converted  int // the older way to say what values mean, none if there is none
	scale      int
	logical    int // the newer way, 0 if there is none
	unsigned   bool
}

const none = -1

// group is a part of the rows.
type group struct {
	rows   int64
	chunks []chunkPlace
}

// chunkPlace says where the values of a column in a group stand.
type chunkPlace struct {
	kind       kind
	codec      int
	values     int64
	data, dict int64 // offsets of the first pages
	elsewhere  bool  // in another file
	encrypted  bool
}

// readFooter reads the end of a file.
func readFooter(r io.ReaderAt, size int64) (*footer, int64, error) {
	const frame = 12 // PAR1 at both ends, and the length
	if size < frame {
		return nil, 0, errors.New("it is too short")
	}
	var end [8]byte
	if _, err := r.ReadAt(end[:], size-8); err != nil && err != io.EOF {
		return nil, 0, err
	}
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, 0, unread("is encrypted")
	default:
		return nil, 0, errors.New("it does not end in PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if n > size-frame {
		return nil, 0, fmt.Errorf("it is said to have a schema of %d bytes", n)
	}
	content := make([]byte, n)
	if _, err := r.ReadAt(content, size-8-n); err != nil && err != io.EOF {
		return nil, 0, err
	}
	f, err := parseFooter(content)
	return f, size - 8 - n, err
}

func parseFooter(content []byte) (*footer, error) {
	f := &footer{}
	c := &compact{data: content}
	c.fields(func(id int, typ byte) {
		switch {
		case id == 2 && typ == compactList:
			c.list(func(typ byte) { f.schema = append(f.schema, c.element(typ)) })
		case id == 3 && typ == 6:
			f.rows = c.int()
		case id == 4 && typ == compactList:
			c.list(func(typ byte) { f.groups = append(f.groups, c.group(typ)) })
		default:
			c.skip(typ)
		}
	})
	if c.err != nil {
		return nil, errors.New("the description of its columns makes no sense")
	}
	return f, nil
}

// structure reads the fields of an element of a list that must be a structure.
func (c *compact) structure(typ byte, do func(id int, typ byte)) {
	if typ != compactStruct {
		c.fail()
		return
	}
	c.fields(do)
}

func (c *compact) element(typ byte) element {
	e := element{kind: none, converted: none}
	c.structure(typ, func(id int, typ byte) {
		switch {
		case id == 1 && typ == 5:
			e.kind = kind(c.int())
		case id == 2 && typ == 5:
			e.width = int(c.int())
		case id == 3 && typ == 5:
			e.repetition = int(c.int())
		case id == 4 && typ == compactBinary:
			e.name = string(c.bytes())
		case id == 5 && typ == 5:
			e.children = c.int()
		case id == 6 && typ == 5:
			e.converted = int(c.int())
		case id == 7 && typ == 5:
			e.scale = int(c.int())
		case id == 10 && typ == compactStruct:
			c.fields(func(id int, typ byte) {
				e.logical = id
				c.logical(&e, typ)
			})
		default:
			c.skip(typ)
		}
	})
	return e
}

// logical reads what a column's values mean.
func (c *compact) logical(e *element, typ byte) {
	if typ != compactStruct {
		c.skip(typ)
		return
	}
	c.fields(func(id int, typ byte) {
		switch {
		case e.logical == logicalDecimal && id == 1 && typ == 5:
			e.scale = int(c.int())
		case e.logical == logicalInteger && id == 2:
			e.unsigned = typ == compactFalse
			c.skip(typ)
		default:
			c.skip(typ)
		}
	})
}

func (c *compact) group(typ byte) group {
	var g group
	c.structure(typ, func(id int, typ byte) {
		switch {
		case id == 1 && typ == compactList:
			c.list(func(typ byte) { g.chunks = append(g.chunks, c.chunkPlace(typ)) })
		case id == 3 && typ == 6:
			g.rows = c.int()
		default:
			c.skip(typ)
		}
	})
	return g
}

func (c *compact) chunkPlace(typ byte) chunkPlace {
	p := chunkPlace{kind: none, encrypted: true}
	c.structure(typ, func(id int, typ byte) {
		switch {
		case id == 1:
			p.elsewhere = true
			c.skip(typ)
		case id == 3 && typ == compactStruct:
			p.encrypted = false
			c.chunkData(&p)
		default:
			c.skip(typ)
		}
	})
	return p
}

func (c *compact) chunkData(p *chunkPlace) {
	c.fields(func(id int, typ byte) {
		switch {
		case id == 1 && typ == 5:
			p.kind = kind(c.int())
		case id == 4 && typ == 5:
			p.codec = int(c.int())
		case id == 5 && typ == 6:
			p.values = c.int()
		case id == 9 && typ == 6:
			p.data = c.int()
		case id == 11 && typ == 6:
			p.dict = c.int()
		default:
			c.skip(typ)
		}
	})
}
