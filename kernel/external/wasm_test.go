package external_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel/external"
	"github.com/kerf-ml/kerf/run"
)

func openModule[T external.Instance](t *testing.T, code []byte, o external.WasmOptions) *external.Wasm[T] {
	t.Helper()
	k, err := external.NewWasm[T](t.Context(), "test.wasm", code, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// inOrder is ⟨x, y⟩ summed as the module does, from the first coordinate on.
func inOrder(x, y data.Vector) float64 {
	sum := 0.0
	a, b := make([]float64, 10), make([]float64, 10)
	x.CopyTo(a)
	y.CopyTo(b)
	for j := range a {
		sum += a[j] * b[j]
	}
	return sum
}

func TestWasm(t *testing.T) {
	t.Run("vectors", func(t *testing.T) {
		checkBlocks(t, openModule[data.Vector](t, linearModule(), external.WasmOptions{}), someVectors(), inOrder)
	})
	t.Run("strings", func(t *testing.T) {
		checkBlocks(t, openModule[string](t, lettersModule(), external.WasmOptions{}), someStrings(), equalLetters)
	})
	t.Run("sets", func(t *testing.T) {
		joined := func(s data.Set) string {
			all := ""
			for _, item := range s {
				all += item + "\x00"
			}
			return all
		}
		checkBlocks(t, openModule[data.Set](t, lettersModule(), external.WasmOptions{}), someSets(),
			func(x, y data.Set) float64 {
				return equalLetters(joined(x), joined(y))
			})
	})
}

// TestWasmGrowing has instances that are longer and longer, so that the module is
// asked for room again and its memory grows.
func TestWasmGrowing(t *testing.T) {
	k := openModule[string](t, lettersModule(), external.WasmOptions{})
	for n := 1; n <= 1<<22; n *= 4 {
		x := strings.Repeat("a", n)
		if got := k.Eval(x, x); got != float64(n) {
			t.Fatalf("%d letters: %v, %v", n, got, k.Err())
		}
	}
}

func TestWasmConcurrent(t *testing.T) {
	k := openModule[string](t, lettersModule(), external.WasmOptions{})
	x := someStrings()
	err := par.For(t.Context(), run.Control{Workers: 4}, "", 200, func(i int) error {
		dst := make([]float64, len(x))
		if err := k.EvalBlock(dst, x[i%len(x):i%len(x)+1], x); err != nil {
			return err
		}
		for j := range x {
			if want := equalLetters(x[i%len(x)], x[j]); dst[j] != want {
				return fmt.Errorf("K = %v, want %v", dst[j], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWasmFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "linear.wasm")
	if err := os.WriteFile(path, linearModule(), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := external.OpenWasm[data.Vector](t.Context(), path, external.WasmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if v := k.Eval(data.Dense(1, 2), data.Dense(3, 4)); v != 11 || k.String() != "wasm:"+path {
		t.Errorf("%v: %v, %v", k, v, k.Err())
	}
	for range 2 {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
	if v := k.Eval(data.Dense(1), data.Dense(1)); !math.IsNaN(v) || k.Err() == nil {
		t.Errorf("a closed kernel gives %v, %v", v, k.Err())
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "none"): "no such file", folder: "is a folder", os.DevNull: "is a folder or a device",
	} {
		_, err := external.OpenWasm[data.Vector](t.Context(), path, external.WasmOptions{})
		var input *data.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) || input.File != "wasm:"+path {
			t.Errorf("error %v", err)
		}
	}
}

func TestWasmNoKernel(t *testing.T) {
	good := linearModule()
	for name, c := range map[string]struct {
		code []byte
		want string
	}{
		"empty":        {nil, "no WebAssembly module"},
		"text":         {[]byte("(module)"), "no WebAssembly module"},
		"cut":          {good[:len(good)-5], "no WebAssembly module"},
		"empty module": {module{}.bytes(), "lacks an exported memory"},
		"no memory":    {module{alloc: bump(), kernel: number(1), noMemory: true}.bytes(), "lacks an exported memory"},
		"no alloc":     {module{kernel: number(1)}.withMemory().bytes(), "lacks an exported function alloc(i32) i32"},
		"no kernel":    {module{alloc: bump()}.withMemory().bytes(), "lacks an exported function kernel"},
		"wrong signature": {module{alloc: bump(), kernel: number(1), swapped: true}.bytes(),
			"lacks an exported function alloc(i32) i32"},
		"too much memory": {module{alloc: bump(), kernel: number(1), pages: 2000}.bytes(), "wasm"},
		"imports a function": {module{alloc: constant(8), kernel: number(1), imports: []byte{0, 0}}.bytes(),
			`imports "there" of "else"`},
		"imports a table": {module{alloc: constant(8), kernel: number(1), imports: []byte{1, 0x70, 0, 1}}.bytes(),
			`imports "there" of "else"`},
		"imports a global": {module{alloc: constant(8), kernel: number(1), imports: []byte{3, typeI32, 0}}.bytes(),
			`imports "there" of "else"`},
		"table without bound": {module{alloc: bump(), kernel: number(1), table: []byte{0x70, 0, 1}}.bytes(),
			"tables of the module may grow past 1048576 entries"},
		"large table": {module{alloc: bump(), kernel: number(1),
			table: slices.Concat([]byte{0x70, 1, 1}, unsigned(1<<20+1))}.bytes(), "tables of the module may grow"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := external.NewWasm[string](t.Context(), "m", c.code, external.WasmOptions{})
			var input *data.InputError
			if !errors.As(err, &input) || input.File != "wasm:m" || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestWasmFaults(t *testing.T) {
	for name, c := range map[string]struct {
		m    module
		o    external.WasmOptions
		want string
	}{
		"trap":          {module{alloc: bump(), kernel: code(0x00)}, external.WasmOptions{}, "unreachable"},
		"trap in alloc": {module{alloc: code(0x00), kernel: number(1)}, external.WasmOptions{}, "unreachable"},
		"endless": {module{alloc: bump(), kernel: endless()}, external.WasmOptions{Timeout: 100 * time.Millisecond},
			"within 100ms"},
		"endless alloc": {module{alloc: endless(), kernel: number(1)},
			external.WasmOptions{Timeout: 100 * time.Millisecond}, "within 100ms"},
		"grows": {module{alloc: bump(), kernel: growing(false)}, external.WasmOptions{Timeout: 100 * time.Millisecond},
			"within 100ms"},
		"grows until it cannot": {module{alloc: bump(), kernel: growing(true)}, external.WasmOptions{Memory: 4 << 20},
			"it may use 4 MiB of memory"},
		"outside": {module{alloc: code(0x41, 0x7f), kernel: number(1)}, external.WasmOptions{},
			"outside of the module's memory"},
		"just outside": {module{alloc: constant(pageBytes - 1023), kernel: number(1)}, external.WasmOptions{},
			"outside of the module's memory"},
		"NaN":      {module{alloc: bump(), kernel: number(math.NaN())}, external.WasmOptions{}, "not finite"},
		"infinity": {module{alloc: bump(), kernel: number(math.Inf(-1))}, external.WasmOptions{}, "not finite"},
		"reads too far": {module{alloc: bump(), kernel: code(0x41, 0x7f, 0x2b, 0x03, 0x00)}, external.WasmOptions{},
			"out of bounds"},
		"too much memory": {module{alloc: bump(), kernel: letters()}, external.WasmOptions{Memory: 1 << 20}, "unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			k := openModule[string](t, c.m.bytes(), c.o)
			begun := time.Now()
			x := "abc"
			if name == "too much memory" {
				x = strings.Repeat("a", 1<<20)
			}
			v := k.Eval(x, x)
			err := k.Err()
			var input *data.InputError
			if !math.IsNaN(v) || !errors.As(err, &input) || input.File != "wasm:test.wasm" ||
				!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("value %v, error %v, want %s", v, err, c.want)
			}
			if again := k.EvalBlock(make([]float64, 1), []string{x}, []string{x}); again != err {
				t.Errorf("error %v, then %v", err, again)
			}
			if k.Close() != err {
				t.Error("Close does not return the fault")
			}
			if took := time.Since(begun); took > 10*time.Second { // and not until the limit of half a minute
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestWasmTable has a table with a maximum, which a module may have.
func TestWasmTable(t *testing.T) {
	k := openModule[string](t, module{alloc: bump(), kernel: letters(), table: []byte{0x70, 1, 1, 2}}.bytes(),
		external.WasmOptions{})
	if v := k.Eval("abc", "abd"); v != 2 {
		t.Errorf("value %v, %v", v, k.Err())
	}
}

func TestWasmCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k, err := external.NewWasm[string](ctx, "m", module{alloc: bump(), kernel: endless()}.bytes(), external.WasmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	if v := k.Eval("a", "a"); !math.IsNaN(v) || !errors.Is(k.Err(), context.Canceled) {
		t.Errorf("value %v, %v", v, k.Err())
	}
	if took := time.Since(begun); took > 10*time.Second { // and not until the limit of half a minute
		t.Errorf("it took %v", took)
	}
	if _, err := external.NewWasm[string](ctx, "m", linearModule(), external.WasmOptions{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestWasmBadInstance has a vector that is too wide; the kernel goes on.
func TestWasmBadInstance(t *testing.T) {
	k := openModule[data.Vector](t, linearModule(), external.WasmOptions{})
	wide := data.Vector{Index: []int32{1 << 30}, Value: []float64{1}}
	if err := k.EvalBlock(make([]float64, 1), []data.Vector{wide}, []data.Vector{wide}); err == nil ||
		!strings.Contains(err.Error(), "coordinates") {
		t.Errorf("error %v", err)
	}
	if v := k.Eval(data.Dense(2), data.Dense(3)); v != 6 || k.Err() != nil {
		t.Errorf("value %v, %v", v, k.Err())
	}
}

func ExampleNewWasm() {
	k, err := external.NewWasm[data.Vector](context.Background(), "linear.wasm", linearModule(), external.WasmOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer k.Close()
	fmt.Println(k, k.Eval(data.Dense(1, 2), data.Dense(3, 4)))
	// Output: wasm:linear.wasm 11
}

func BenchmarkWasm(b *testing.B) {
	k, err := external.NewWasm[string](b.Context(), "m", lettersModule(), external.WasmOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close()
	for b.Loop() {
		_ = k.Eval("ACGTACGT", "ACGTACCT")
	}
}
