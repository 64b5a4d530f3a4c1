package external

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// maxTable is how many entries the tables of a module may have together, of 8
// bytes each in kerf's memory.
const maxTable = 1 << 20

// The numbers of the sections that refused looks at, after the binary format of
// WebAssembly.
const (
	sectionImport = 2
	sectionTable  = 4
)

// refused says why kerf does not run a module that is well formed, and what to do:
// that it imports something, which kerf has not, or that its tables may grow without
// bound, which no limit on its memory would stop. It is "" for one that it runs.
func refused(code []byte) (problem, advice string) {
	r := &moduleReader{rest: code[min(8, len(code)):]}
	entries := 0.0
	for len(r.rest) > 0 {
		id := r.byte()
		section := &moduleReader{rest: r.bytes(r.number())}
		switch id {
		case sectionImport:
			if section.number() > 0 {
				from, name := section.bytes(section.number()), section.bytes(section.number())
				return fmt.Sprintf("the module imports %q of %q", data.Clip(string(name), 80), data.Clip(string(from), 80)),
					"link it without imports, not even of WASI: kerf gives it arguments and takes a number, nothing else"
			}
		case sectionTable:
			for range section.number() {
				entries += section.table()
			}
		}
	}
	if entries > maxTable {
		return fmt.Sprintf("the tables of the module may grow past %d entries", maxTable), "give each a maximum"
	}
	return "", ""
}

// bare returns a module without its custom sections, which do nothing. A section that
// cannot hold as much as it says is an error: wazero makes room for any number before it
// reads what was counted.
func bare(code []byte) ([]byte, error) {
	out := append([]byte(nil), code[:min(8, len(code))]...)
	r := &moduleReader{rest: code[len(out):]}
	for len(r.rest) > 0 {
		id := r.byte()
		content := r.bytes(r.number())
		if r.short || !holds(id, content) {
			return nil, errMalformed
		}
		if id != sectionCustom {
			out = append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
		}
	}
	return out, nil
}

// holds reports whether a section is long enough for what it counts.
func holds(id byte, content []byte) bool {
	if id == sectionCustom || id == sectionStart || id == sectionCount {
		return true
	}
	r := &moduleReader{rest: content}
	n := r.number()
	if n > uint64(len(r.rest)) {
		return false
	}
	switch id {
	case sectionType:
		for ; n > 0 && !r.short; n-- {
			r.byte()
			r.bytes(r.number())
			r.bytes(r.number())
		}
	case sectionData:
		for ; n > 0 && !r.short; n-- {
			flags := r.number()
			if flags == 2 {
				r.number()
			}
			if flags != 1 {
				r.expression(nil)
			}
			r.bytes(r.number())
		}
	}
	return !r.short
}

// moduleReader reads the bytes of a module. Past their end all is 0.
type moduleReader struct {
	rest  []byte
	short bool // something was read past the end
}

func (r *moduleReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		n, r.short = uint64(len(r.rest)), true
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *moduleReader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// peek returns the next byte without reading it.
func (r *moduleReader) peek() byte {
	if len(r.rest) == 0 {
		return 0
	}
	return r.rest[0]
}

// number reads an unsigned LEB128.
func (r *moduleReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.rest, r.short, v, n = nil, true, 0, 0
	}
	r.bytes(uint64(n))
	return v
}

// count reads how many there are in a section, 0 where there is no section.
func (r *moduleReader) count() uint64 {
	if r.rest == nil {
		return 0
	}
	return r.number()
}

// skip passes over a LEB128 of either kind.
func (r *moduleReader) skip() {
	for r.byte()&0x80 != 0 {
	}
}

// table reads a table and returns how many entries it may have. One that begins
// with a constant expression is not told apart, and taken for one without bound.
func (r *moduleReader) table() float64 {
	kind := r.byte() // of references
	flags := r.byte()
	r.number() // entries at the beginning
	if kind == 0x40 || flags&1 == 0 {
		return math.Inf(1)
	}
	return float64(r.number())
}
