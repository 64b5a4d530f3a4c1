package external

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// What kerf adds to a module: exports whose names no module may have of its own, and
// a function that it imports.
const (
	ownNames  = "kerf:"
	fuelName  = ownNames + "fuel"  // a mutable i64: what is left
	startName = ownNames + "start" // the function of the start section
	hostName  = "kerf"
	checkName = "check"
)

// The numbers of the sections of a module, beside those of refused.
const (
	sectionCustom   = 0
	sectionType     = 1
	sectionFunction = 3
	sectionGlobal   = 6
	sectionExport   = 7
	sectionStart    = 8
	sectionElement  = 9
	sectionCode     = 10
	sectionData     = 11
	sectionCount    = 12 // of data, which stands before the code
)

var errMalformed = errors.New("it has sections or types that are not of WebAssembly 2.0")

// metered returns a module that counts what it executes and calls a function
// without arguments when its fuel is used up, which gives it more or ends the call.
// The module must be valid and import nothing.
//
// A global, exported as fuelName, holds what is left, 0 at first. At the beginning of
// each function and of each pass through a loop it falls by the number of
// instructions up to the next such place: those of the body that are in no loop, or
// in no loop inside of it. Each of them is executed at most once before the count
// falls again, since only a loop goes backwards; so no more instructions are executed
// than were counted, and the count depends on the module and its arguments alone. An
// instruction that fills or copies counts one more for 8 bytes or entries.
//
// The function comes first among all, so that the others have a number more. What the
// start section names is exported as startName instead of being called, for who calls
// it gives it fuel. Custom sections are left out.
func metered(code []byte) ([]byte, error) {
	out := append([]byte(nil), code[:min(8, len(code))]...)
	r := &moduleReader{rest: code[len(out):]}
	var sections [sectionCount + 1][]byte
	for len(r.rest) > 0 {
		id := r.byte()
		content := r.bytes(r.number())
		if r.short || int(id) >= len(sections) || id != sectionCustom && sections[id] != nil {
			return nil, errMalformed
		}
		sections[id] = append([]byte{}, content...)
	}
	w := &rewriter{}
	for _, id := range []byte{
		sectionType, sectionImport, sectionFunction, sectionTable, 5, sectionGlobal, sectionExport, sectionElement,
		sectionCount, sectionCode, sectionData,
	} {
		r := &moduleReader{rest: sections[id]}
		content, err := w.section(id, r, sections[sectionStart])
		switch {
		case err != nil:
			return nil, err
		case r.short:
			return nil, errMalformed
		case content != nil:
			out = append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
		}
	}
	return out, nil
}

// rewriter is what metered has read of a module.
type rewriter struct {
	global []byte   // the number of the global that holds the fuel
	params []uint64 // how many parameters each type has
	types  []uint64 // of each function
}

// section returns what becomes of a section, nil for nothing.
func (w *rewriter) section(id byte, r *moduleReader, start []byte) ([]byte, error) {
	switch id {
	case sectionType:
		return w.typeSection(r)
	case sectionImport:
		if r.count() > 0 {
			return nil, errors.New("it has imports")
		}
		own := append([]byte{1, byte(len(hostName))}, hostName...)
		own = append(append(own, byte(len(checkName))), checkName...)
		return binary.AppendUvarint(append(own, 0), uint64(len(w.params))), nil
	case sectionGlobal:
		n := r.count()
		w.global = binary.AppendUvarint(nil, n)
		out := binary.AppendUvarint(nil, n+1)
		for ; n > 0 && !r.short; n-- {
			text := r.rest
			r.valueTypes(1)
			r.byte() // whether it is mutable
			out = r.expression(append(out, text[:len(text)-len(r.rest)]...))
		}
		return append(out, typeOfI64, 1, opI64Const, 0, opEnd), nil
	case sectionExport:
		return w.exports(r, start)
	}
	if r.rest == nil {
		return nil, nil
	}
	switch id {
	case sectionFunction:
		content := r.rest
		for n := r.number(); n > 0 && !r.short; n-- {
			w.types = append(w.types, r.number())
		}
		return content, nil
	case sectionElement:
		return elements(r)
	case sectionCode:
		return w.code(r)
	}
	return r.rest, nil
}

// typeSection adds the type of a function without arguments and results.
func (w *rewriter) typeSection(r *moduleReader) ([]byte, error) {
	n := r.count()
	out := append(binary.AppendUvarint(nil, n+1), r.rest...)
	for ; n > 0 && !r.short; n-- {
		if r.byte() != 0x60 {
			return nil, errMalformed
		}
		params := r.number()
		r.valueTypes(params)
		r.valueTypes(r.number())
		w.params = append(w.params, params)
	}
	return append(out, 0x60, 0, 0), nil
}

// exports adds the fuel, and the function of the start section.
func (w *rewriter) exports(r *moduleReader, start []byte) ([]byte, error) {
	add := func(out []byte, name string, kind byte, index []byte) []byte {
		out = append(binary.AppendUvarint(out, uint64(len(name))), name...)
		return append(append(out, kind), index...)
	}
	n := r.count()
	count := n + 1
	if start != nil {
		count++
	}
	out := binary.AppendUvarint(nil, count)
	for ; n > 0 && !r.short; n-- {
		name, kind, index := string(r.bytes(r.number())), r.byte(), r.number()
		if strings.HasPrefix(name, ownNames) {
			return nil, fmt.Errorf("it exports a name that begins with %s", ownNames)
		}
		if kind == 0 {
			index++
		}
		out = add(out, name, kind, binary.AppendUvarint(nil, index))
	}
	out = add(out, fuelName, 3, w.global)
	if start != nil {
		s := &moduleReader{rest: start}
		out = add(out, startName, 0, binary.AppendUvarint(nil, s.number()+1))
	}
	return out, nil
}

// elements gives the functions of tables their new numbers.
func elements(r *moduleReader) ([]byte, error) {
	n := r.number()
	out := binary.AppendUvarint(nil, n)
	for ; n > 0 && !r.short; n-- {
		// Bit 0 is for segments that are not active, bit 1 for those of a table with a
		// number or that are declared alone, bit 2 for expressions instead of numbers.
		flags := r.number()
		if flags > 7 {
			return nil, errMalformed
		}
		out = binary.AppendUvarint(out, flags)
		if flags&3 == 2 {
			out = binary.AppendUvarint(out, r.number())
		}
		if flags&1 == 0 {
			out = r.expression(out)
		}
		if flags&3 != 0 {
			out = append(out, r.byte()) // the kind
		}
		count := r.number()
		out = binary.AppendUvarint(out, count)
		for ; count > 0 && !r.short; count-- {
			if flags&4 != 0 {
				out = r.expression(out)
			} else {
				out = binary.AppendUvarint(out, r.number()+1)
			}
		}
	}
	return out, nil
}

// expression copies a constant expression, with the new numbers of functions.
func (r *moduleReader) expression(out []byte) []byte {
	for {
		before := r.rest
		op, _, ok := r.instruction()
		if !ok {
			r.short = true
			return out
		}
		out = renumbered(out, op, before[:len(before)-len(r.rest)])
		if op == opEnd {
			return out
		}
	}
}

// renumbered appends an instruction. If it names a function, that has its new number.
func renumbered(out []byte, op byte, text []byte) []byte {
	if op != opCall && op != opRefFunc {
		return append(out, text...)
	}
	index, _ := binary.Uvarint(text[1:])
	return binary.AppendUvarint(append(out, op), index+1)
}

// code puts charges into all functions.
func (w *rewriter) code(r *moduleReader) ([]byte, error) {
	n := r.number()
	if n != uint64(len(w.types)) {
		return nil, errMalformed
	}
	out := binary.AppendUvarint(nil, n)
	for _, kind := range w.types {
		body := r.bytes(r.number())
		if r.short || kind >= uint64(len(w.params)) {
			return nil, errMalformed
		}
		changed, err := w.function(body, w.params[kind])
		if err != nil {
			return nil, err
		}
		out = append(binary.AppendUvarint(out, uint64(len(changed))), changed...)
	}
	return out, nil
}

// function puts charges into the body of a function with so many parameters.
func (w *rewriter) function(body []byte, params uint64) ([]byte, error) {
	r := &moduleReader{rest: body}
	groups, locals := r.number(), params
	declared := r.rest
	for n := groups; n > 0 && !r.short; n-- {
		locals += r.number()
		r.valueTypes(1)
	}
	if r.short {
		return nil, errMalformed
	}
	declared = declared[:len(declared)-len(r.rest)]
	costs, bulk, err := costsOf(*r)
	if err != nil {
		return nil, err
	}
	out := append(binary.AppendUvarint(nil, groups), declared...)
	scratch := binary.AppendUvarint(nil, locals)
	if bulk {
		out = append(append(binary.AppendUvarint(nil, groups+1), declared...), 1, typeOfI32)
	}
	out = w.charge(out, costs[0])
	for loops := 1; len(r.rest) > 0; {
		before := r.rest
		op, misc, _ := r.instruction()
		if op == opMisc && isBulk(misc) {
			out = w.chargeTop(out, scratch)
		}
		out = renumbered(out, op, before[:len(before)-len(r.rest)])
		if op == opLoop {
			out = w.charge(out, costs[loops])
			loops++
		}
	}
	return out, nil
}

// charge takes a cost from the fuel.
func (w *rewriter) charge(out []byte, cost int64) []byte {
	out = append(append(append(out, opGlobalGet), w.global...), opI64Const)
	return w.spend(appendSigned(out, cost))
}

// chargeTop takes an 8th of the i32 on top of the stack from the fuel, by way of a
// local variable.
func (w *rewriter) chargeTop(out, scratch []byte) []byte {
	out = append(append(out, opLocalSet), scratch...)
	out = append(append(append(out, opGlobalGet), w.global...), opLocalGet)
	out = append(append(out, scratch...), opI64ExtendU32, opI64Const, 3, opI64ShrU)
	return append(append(w.spend(out), opLocalGet), scratch...)
}

// spend subtracts what is on top of the stack from the fuel below it, keeps the
// difference, and asks for more where it is below zero.
func (w *rewriter) spend(out []byte) []byte {
	out = append(append(out, opI64Sub, opGlobalSet), w.global...)
	out = append(append(out, opGlobalGet), w.global...)
	return append(out, opI64Const, 0, opI64LessS, opIf, emptyBlock, opCall, 0, opEnd)
}

// costsOf counts the instructions of a function that are in no loop, and then those
// of each loop, in the order in which they begin, that are in no loop inside of it.
// bulk says whether some take as long as an argument says.
func costsOf(r moduleReader) (costs []int64, bulk bool, err error) {
	costs = []int64{0}
	current := 0   // who pays for the next instruction
	var open []int // who pays behind the end of each open block
	for {
		op, misc, ok := r.instruction()
		if !ok {
			return nil, false, fmt.Errorf("it has an instruction %#x, which kerf does not know", op)
		}
		costs[current]++
		switch {
		case op == opBlock || op == opIf:
			open = append(open, current)
		case op == opLoop:
			open = append(open, current)
			current = len(costs)
			costs = append(costs, 0)
		case op == opMisc && isBulk(misc):
			bulk = true
		case op == opEnd && len(open) > 0:
			current, open = open[len(open)-1], open[:len(open)-1]
		case op == opEnd:
			if len(r.rest) > 0 {
				return nil, false, errMalformed
			}
			return costs, bulk, nil
		}
	}
}

// appendSigned appends a signed LEB128.
func appendSigned(dst []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}
