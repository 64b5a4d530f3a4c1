package external

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/kerf-ml/kerf/data"
)

// DefaultMemory is how many bytes of memory each copy of a module may use, unless
// options say otherwise.
const DefaultMemory = 64 << 20

// DefaultFuel is how many instructions a module may execute for one value, unless
// options say otherwise: some seconds on most machines, and less than DefaultTimeout.
const DefaultFuel = 10_000_000_000

const (
	pageSize  = 64 << 10
	maxModule = 16 << 20 // bytes of a module's file
)

// WasmOptions say how to run a module. The zero value is the default.
type WasmOptions struct {
	Timeout time.Duration // for one value; DefaultTimeout if 0
	Memory  int64         // bytes that each copy may use; DefaultMemory if 0
	Fuel    int64         // instructions for one value; DefaultFuel if 0
}

// Wasm is the kernel of a WebAssembly module: K(x, y) is what its function kernel
// returns. Package external describes the interface.
//
// The module is compiled once. Each goroutine that asks for values at the same
// time as others has a copy of the module with memory of its own; copies are kept
// and used again.
type Wasm[T Instance] struct {
	name     string
	o        WasmOptions
	ctx      context.Context
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	failed   atomic.Pointer[error] // the first fault

	mu   sync.Mutex
	free []*copied // that nobody uses
}

// OpenWasm compiles the module in a file. See NewWasm.
func OpenWasm[T Instance](ctx context.Context, path string, o WasmOptions) (*Wasm[T], error) {
	e := &data.InputError{File: "wasm:" + path}
	info, err := os.Stat(path)
	var code []byte
	if err == nil && info.Size() <= maxModule && info.Mode().IsRegular() {
		code, err = os.ReadFile(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Problem, e.Advice, e.Err = "there is no such file", "check the name and the current folder", err
	case err != nil:
		e.Problem, e.Err = "cannot be read: "+cause(err), err
	case !info.Mode().IsRegular():
		e.Problem, e.Advice = "is a folder or a device, and no file", "name a WebAssembly module"
	case info.Size() > maxModule:
		e.Problem, e.Advice = fmt.Sprintf("is larger than %d MiB", maxModule>>20), "name a WebAssembly module"
	default:
		return NewWasm[T](ctx, path, code, o)
	}
	return nil, e
}

// NewWasm compiles a module. The name stands for it in String and in errors. The
// context bounds the life of the kernel: when it ends, calls under way end with
// its error. Close frees the memory and must be called.
func NewWasm[T Instance](ctx context.Context, name string, code []byte, o WasmOptions) (*Wasm[T], error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Fuel <= 0 {
		o.Fuel = DefaultFuel
	}
	pages := min(max(o.Memory/pageSize, 1), 1<<16)
	k := &Wasm[T]{name: "wasm:" + name, o: o, ctx: ctx}
	k.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().
		WithMemoryLimitPages(uint32(pages)))
	if err := k.compile(code); err != nil {
		_ = k.runtime.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return k, nil
}

// compile compiles the module, checks its interface and makes a first copy, so
// that what is wrong shows at once.
func (k *Wasm[T]) compile(code []byte) error {
	if err := k.ctx.Err(); err != nil {
		return err
	}
	// Only what is valid as it stands can be metered: another module might name what
	// kerf adds.
	code, err := bare(code)
	var compiled wazero.CompiledModule
	if err == nil {
		compiled, err = k.runtime.CompileModule(k.ctx, code)
	}
	if err != nil {
		return k.fault("is no WebAssembly module that kerf can run: "+firstLine(err), wasmAdvice, err)
	}
	defer compiled.Close(context.WithoutCancel(k.ctx))
	if problem, advice := refused(code); problem != "" {
		return k.fault(problem, advice, nil)
	}
	if missing := lacks(compiled); missing != "" {
		return k.fault("the module lacks "+missing, "export memory, alloc(i32) i32 and kernel(i32, i32, i32, i32) f64", nil)
	}
	if code, err = metered(code); err == nil {
		err = offerCheck(k.ctx, k.runtime)
	}
	if err == nil {
		k.compiled, err = k.runtime.CompileModule(k.ctx, code)
	}
	if err != nil {
		return k.fault("is no WebAssembly module whose instructions kerf can count: "+firstLine(err), wasmAdvice, err)
	}
	c, err := k.copy()
	if err != nil {
		return err
	}
	k.free = append(k.free, c)
	return nil
}

const wasmAdvice = "compile it to WebAssembly 2.0, without threads"

// lacks returns what a module lacks of the interface, "" if nothing.
func lacks(m wazero.CompiledModule) string {
	if _, ok := m.ExportedMemories()["memory"]; !ok {
		return "an exported memory"
	}
	i32, f64 := api.ValueTypeI32, api.ValueTypeF64
	for _, f := range []struct {
		name            string
		params, results []api.ValueType
		show            string
	}{
		{"alloc", []api.ValueType{i32}, []api.ValueType{i32}, "alloc(i32) i32"},
		{"kernel", []api.ValueType{i32, i32, i32, i32}, []api.ValueType{f64}, "kernel(i32, i32, i32, i32) f64"},
	} {
		d, ok := m.ExportedFunctions()[f.name]
		if !ok || string(d.ParamTypes()) != string(f.params) || string(d.ResultTypes()) != string(f.results) {
			return "an exported function " + f.show
		}
	}
	return ""
}

// String returns wasm: and the name of the module.
func (k *Wasm[T]) String() string { return k.name }

// Err returns the first fault of the module, nil while there was none.
func (k *Wasm[T]) Err() error {
	if err := k.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close frees the memory of the module and returns the first fault, if there was
// one. The kernel gives no more values; it must not be closed while values are
// asked for.
func (k *Wasm[T]) Close() error {
	err := k.Err()
	closed := errClosed
	k.failed.CompareAndSwap(nil, &closed)
	_ = k.runtime.Close(context.WithoutCancel(k.ctx))
	if err == errClosed {
		return nil
	}
	return err
}

// Eval returns K(x, y), or NaN after a fault, which Err returns.
func (k *Wasm[T]) Eval(x, y T) float64 {
	var value [1]float64
	if err := k.EvalBlock(value[:], []T{x}, []T{y}); err != nil {
		return math.NaN()
	}
	return value[0]
}

// EvalBlock sets dst[i*len(y)+j] to K(x[i], y[j]), for all i and j.
func (k *Wasm[T]) EvalBlock(dst []float64, x, y []T) error {
	if len(dst) != len(x)*len(y) {
		panic("external: block of another size than its arguments")
	}
	if len(dst) == 0 {
		return k.Err()
	}
	c, err := k.take()
	if err != nil {
		return k.fail(err)
	}
	err = k.evalOn(c, dst, x, y)
	if err == nil || errors.Is(err, errWide) { // a fault of the instance, not of the module
		k.mu.Lock()
		k.free = append(k.free, c)
		k.mu.Unlock()
		return err
	}
	_ = c.module.Close(context.WithoutCancel(k.ctx))
	return k.fail(err)
}

// evalOn is EvalBlock on a copy of the module.
func (k *Wasm[T]) evalOn(c *copied, dst []float64, x, y []T) error {
	for i := range x {
		if err := k.place(c, &c.x, x[i]); err != nil {
			return err
		}
		for j := range y {
			if err := k.place(c, &c.y, y[j]); err != nil {
				return err
			}
			err := k.bounded(func(ctx context.Context) (err error) {
				dst[i*len(y)+j], err = c.call(ctx)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// place writes an instance into the memory of a copy.
func (k *Wasm[T]) place(c *copied, p *place, x T) (err error) {
	if c.bytes, p.length, err = appendBytes(c.bytes[:0], x); err != nil {
		return k.fault(err.Error(), "correct the data", err)
	}
	if len(c.bytes) > math.MaxInt32 {
		return k.fault("an instance is longer than 2 GiB", "correct the data", errWide)
	}
	if p.fits(len(c.bytes)) && c.write(p) == nil {
		return nil
	}
	return k.bounded(func(ctx context.Context) error {
		if err := c.enlarge(ctx, p); err != nil {
			return err
		}
		return c.write(p)
	})
}

// take returns a copy of the module that nobody else uses.
func (k *Wasm[T]) take() (*copied, error) {
	if err := k.Err(); err != nil {
		return nil, err
	}
	k.mu.Lock()
	if n := len(k.free); n > 0 {
		c := k.free[n-1]
		k.free = k.free[:n-1]
		k.mu.Unlock()
		return c, nil
	}
	k.mu.Unlock()
	return k.copy()
}

// fail records the first fault and returns it.
func (k *Wasm[T]) fail(err error) error {
	k.failed.CompareAndSwap(nil, &err)
	return k.Err()
}

// bounded calls f, which calls the module, under the time limit, and explains its
// error.
func (k *Wasm[T]) bounded(f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(k.ctx, k.o.Timeout)
	defer cancel()
	err := f(ctx)
	switch {
	case err == nil:
		return nil
	case k.ctx.Err() != nil:
		return k.ctx.Err()
	case ctx.Err() != nil:
		return k.fault(fmt.Sprintf("gave no value within %v", k.o.Timeout), "make the module faster", err)
	case errors.Is(err, errFuel):
		return k.fault(fmt.Sprintf("used up its fuel: a value may take %d instructions", k.o.Fuel),
			"make the module faster", nil)
	case errors.Is(err, errNotFinite), errors.Is(err, errPlace):
		return k.fault(err.Error(), "correct the module", nil)
	}
	return k.fault("failed: "+firstLine(err),
		fmt.Sprintf("correct the module; it may use %d MiB of memory", k.o.Memory>>20), err)
}

func (k *Wasm[T]) fault(problem, advice string, err error) error {
	return &data.InputError{File: k.name, Problem: problem, Advice: advice, Err: err}
}

// firstLine is the text of an error without the stack of the module.
func firstLine(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return data.Clip(strings.TrimSuffix(text, " (recovered by wazero)"), 200)
}
