//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Built says whether the program can look for a driver.
const Built = true

// library is the driver's name on every system that has one.
const library = "libcuda.so.1"

// linked is the driver through the dynamic loader, without cgo.
type linked struct {
	cuInit                   func(flags uint32) Result
	cuDriverGetVersion       func(version *int32) Result
	cuDeviceGetCount         func(count *int32) Result
	cuDeviceGetName          func(name *byte, length, device int32) Result
	cuDeviceGetAttribute     func(value *int32, attribute, device int32) Result
	cuDevicePrimaryCtxRetain func(c *Context, device int32) Result
	cuCtxSetCurrent          func(c Context) Result
	cuMemGetInfo             func(free, total *uint64) Result
	cuMemAlloc               func(p *Pointer, bytes uint64) Result
	cuMemFree                func(p Pointer) Result
	cuMemHostAlloc           func(p *unsafe.Pointer, bytes uint64, flags uint32) Result
	cuMemFreeHost            func(p unsafe.Pointer) Result
	cuMemcpyHtoDAsync        func(to Pointer, from unsafe.Pointer, bytes uint64, s Stream) Result
	cuMemcpyDtoHAsync        func(to unsafe.Pointer, from Pointer, bytes uint64, s Stream) Result
	cuMemcpy2DAsync          func(c *copy2D, s Stream) Result
	cuStreamCreate           func(s *Stream, flags uint32, priority int32) Result
	cuStreamDestroy          func(s Stream) Result
	cuStreamSynchronize      func(s Stream) Result
	cuEventCreate            func(e *Event, flags uint32) Result
	cuEventDestroy           func(e Event) Result
	cuEventRecord            func(e Event, s Stream) Result
	cuEventSynchronize       func(e Event) Result
	cuModuleLoadData         func(m *Module, image unsafe.Pointer) Result
	cuModuleGetFunction      func(f *Function, m Module, name string) Result
	cuFuncSetAttribute       func(f Function, attribute, value int32) Result
	cuLaunchKernel           func(f Function, gx, gy, gz, bx, by, bz, shared uint32, s Stream,
		params, extra *unsafe.Pointer) Result
	cuLaunchCooperativeKernel func(f Function, gx, gy, gz, bx, by, bz, shared uint32, s Stream,
		params *unsafe.Pointer) Result
	cuGetErrorName func(r Result, name **byte) Result
}

// copy2D is CUDA_MEMCPY2D; what copies to the host leave at zero has no name.
type copy2D struct {
	_, _        uint64
	fromType    uint32
	_           unsafe.Pointer
	fromDevice  Pointer
	_           uintptr
	fromPitch   uint64
	_, _        uint64
	toType      uint32
	toHost      unsafe.Pointer
	_           Pointer
	_           uintptr
	toPitch     uint64
	width, rows uint64
}

// open finds the driver.
func open() (Driver, error) {
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("there is no NVIDIA driver (%s was not found)", library)
	}
	d := &linked{}
	for _, f := range []struct {
		to   any
		name string
	}{
		{&d.cuInit, "cuInit"}, {&d.cuDriverGetVersion, "cuDriverGetVersion"},
		{&d.cuDeviceGetCount, "cuDeviceGetCount"}, {&d.cuDeviceGetName, "cuDeviceGetName"},
		{&d.cuDeviceGetAttribute, "cuDeviceGetAttribute"},
		{&d.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"}, {&d.cuCtxSetCurrent, "cuCtxSetCurrent"},
		{&d.cuMemGetInfo, "cuMemGetInfo_v2"}, {&d.cuMemAlloc, "cuMemAlloc_v2"}, {&d.cuMemFree, "cuMemFree_v2"},
		{&d.cuMemHostAlloc, "cuMemHostAlloc"}, {&d.cuMemFreeHost, "cuMemFreeHost"},
		{&d.cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2"}, {&d.cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2"},
		{&d.cuMemcpy2DAsync, "cuMemcpy2DAsync_v2"}, {&d.cuStreamCreate, "cuStreamCreateWithPriority"},
		{&d.cuStreamDestroy, "cuStreamDestroy_v2"}, {&d.cuStreamSynchronize, "cuStreamSynchronize"},
		{&d.cuEventCreate, "cuEventCreate"}, {&d.cuEventDestroy, "cuEventDestroy_v2"},
		{&d.cuEventRecord, "cuEventRecord"}, {&d.cuEventSynchronize, "cuEventSynchronize"},
		{&d.cuModuleLoadData, "cuModuleLoadData"}, {&d.cuModuleGetFunction, "cuModuleGetFunction"},
		{&d.cuFuncSetAttribute, "cuFuncSetAttribute"}, {&d.cuLaunchKernel, "cuLaunchKernel"},
		{&d.cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel"}, {&d.cuGetErrorName, "cuGetErrorName"},
	} {
		address, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, errors.New("the NVIDIA driver is too old: it has no " + f.name)
		}
		purego.RegisterFunc(f.to, address)
	}
	return d, nil
}

func (d *linked) Init() Result { return d.cuInit(0) }

func (d *linked) Version() (int, Result) {
	var v int32
	r := d.cuDriverGetVersion(&v)
	return int(v), r
}

func (d *linked) Count() (int, Result) {
	var n int32
	r := d.cuDeviceGetCount(&n)
	return int(n), r
}

func (d *linked) Name(device int) (string, Result) {
	var name [256]byte
	r := d.cuDeviceGetName(&name[0], int32(len(name)), int32(device))
	return text(&name[0]), r
}

func (d *linked) Attribute(attribute, device int) (int, Result) {
	var v int32
	r := d.cuDeviceGetAttribute(&v, int32(attribute), int32(device))
	return int(v), r
}

func (d *linked) Retain(device int) (c Context, r Result) {
	r = d.cuDevicePrimaryCtxRetain(&c, int32(device))
	return c, r
}

func (d *linked) SetCurrent(c Context) Result { return d.cuCtxSetCurrent(c) }

func (d *linked) MemInfo() (free, total uint64, r Result) {
	r = d.cuMemGetInfo(&free, &total)
	return free, total, r
}

func (d *linked) Alloc(bytes uint64) (p Pointer, r Result) {
	r = d.cuMemAlloc(&p, bytes)
	return p, r
}

func (d *linked) Free(p Pointer) Result { return d.cuMemFree(p) }

func (d *linked) AllocHost(bytes uint64) (p unsafe.Pointer, r Result) {
	r = d.cuMemHostAlloc(&p, bytes, 0)
	return p, r
}

func (d *linked) FreeHost(p unsafe.Pointer) Result { return d.cuMemFreeHost(p) }

func (d *linked) CopyIn(to Pointer, from unsafe.Pointer, bytes uint64, s Stream) Result {
	return d.cuMemcpyHtoDAsync(to, from, bytes, s)
}

func (d *linked) CopyOut(to unsafe.Pointer, from Pointer, bytes uint64, s Stream) Result {
	return d.cuMemcpyDtoHAsync(to, from, bytes, s)
}

func (d *linked) CopyRowsOut(to unsafe.Pointer, from Pointer, pitch, width, rows uint64, s Stream) Result {
	const host, device = 1, 2
	return d.cuMemcpy2DAsync(&copy2D{fromType: device, fromDevice: from, fromPitch: pitch, toType: host, toHost: to,
		toPitch: width, width: width, rows: rows}, s)
}

func (d *linked) NewStream(urgent bool) (s Stream, r Result) {
	const nonBlocking = 1
	priority := int32(0)
	if urgent {
		priority = -1 // less is sooner
	}
	r = d.cuStreamCreate(&s, nonBlocking, priority)
	return s, r
}

func (d *linked) FreeStream(s Stream) Result { return d.cuStreamDestroy(s) }
func (d *linked) Wait(s Stream) Result       { return d.cuStreamSynchronize(s) }

func (d *linked) NewEvent() (e Event, r Result) {
	const untimed = 2
	r = d.cuEventCreate(&e, untimed)
	return e, r
}

func (d *linked) FreeEvent(e Event) Result        { return d.cuEventDestroy(e) }
func (d *linked) Record(e Event, s Stream) Result { return d.cuEventRecord(e, s) }
func (d *linked) WaitFor(e Event) Result          { return d.cuEventSynchronize(e) }

func (d *linked) Load(image []byte) (m Module, r Result) {
	r = d.cuModuleLoadData(&m, unsafe.Pointer(&image[0]))
	runtime.KeepAlive(image)
	return m, r
}

func (d *linked) Function(m Module, name string) (f Function, r Result) {
	r = d.cuModuleGetFunction(&f, m, name)
	return f, r
}

func (d *linked) Shared(f Function, bytes int) Result {
	const maxDynamicShared = 8
	return d.cuFuncSetAttribute(f, maxDynamicShared, int32(bytes))
}

func (d *linked) Launch(f Function, grid, block [3]uint32, shared uint32, s Stream, args unsafe.Pointer) Result {
	// The driver copies the parameters before it returns.
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(args)
	params := []unsafe.Pointer{args}
	return d.cuLaunchKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, s, &params[0], nil)
}

func (d *linked) LaunchTogether(
	f Function, grid, block [3]uint32, shared uint32, s Stream, args unsafe.Pointer,
) Result {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(args)
	params := []unsafe.Pointer{args}
	return d.cuLaunchCooperativeKernel(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, s, &params[0])
}

func (d *linked) ErrorName(r Result) string {
	var name *byte
	if d.cuGetErrorName(r, &name) != OK || name == nil {
		return "CUDA error"
	}
	return text(name)
}

// text is a string of C.
func text(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
