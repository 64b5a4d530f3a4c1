package external_test

import (
	"encoding/binary"
	"math"
	"slices"
)

// This file writes WebAssembly modules by hand, after the binary format of the
// specification: sections of types, functions, memory, globals, exports and code.

const pageBytes = 64 << 10

// module is a module with the functions that external asks for. A nil body leaves
// the function out.
type module struct {
	alloc, kernel []byte // bodies: local declarations, instructions, end
	pages         int    // of memory at the beginning; 1 if 0
	noMemory      bool   // do not export the memory
	swapped       bool   // export each function under the name of the other
	memory        bool   // export the memory though there are no functions
	imports       []byte // kind and type of what it imports, as "there" of "else"
	table         []byte // kind and limits of a table
}

func (m module) withMemory() module { m.memory = true; return m }

const (
	typeI32 = 0x7f
	typeF64 = 0x7c
)

// bytes encodes the module.
func (m module) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	if m.alloc == nil && m.kernel == nil && !m.memory {
		return out
	}
	out = append(out, section(1, // types
		[]byte{0x60, 1, typeI32, 1, typeI32},
		[]byte{0x60, 4, typeI32, typeI32, typeI32, typeI32, 1, typeF64})...)
	if m.imports != nil {
		out = append(out, section(2, slices.Concat([]byte("\x04else\x05there"), m.imports))...)
	}
	var functions, exports, bodies [][]byte
	export := func(name string, kind, index byte) {
		exports = append(exports, slices.Concat(unsigned(len(name)), []byte(name), []byte{kind, index}))
	}
	names := [2]string{"alloc", "kernel"}
	if m.swapped {
		names = [2]string{"kernel", "alloc"}
	}
	for i, body := range [][]byte{m.alloc, m.kernel} {
		if body != nil {
			export(names[i], 0, byte(len(functions)))
			functions = append(functions, []byte{byte(i)})
			bodies = append(bodies, slices.Concat(unsigned(len(body)), body))
		}
	}
	if !m.noMemory {
		export("memory", 2, 0)
	}
	out = append(out, section(3, functions...)...)
	if m.table != nil {
		out = append(out, section(4, m.table)...)
	}
	out = append(out, section(5, slices.Concat([]byte{0}, unsigned(max(m.pages, 1))))...)
	out = append(out, section(6, []byte{typeI32, 1, 0x41, 8, 0x0b})...) // a mutable i32, 8 at first
	out = append(out, section(7, exports...)...)
	return append(out, section(10, bodies...)...)
}

// section encodes a vector of items under a number.
func section(id byte, items ...[]byte) []byte {
	content := unsigned(len(items))
	for _, item := range items {
		content = append(content, item...)
	}
	return slices.Concat([]byte{id}, unsigned(len(content)), content)
}

func unsigned(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }

// signed is the LEB128 of a signed number.
func signed(n int) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// code is a body without local variables.
func code(instructions ...byte) []byte { return slices.Concat([]byte{0}, instructions, []byte{0x0b}) }

// constant returns an i32.
func constant(n int) []byte { return code(slices.Concat([]byte{0x41}, signed(n))...) }

// number returns an f64.
func number(v float64) []byte {
	return code(binary.LittleEndian.AppendUint64([]byte{0x44}, math.Float64bits(v))...)
}

// endless is loop br 0 end unreachable.
func endless() []byte { return code(0x03, 0x40, 0x0c, 0x00, 0x0b, 0x00) }

// growing is loop memory.grow(1) drop br 0 end unreachable, or, where the end of
// memory counts, a trap in the place of drop.
func growing(trap bool) []byte {
	if trap { // if memory.grow(1) = -1 unreachable end
		return code(0x03, 0x40, 0x41, 0x01, 0x40, 0x00, 0x41, 0x7f, 0x46, 0x04, 0x40, 0x00, 0x0b, 0x0c, 0x00, 0x0b, 0x00)
	}
	return code(0x03, 0x40, 0x41, 0x01, 0x40, 0x00, 0x1a, 0x0c, 0x00, 0x0b, 0x00)
}

// bump is alloc of docs/guide/external/kernel.wat.
func bump() []byte {
	return slices.Concat([]byte{1, 1, typeI32}, // local 1: at
		[]byte{
			0x23, 0x00, 0x21, 0x01, // at = free
			0x20, 0x01, 0x20, 0x00, 0x6a, 0x41, 0x07, 0x6a, 0x41, 0x78, 0x71, 0x24, 0x00, // free = (at + size + 7) & -8
			0x02, 0x40, // block
			0x23, 0x00, 0x3f, 0x00, 0x41}, signed(pageBytes), []byte{0x6c, 0x4d, 0x0d, 0x00, // br_if free ≤ memory.size·65536
			// br_if -1 ≠ memory.grow(1 + size>>16)
			0x41, 0x7f, 0x41, 0x01, 0x20, 0x00, 0x41, 0x10, 0x76, 0x6a, 0x40, 0x00, 0x47, 0x0d, 0x00,
			0x00,       // unreachable
			0x0b,       // end
			0x20, 0x01, // at
			0x0b,
		})
}

// pairwise is kernel of docs/guide/external/kernel.wat, with what it adds for each
// pair of values and how wide a value is: the sum over the places that x and y
// both have.
func pairwise(width byte, term ...byte) []byte {
	step := func(local, by, op byte) []byte { return []byte{0x20, local, 0x41, by, op, 0x21, local} }
	return slices.Concat([]byte{1, 1, typeF64}, // local 4: sum
		[]byte{
			0x02, 0x40, 0x03, 0x40, // block loop
			0x20, 0x01, 0x45, 0x0d, 0x01, // br_if 1 unless xlen
			0x20, 0x03, 0x45, 0x0d, 0x01, // br_if 1 unless ylen
			0x20, 0x04, // sum
		}, term, []byte{0xa0, 0x21, 0x04}, // sum += term
		step(0, width, 0x6a), step(2, width, 0x6a), step(1, 1, 0x6b), step(3, 1, 0x6b),
		[]byte{0x0c, 0x00, 0x0b, 0x0b, 0x20, 0x04, 0x0b}) // br 0 end end sum
}

// linear adds f64.load(x)·f64.load(y).
func linear() []byte {
	return pairwise(8, 0x20, 0x00, 0x2b, 0x03, 0x00, 0x20, 0x02, 0x2b, 0x03, 0x00, 0xa2)
}

// letters adds 1 where i32.load8_u(x) = i32.load8_u(y).
func letters() []byte {
	return pairwise(1, 0x20, 0x00, 0x2d, 0x00, 0x00, 0x20, 0x02, 0x2d, 0x00, 0x00, 0x46, 0xb8)
}

func linearModule() []byte  { return module{alloc: bump(), kernel: linear()}.bytes() }
func lettersModule() []byte { return module{alloc: bump(), kernel: letters()}.bytes() }
