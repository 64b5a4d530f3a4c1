package external_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel/external"
)

// A value takes as many instructions as one counts by hand: 5 of kernel outside of
// its loop, and 32 in each pass, of which there is one more than numbers.
func TestFuelIsCounted(t *testing.T) {
	for _, n := range []int{0, 1, 3, 100} {
		x := data.Dense(slices.Repeat([]float64{2}, n)...)
		fuel := int64(5 + 32*(n+1))
		enough := openModule[data.Vector](t, linearModule(), external.WasmOptions{Fuel: fuel})
		for range 3 { // each value has all of it
			if v := enough.Eval(x, x); v != float64(4*n) || enough.Err() != nil {
				t.Fatalf("%d numbers: %v, %v", n, v, enough.Err())
			}
		}
		short := openModule[data.Vector](t, linearModule(), external.WasmOptions{Fuel: fuel - 1})
		want := fmt.Sprintf("used up its fuel: a value may take %d instructions", fuel-1)
		if v := short.Eval(x, x); !math.IsNaN(v) || !strings.Contains(short.Err().Error(), want) {
			t.Errorf("%d numbers with one instruction less: %v, %v", n, v, short.Err())
		}
	}
}

// What never ends stops when the fuel is used up, wherever it is.
func TestFuelEnds(t *testing.T) {
	// loop memory.fill(0, 0, 65536) br 0 end unreachable: 7 instructions and 8,192 for the bytes
	fills := code(slices.Concat([]byte{0x03, 0x40, 0x41, 0, 0x41, 0, 0x41}, signed(pageBytes), []byte{0xfc, 0x0b, 0x00,
		0x0c, 0x00, 0x0b, 0x00})...)
	for name, c := range map[string]struct {
		m    module
		fuel int64
	}{
		"kernel": {module{alloc: bump(), kernel: endless()}, 1e6},
		"alloc":  {module{alloc: endless(), kernel: number(1)}, 1e6},
		"grows":  {module{alloc: bump(), kernel: growing(false)}, 1e6},
		"fills":  {module{alloc: bump(), kernel: fills}, 1e6},
		"itself": {module{alloc: bump(), kernel: code(0x20, 0, 0x20, 0, 0x20, 0, 0x20, 0, 0x10, 1)}, 1e4},
	} {
		t.Run(name, func(t *testing.T) {
			k := openModule[string](t, c.m.bytes(), external.WasmOptions{Fuel: c.fuel, Timeout: time.Minute})
			_ = k.Eval("a", "b")
			var input *data.InputError
			if err := k.Err(); !errors.As(err, &input) || !strings.Contains(err.Error(), "used up its fuel") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
		})
	}
	for name, m := range map[string][]byte{
		"start section": {8, 1, 2}, "_initialize": nil,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := external.NewWasm[string](t.Context(), "m", starting(m), external.WasmOptions{Fuel: 1e6})
			if err == nil || !strings.Contains(err.Error(), "used up its fuel") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// starting is a module with an endless function 2 of no arguments, that a section
// names, or that is exported as _initialize.
func starting(start []byte) []byte {
	export := func(name string, kind, index byte) []byte {
		return slices.Concat(unsigned(len(name)), []byte(name), []byte{kind, index})
	}
	exports := [][]byte{export("alloc", 0, 0), export("kernel", 0, 1), export("memory", 2, 0)}
	if start == nil {
		exports = append(exports, export("_initialize", 0, 2))
	}
	body := func(b []byte) []byte { return slices.Concat(unsigned(len(b)), b) }
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 1, typeI32, 1, typeI32}, []byte{0x60, 4, typeI32, typeI32, typeI32, typeI32, 1, typeF64},
			[]byte{0x60, 0, 0}),
		section(3, []byte{0}, []byte{1}, []byte{2}), section(5, []byte{0, 1}), section(7, exports...), start,
		section(10, body(constant(8)), body(number(1)), body(endless())))
}

// Functions have other numbers in a module with fuel, wherever they are named: by
// calls, segments of tables in each of their forms, globals and references.
func TestFuelRenumbers(t *testing.T) {
	answers := func(v float64) []byte { return number(v) }
	body := func(b []byte) []byte { return slices.Concat(unsigned(len(b)), b) }
	export := func(name string, kind, index byte) []byte {
		return slices.Concat(unsigned(len(name)), []byte(name), []byte{kind, index})
	}
	at := func(n byte) []byte { return []byte{0x41, n, 0x0b} }
	// Functions 2 to 6 return 1, 10, 100, … and stand at places 0 to 4 of the table.
	segments := [][]byte{
		slices.Concat([]byte{0}, at(0), []byte{1, 2}),
		slices.Concat([]byte{2, 0}, at(1), []byte{0, 1, 3}),
		slices.Concat([]byte{4}, at(2), []byte{1, 0xd2, 4, 0x0b}),
		slices.Concat([]byte{6, 0}, at(3), []byte{0x70, 1, 0xd2, 5, 0x0b}),
		{1, 0, 1, 6}, // passive: table.init puts it at 4
		{5, 0x70, 1, 0xd0, 0x70, 0x0b},
		{3, 0, 1, 6},
		{7, 0x70, 1, 0xd2, 6, 0x0b},
	}
	call := func(place byte) []byte { return []byte{0x41, place, 0x11, 2, 0, 0xa0} }
	kernel := code(slices.Concat([]byte{0x41, 4, 0x41, 0, 0x41, 1, 0xfc, 0x0c, 4, 0}, // table.init
		[]byte{0x41, 5, 0x23, 0, 0x26, 0}, // table.set of the global
		[]byte{0x41, 6, 0xd2, 6, 0x26, 0}, // and of a reference
		[]byte{0x10, 2}, call(0), call(1), call(2), call(3), call(4), call(5), call(6))...)
	m := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 1, typeI32, 1, typeI32}, []byte{0x60, 4, typeI32, typeI32, typeI32, typeI32, 1, typeF64},
			[]byte{0x60, 0, 1, typeF64}),
		section(3, []byte{0}, []byte{1}, []byte{2}, []byte{2}, []byte{2}, []byte{2}, []byte{2}),
		section(4, []byte{0x70, 1, 10, 10}), section(5, []byte{0, 1}),
		section(6, []byte{0x70, 0, 0xd2, 3, 0x0b}),
		section(7, export("alloc", 0, 0), export("kernel", 0, 1), export("memory", 2, 0)),
		section(9, segments...),
		section(10, body(constant(8)), body(kernel), body(answers(1)), body(answers(10)), body(answers(100)),
			body(answers(1000)), body(answers(10_000))))
	k := openModule[string](t, m, external.WasmOptions{})
	// 2 is called and at place 0, 3 at 1 and in the global, 6 at 4 and by reference.
	if v := k.Eval("a", "b"); v != 2+20+100+1000+20_000 {
		t.Errorf("value %v, %v", v, k.Err())
	}
}

func TestFuelRefuses(t *testing.T) {
	m := starting([]byte{8, 1, 2})
	named := bytes.Replace(m, []byte("\x06memory"), []byte("\x06kerf:f"), 1)
	for name, c := range map[string]struct {
		code []byte
		want string
	}{
		"empty":             {nil, ""},
		"a name of kerf's":  {named, "begins with kerf:"},
		"cut":               {m[:len(m)-3], "sections or types"},
		"twice":             {append(slices.Clone(m), m[8:]...), "sections or types"},
		"unknown section":   {append(slices.Clone(m), 77, 0), "sections or types"},
		"threads":           {module{alloc: bump(), kernel: code(0xfe, 0x03, 0x00)}.bytes(), "instruction 0xfe"},
		"calls at the tail": {module{alloc: bump(), kernel: code(0x12, 0x00)}.bytes(), "instruction 0x12"},
	} {
		_, err := external.Metered(c.code)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

// writer makes valid code of any bytes: two i32 and two f64 are local variables, and
// statements leave the stack as it was.
type writer struct {
	choices []byte
	depth   int // of nested blocks
	size    int // statements to go
}

func (w *writer) choose(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	c := int(w.choices[0])
	w.choices = w.choices[1:]
	return c % n
}

// i32 is code that leaves an i32.
func (w *writer) i32(deep int) []byte {
	c := w.choose(12)
	if deep == 0 {
		c %= 3
	}
	two := func(op ...byte) []byte { return slices.Concat(w.i32(deep-1), w.i32(deep-1), op) }
	switch c {
	case 0:
		return []byte{0x20, byte(4 + w.choose(2))}
	case 1:
		return append([]byte{0x41}, signed(w.choose(256)-128)...)
	case 2:
		return []byte{0x3f, 0x00} // memory.size
	case 3:
		return two(0x6a)
	case 4:
		return two(0x73)
	case 5:
		return two(0x4a)
	case 6:
		return slices.Concat(w.i32(deep-1), []byte{0xc0}) // i32.extend8_s
	case 7:
		return slices.Concat(w.f64(deep-1), []byte{0xfc, 0x02}) // i32.trunc_sat_f64_s
	case 8:
		return slices.Concat(w.i32(deep-1), []byte{0x41, 0xff, 0x01, 0x71, 0x2d, 0x00, 0x10}) // a byte of memory
	case 9:
		return slices.Concat(two(), w.i32(deep-1), []byte{0x1c, 1, typeI32}) // select
	case 10: // lanes of vectors
		return slices.Concat(w.i32(deep-1), []byte{0xfd, 0x11}, w.i32(deep-1),
			[]byte{0xfd, 0x11, 0xfd, 0xae, 0x01, 0xfd, 0x1b, byte(w.choose(4))})
	}
	return slices.Concat(w.i32(deep-1), []byte{0x02, 0x40, 0x0b, 0x01}) // an empty block, and nop
}

// f64 is code that leaves an f64.
func (w *writer) f64(deep int) []byte {
	c := w.choose(6)
	if deep == 0 {
		c %= 2
	}
	switch c {
	case 0:
		return []byte{0x20, byte(6 + w.choose(2))}
	case 1:
		return binary.LittleEndian.AppendUint64([]byte{0x44}, math.Float64bits(float64(w.choose(64))/8))
	case 2:
		return slices.Concat(w.f64(deep-1), w.f64(deep-1), []byte{0xa0})
	case 3:
		return slices.Concat(w.f64(deep-1), w.f64(deep-1), []byte{0xa2})
	case 4:
		return slices.Concat(w.i32(deep-1), []byte{0xb7})
	}
	// if with a result
	return slices.Concat(w.i32(deep-1), []byte{0x04, typeF64}, w.f64(deep-1), []byte{0x05}, w.f64(deep-1), []byte{0x0b})
}

// statements is code that leaves the stack as it is.
func (w *writer) statements() (out []byte) {
	for range 1 + w.choose(4) {
		if w.size--; w.size < 0 {
			return out
		}
		out = append(out, w.statement()...)
	}
	return out
}

func (w *writer) statement() []byte {
	inside := func() []byte {
		w.depth++
		defer func() { w.depth-- }()
		return w.statements()
	}
	switch w.choose(11) {
	case 0:
		return slices.Concat(w.i32(3), []byte{0x21, byte(4 + w.choose(2))})
	case 1:
		return slices.Concat(w.f64(3), []byte{0x21, byte(6 + w.choose(2))})
	case 2:
		return slices.Concat([]byte{0x02, 0x40}, inside(), []byte{0x0b})
	case 3: // a loop, that may go on for ever
		return slices.Concat([]byte{0x03, 0x40}, inside(), w.i32(2), []byte{0x0d, 0x00, 0x0b})
	case 4: // a loop that counts
		return slices.Concat([]byte{0x03, 0x40}, inside(),
			[]byte{0x20, 4, 0x41, 1, 0x6b, 0x41, 15, 0x71, 0x22, 4, 0x0d, 0x00, 0x0b})
	case 5:
		return slices.Concat(w.i32(2), []byte{0x04, 0x40}, inside(), []byte{0x05}, inside(), []byte{0x0b})
	case 6:
		if w.depth > 0 {
			return slices.Concat(w.i32(2), []byte{0x0d, byte(w.choose(w.depth))})
		}
	case 7:
		if w.depth > 0 { // br_table, and what is behind it is never reached
			return slices.Concat([]byte{0x02, 0x40}, w.i32(2), []byte{0x0e, 2, 0, byte(w.choose(w.depth + 1)), 0, 0x0b})
		}
	case 8: // memory.fill and memory.copy of up to 255 bytes
		small := func() []byte { return slices.Concat(w.i32(1), []byte{0x41, 0xff, 0x01, 0x71}) }
		return slices.Concat(small(), w.i32(1), small(), []byte{0xfc, 0x0b, 0}, small(), small(), small(),
			[]byte{0xfc, 0x0a, 0, 0})
	case 9:
		return slices.Concat(w.i32(1), []byte{0x10, 0, 0x1a}) // alloc
	}
	return []byte{0x20, 5, 0x41, 1, 0x6a, 0x21, 5}
}

// written is a module whose kernel is made of any bytes.
func written(choices []byte) []byte {
	w := &writer{choices: choices, size: 60}
	body := slices.Concat([]byte{2, 2, typeI32, 2, typeF64}, w.statements(), w.f64(3), []byte{0x0b})
	return module{alloc: bump(), kernel: body}.bytes()
}

// outcome is what a module answers to kernel(16, 1, 32, 2).
type outcome struct {
	value uint64
	trap  string
	dry   bool // the fuel was used up
}

// answerOf runs a module, with fuel if it counts. It is false for one that is not
// valid, or is no kernel.
func answerOf(t *testing.T, code []byte, fuel uint64) (o outcome, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(16).
		WithCloseOnContextDone(true))
	defer r.Close(context.WithoutCancel(ctx))
	_, err := r.NewHostModuleBuilder("kerf").NewFunctionBuilder().WithFunc(func() {
		o.dry = true
		panic("dry")
	}).Export("check").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := r.CompileModule(ctx, code)
	if err != nil {
		return o, false
	}
	m, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		return o, false
	}
	kernel := m.ExportedFunction("kernel")
	if kernel == nil || len(kernel.Definition().ParamTypes()) != 4 || len(kernel.Definition().ResultTypes()) != 1 {
		return o, false
	}
	if g, is := m.ExportedGlobal(external.FuelName).(api.MutableGlobal); is {
		g.Set(fuel)
	}
	values, err := kernel.Call(ctx, 16, 1, 32, 2)
	if err != nil {
		o.trap, _, _ = strings.Cut(err.Error(), "\n")
	} else {
		o.value = values[0]
	}
	return o, true
}

// checkFuel holds that a module without start section gives the same with fuel as
// without, where that is enough.
func checkFuel(t *testing.T, code []byte) {
	t.Helper()
	changed, err := external.Metered(code)
	if err != nil || bytes.Contains(changed, []byte("kerf:start")) {
		return
	}
	got, ok := answerOf(t, changed, 200_000)
	if !ok || got.dry {
		return // whether it should be ok is seen where code is written
	}
	want, ok := answerOf(t, code, 0)
	if ok && got != want {
		t.Errorf("%x with fuel is %+v, without %+v", code, got, want)
	}
}

// What any bytes say is a valid module with fuel, and gives the same.
func FuzzFuel(f *testing.F) {
	for i := range 60 {
		f.Add(bytes.Repeat([]byte{byte(7 * i), byte(3*i + 1), byte(i * i), 4, byte(i), 9, 200}, 1+i%9))
	}
	for _, m := range [][]byte{linearModule(), lettersModule(), starting(nil), starting([]byte{8, 1, 2})} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 4096 {
			return
		}
		code := written(choices)
		changed, err := external.Metered(code)
		if err != nil {
			t.Fatalf("%x: %v", code, err)
		}
		if _, ok := answerOf(t, changed, 1000); !ok {
			t.Fatalf("%x is not valid with fuel", code)
		}
		checkFuel(t, code)
		// The bytes as they are, and as bodies of a module.
		_, _ = external.Metered(choices)
		if choices, err := external.Bare(choices); err == nil && valid(t, choices) {
			checkFuel(t, choices)
		}
		_, _ = external.Metered(module{alloc: bump(), kernel: choices}.bytes())
	})
}

// valid reports whether wazero takes a module, and no import is missing.
func valid(t *testing.T, code []byte) bool {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(16))
	defer r.Close(t.Context())
	m, err := r.CompileModule(t.Context(), code)
	return err == nil && len(m.ImportedFunctions()) == 0
}

// TestBombs are modules of a few bytes that say to hold more than any memory.
func TestBombs(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	section := func(id byte, content ...byte) []byte {
		return append(append([]byte("\x00asm\x01\x00\x00\x00"), id, byte(len(content))), content...)
	}
	for _, id := range []byte{1, 2, 3, 4, 5, 6, 7, 9, 10, 11} {
		if _, err := external.Bare(section(id, huge...)); err == nil {
			t.Errorf("section %d is taken", id)
		}
	}
	for _, m := range [][]byte{
		section(1, append([]byte{1, 0x60}, huge...)...),                 // parameters
		section(11, append([]byte{1, 0, 0x41, 0, 0x0b}, huge...)...),    // bytes of data
		section(11, append([]byte{1, 2, 0, 0x41, 0, 0x0b}, huge...)...), // of a memory with a number
		section(11, append([]byte{1, 1}, huge...)...),
	} {
		if _, err := external.Bare(m); err == nil {
			t.Errorf("%x is taken", m)
		}
	}
	names := section(0, append([]byte{4, 'n', 'a', 'm', 'e', 1, 5}, huge...)...)
	if got, err := external.Bare(names); err != nil || len(got) != 8 {
		t.Errorf("a section of names: %x, %v", got, err)
	}
	for _, m := range [][]byte{linearModule(), lettersModule()} {
		if got, err := external.Bare(m); err != nil || !bytes.Equal(got, m) {
			t.Errorf("a module without custom sections changes: %v", err)
		}
	}
}

// BenchmarkFuel is ⟨x, y⟩ of 1,000 numbers, without limits, with fuel, and with
// wazero's own question at each pass of a loop, whether the context has ended.
func BenchmarkFuel(b *testing.B) {
	plain := linearModule()
	changed, err := external.Metered(plain)
	if err != nil {
		b.Fatal(err)
	}
	for name, code := range map[string][]byte{"plain": plain, "fuel": changed, "asked": plain} {
		b.Run(name, func(b *testing.B) {
			r := wazero.NewRuntimeWithConfig(b.Context(), wazero.NewRuntimeConfig().WithCloseOnContextDone(name == "asked"))
			defer r.Close(b.Context())
			if _, err := r.NewHostModuleBuilder("kerf").NewFunctionBuilder().WithFunc(func() { panic("dry") }).
				Export("check").Instantiate(b.Context()); err != nil {
				b.Fatal(err)
			}
			m, err := r.Instantiate(b.Context(), code)
			if err != nil {
				b.Fatal(err)
			}
			if g, is := m.ExportedGlobal(external.FuelName).(api.MutableGlobal); is {
				g.Set(math.MaxInt64)
			}
			kernel, stack := m.ExportedFunction("kernel"), make([]uint64, 4)
			for b.Loop() {
				copy(stack, []uint64{1024, 1000, 16384, 1000})
				if err := kernel.CallWithStack(b.Context(), stack); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
