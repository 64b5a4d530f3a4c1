package external

// The instructions of WebAssembly that the code of a module is changed by, or that
// have more behind their first byte than a table can say.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBrTable      = 0x0e
	opCall         = 0x10
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI64Const     = 0x42
	opI64LessS     = 0x53
	opI64Sub       = 0x7d
	opI64ShrU      = 0x88
	opI64ExtendU32 = 0xad
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opMisc         = 0xfc // and a number: saturating truncation, bulk memory, tables
	opVector       = 0xfd // and a byte
	emptyBlock     = 0x40
	typeOfI32      = 0x7f
	typeOfI64      = 0x7e
)

// immediate is what stands behind the byte of an instruction.
type immediate byte

const (
	unknown  immediate = iota
	nothing            // no more
	one                // a number
	two                // two numbers
	number4            // 4 bytes
	number8            // 8 bytes
	special            // see instruction
	anyByte            // a byte
	number16           // 16 bytes
	twoByte            // two numbers and a byte
)

// immediates says what stands behind each instruction of one byte, in WebAssembly 2.0.
var immediates = func() (t [256]immediate) {
	set := func(first, last int, i immediate) {
		for op := first; op <= last; op++ {
			t[op] = i
		}
	}
	set(0x00, 0x01, nothing) // unreachable, nop
	set(0x02, 0x04, special) // block, loop, if
	set(0x05, 0x05, nothing) // else
	set(0x0b, 0x0b, nothing) // end
	set(0x0c, 0x0d, one)     // br, br_if
	set(0x0e, 0x0e, special) // br_table
	set(0x0f, 0x0f, nothing) // return
	set(0x10, 0x10, one)     // call
	set(0x11, 0x11, two)     // call_indirect
	set(0x1a, 0x1b, nothing) // drop, select
	set(0x1c, 0x1c, special) // select with types
	set(0x20, 0x26, one)     // locals, globals, table.get, table.set
	set(0x28, 0x3e, two)     // loads and stores
	set(0x3f, 0x40, one)     // memory.size, memory.grow
	set(0x41, 0x42, one)     // i32.const, i64.const
	set(0x43, 0x43, number4) // f32.const
	set(0x44, 0x44, number8) // f64.const
	set(0x45, 0xc4, nothing) // arithmetic, conversions, extensions of signs
	set(0xd0, 0xd0, special) // ref.null
	set(0xd1, 0xd1, nothing) // ref.is_null
	set(0xd2, 0xd2, one)     // ref.func
	set(0xfc, 0xfd, special)
	return t
}()

// miscImmediates says what stands behind 0xfc and a number.
var miscImmediates = [18]immediate{
	nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, // saturating truncation
	two,      // memory.init
	one,      // data.drop
	two, one, // memory.copy, memory.fill
	two,      // table.init
	one,      // elem.drop
	two,      // table.copy
	one, one, // table.grow, table.size
	one, // table.fill
}

// isBulk reports whether an instruction behind 0xfc takes time that grows with the
// i32 on top of the stack.
func isBulk(misc uint64) bool {
	switch misc {
	case 8, 10, 11, 12, 14, 15, 17: // init, copy, fill and grow
		return true
	}
	return false
}

// vectorImmediate says what stands behind 0xfd and a byte.
func vectorImmediate(op byte) immediate {
	switch {
	case op <= 0x0b, op == 0x5c, op == 0x5d: // loads and a store
		return two
	case op == 0x0c, op == 0x0d: // v128.const, shuffle
		return number16
	case op >= 0x15 && op <= 0x22: // lanes
		return anyByte
	case op >= 0x54 && op <= 0x5b: // loads and stores of lanes
		return twoByte
	}
	return nothing
}

// instruction reads one instruction and returns its first byte, and the number
// behind 0xfc. It reports false for one that it does not know. As wazero does, it
// takes one byte behind 0xfd: the second of those that have two is a nop.
func (r *moduleReader) instruction() (op byte, misc uint64, ok bool) {
	op = r.byte()
	kind := immediates[op]
	switch {
	case kind != special:
	case op == opRefNull:
		r.valueTypes(1)
		kind = nothing
	case op >= opBlock && op <= opIf:
		// Nothing, a type, or the number of a type of functions, which is not negative.
		if first := r.peek(); first&0xc0 == 0x40 && first != emptyBlock {
			r.valueTypes(1)
			kind = nothing
		} else {
			kind = one
		}
	case op == opBrTable:
		for n := r.number(); n > 0 && !r.short; n-- {
			r.number()
		}
		kind = one
	case op == opSelectTyped:
		r.valueTypes(r.number())
		kind = nothing
	case op == opMisc:
		if misc = r.number(); misc >= uint64(len(miscImmediates)) {
			return op, misc, false
		}
		kind = miscImmediates[misc]
	case op == opVector:
		kind = vectorImmediate(r.byte())
	}
	switch kind {
	case unknown:
		return op, misc, false
	case one:
		r.skip()
	case two, twoByte:
		r.skip()
		r.skip()
	case number4:
		r.bytes(4)
	case number8:
		r.bytes(8)
	case number16:
		r.bytes(16)
	}
	if kind == anyByte || kind == twoByte {
		r.byte()
	}
	return op, misc, !r.short
}

// valueTypes passes over types of values. One that is not of WebAssembly 2.0, which
// may have more than a byte, counts as past the end.
func (r *moduleReader) valueTypes(n uint64) {
	for _, t := range r.bytes(n) {
		switch t {
		case typeOfI32, typeOfI64, 0x7d, 0x7c, 0x7b, 0x70, 0x6f: // f32, f64, v128, references
		default:
			r.short = true
		}
	}
}
