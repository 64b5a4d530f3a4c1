// Package double is a driver in memory, for tests of everything but the arithmetic of a
// device: kernels are functions of the test, calls can be made to fail, and what was
// taken and not given back is known.
package double

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
)

// Kernel stands for a kernel: it does the work of all blocks of a launch at once.
type Kernel func(d *Driver, grid [3]uint32, args unsafe.Pointer)

// Driver is the double. Its fields are set before it is used.
type Driver struct {
	Devices    int // 1 unless it is set
	CUDA       int // version of the driver; 13000 unless it is set
	Capability int // major; 9 unless it is set
	Memory     uint64
	Kernels    map[string]Kernel
	Images     func(image []byte) cuda.Result // nil takes every image

	mu      sync.Mutex
	fails   map[string]failure
	calls   map[string]int
	taken   uint64
	pieces  map[cuda.Pointer][]byte
	pinned  map[unsafe.Pointer][]byte
	next    cuda.Pointer // far below what the machine has
	names   []string
	current bool
	lost    cuda.Result
	streams int
	events  int
}

type failure struct {
	from, to int // calls, counted from 1
	result   cuda.Result
}

// New returns a driver of one device with the given memory.
func New(memory uint64) *Driver {
	return &Driver{Devices: 1, CUDA: 13000, Capability: 9, Memory: memory, Kernels: map[string]Kernel{},
		fails: map[string]failure{}, calls: map[string]int{}, pieces: map[cuda.Pointer][]byte{},
		pinned: map[unsafe.Pointer][]byte{}, next: 1 << 20}
}

// Fail lets the calls from to to (counted from 1) of a method fail.
func (d *Driver) Fail(method string, from, to int, r cuda.Result) {
	d.fails[method] = failure{from, to, r}
}

// Taken returns the bytes of the device and the streams that were not given back.
func (d *Driver) Taken() (bytes uint64, streams int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken, d.streams
}

// Calls returns how often a method was called.
func (d *Driver) Calls(method string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[method]
}

// called counts a call and returns its fault, if it has one. A device that was lost
// stays so.
func (d *Driver) called(method string) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[method]++
	if d.lost != cuda.OK {
		return d.lost
	}
	f, ok := d.fails[method]
	if n := d.calls[method]; !ok || n < f.from || n > f.to {
		return cuda.OK
	}
	if f.result == cuda.LaunchFailed {
		d.lost = f.result
	}
	return f.result
}

// Slice returns n numbers of the device's memory. It panics outside of what was taken.
func Slice[F cuda.Number](d *Driver, p cuda.Pointer, n int) []F {
	if n == 0 {
		return nil
	}
	var zero F
	raw := d.bytes(p, uint64(n)*uint64(unsafe.Sizeof(zero)))
	return unsafe.Slice((*F)(unsafe.Pointer(&raw[0])), n)
}

// From returns the device's memory from p on, nil for the address 0.
func From[F cuda.Number](d *Driver, p cuda.Pointer) []F {
	if p == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	rest := d.from(p)
	if len(rest) == 0 {
		panic(fmt.Sprintf("double: address %d of the device was not taken", p))
	}
	var zero F
	return unsafe.Slice((*F)(unsafe.Pointer(&rest[0])), len(rest)/int(unsafe.Sizeof(zero)))
}

// from returns the memory from p on, of the device or pinned.
func (d *Driver) from(p cuda.Pointer) []byte {
	for base, piece := range d.pieces {
		if p >= base && uint64(p-base) < uint64(len(piece)) {
			return piece[p-base:]
		}
	}
	for at, piece := range d.pinned {
		if base := cuda.Pointer(uintptr(at)); p >= base && uint64(p-base) < uint64(len(piece)) {
			return piece[p-base:]
		}
	}
	return nil
}

func (d *Driver) bytes(p cuda.Pointer, n uint64) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	if rest := d.from(p); uint64(len(rest)) >= n {
		return rest[:n]
	}
	panic(fmt.Sprintf("double: %d bytes at %d of the device were not taken", n, p))
}

// Init, and the following methods, are those of cuda.Driver.
func (d *Driver) Init() cuda.Result                      { return d.called("Init") }
func (d *Driver) Version() (int, cuda.Result)            { return d.CUDA, d.called("Version") }
func (d *Driver) Count() (int, cuda.Result)              { return d.Devices, d.called("Count") }
func (d *Driver) Name(int) (string, cuda.Result)         { return "Double", d.called("Name") }
func (d *Driver) Retain(int) (cuda.Context, cuda.Result) { return 1, d.called("Retain") }

// Attribute knows the capability and has one multiprocessor.
func (d *Driver) Attribute(attribute, _ int) (int, cuda.Result) {
	r := d.called("Attribute")
	switch attribute {
	case cuda.CapabilityMajor:
		return d.Capability, r
	case cuda.CapabilityMinor:
		return 0, r
	}
	return 1, r
}

// SetCurrent accepts the context of Retain alone.
func (d *Driver) SetCurrent(c cuda.Context) cuda.Result {
	if c != 1 {
		return cuda.InvalidValue
	}
	d.mu.Lock()
	d.current = true
	d.mu.Unlock()
	return d.called("SetCurrent")
}

// MemInfo counts what was taken.
func (d *Driver) MemInfo() (free, total uint64, r cuda.Result) {
	r = d.called("MemInfo")
	taken, _ := d.Taken()
	return d.Memory - taken, d.Memory, r
}

// Alloc fills memory with NaN.
func (d *Driver) Alloc(bytes uint64) (cuda.Pointer, cuda.Result) {
	if r := d.called("Alloc"); r != cuda.OK {
		return 0, r
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.current {
		return 0, 201 // no context is current
	}
	if d.taken+bytes > d.Memory {
		return 0, cuda.OutOfMemory
	}
	p := d.next
	d.next += cuda.Pointer(bytes+512) &^ 255
	d.pieces[p] = poisoned(bytes)
	d.taken += bytes
	return p, cuda.OK
}

// poisoned returns memory in which every number, single or double, is NaN.
func poisoned(bytes uint64) []byte {
	words := make([]uint64, (bytes+7)/8)
	for i := range words {
		words[i] = 0x7fc00000_7fc00000 | 0x7ff80000_00000000
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bytes)
}

// Free takes back what Alloc gave.
func (d *Driver) Free(p cuda.Pointer) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	piece, ok := d.pieces[p]
	if !ok {
		return cuda.InvalidValue
	}
	d.taken -= uint64(len(piece))
	delete(d.pieces, p)
	return cuda.OK
}

// AllocHost takes memory of the test.
func (d *Driver) AllocHost(bytes uint64) (unsafe.Pointer, cuda.Result) {
	if r := d.called("AllocHost"); r != cuda.OK {
		return nil, r
	}
	piece := poisoned(bytes)
	p := unsafe.Pointer(&piece[0])
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pinned[p] = piece
	return p, cuda.OK
}

// FreeHost takes back what AllocHost gave.
func (d *Driver) FreeHost(p unsafe.Pointer) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pinned[p] == nil {
		return cuda.InvalidValue
	}
	delete(d.pinned, p)
	return cuda.OK
}

// CopyIn copies at once.
func (d *Driver) CopyIn(to cuda.Pointer, from unsafe.Pointer, bytes uint64, _ cuda.Stream) cuda.Result {
	if r := d.called("CopyIn"); r != cuda.OK {
		return r
	}
	copy(d.bytes(to, bytes), unsafe.Slice((*byte)(from), bytes))
	return cuda.OK
}

// CopyOut copies at once.
func (d *Driver) CopyOut(to unsafe.Pointer, from cuda.Pointer, bytes uint64, _ cuda.Stream) cuda.Result {
	if r := d.called("CopyOut"); r != cuda.OK {
		return r
	}
	copy(unsafe.Slice((*byte)(to), bytes), d.bytes(from, bytes))
	return cuda.OK
}

// CopyRowsOut copies at once.
func (d *Driver) CopyRowsOut(
	to unsafe.Pointer, from cuda.Pointer, pitch, width, rows uint64, _ cuda.Stream,
) cuda.Result {
	if r := d.called("CopyRowsOut"); r != cuda.OK {
		return r
	}
	for i := range rows {
		copy(unsafe.Slice((*byte)(unsafe.Add(to, i*width)), width), d.bytes(from+cuda.Pointer(i*pitch), width))
	}
	return cuda.OK
}

// NewStream counts streams.
func (d *Driver) NewStream(bool) (cuda.Stream, cuda.Result) {
	r := d.called("NewStream")
	d.mu.Lock()
	defer d.mu.Unlock()
	if r == cuda.OK {
		d.streams++
	}
	return cuda.Stream(d.streams), r
}

// FreeStream counts streams.
func (d *Driver) FreeStream(cuda.Stream) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams--
	return cuda.OK
}

// Wait has nothing to wait for.
func (d *Driver) Wait(cuda.Stream) cuda.Result { return d.called("Wait") }

// NewEvent counts events.
func (d *Driver) NewEvent() (cuda.Event, cuda.Result) {
	r := d.called("NewEvent")
	d.mu.Lock()
	defer d.mu.Unlock()
	if r == cuda.OK {
		d.events++
	}
	return cuda.Event(d.events), r
}

// FreeEvent counts events.
func (d *Driver) FreeEvent(cuda.Event) cuda.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events--
	return cuda.OK
}

// Events returns how many events were not given back.
func (d *Driver) Events() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.events
}

// Record and WaitFor have nothing to wait for.
func (d *Driver) Record(cuda.Event, cuda.Stream) cuda.Result { return d.called("Record") }
func (d *Driver) WaitFor(cuda.Event) cuda.Result             { return d.called("WaitFor") }

// Load asks Images.
func (d *Driver) Load(image []byte) (cuda.Module, cuda.Result) {
	if r := d.called("Load"); r != cuda.OK {
		return 0, r
	}
	if d.Images != nil {
		return 1, d.Images(image)
	}
	return 1, cuda.OK
}

// Function knows Kernels.
func (d *Driver) Function(_ cuda.Module, name string) (cuda.Function, cuda.Result) {
	if d.Kernels[name] == nil {
		return 0, cuda.NotFound
	}
	r := d.called("Function")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = append(d.names, name)
	return cuda.Function(len(d.names)), r
}

// Shared accepts any size.
func (d *Driver) Shared(cuda.Function, int) cuda.Result { return d.called("Shared") }

// Launch runs the kernel.
func (d *Driver) Launch(
	f cuda.Function, grid, _ [3]uint32, _ uint32, _ cuda.Stream, args unsafe.Pointer,
) cuda.Result {
	return d.launch("Launch", f, grid, args)
}

// LaunchTogether runs the kernel, whose blocks have to be as many as there are multiprocessors at most.
func (d *Driver) LaunchTogether(
	f cuda.Function, grid, _ [3]uint32, _ uint32, _ cuda.Stream, args unsafe.Pointer,
) cuda.Result {
	if grid != [3]uint32{1, 1, 1} {
		return 720 // too many blocks
	}
	return d.launch("LaunchTogether", f, grid, args)
}

func (d *Driver) launch(method string, f cuda.Function, grid [3]uint32, args unsafe.Pointer) cuda.Result {
	if r := d.called(method); r != cuda.OK {
		return r
	}
	for axis, limit := range []uint32{1<<31 - 1, 1<<16 - 1, 1<<16 - 1} {
		if grid[axis] == 0 || grid[axis] > limit {
			return cuda.InvalidValue
		}
	}
	d.mu.Lock()
	name := d.names[f-1]
	d.mu.Unlock()
	d.Kernels[name](d, grid, args)
	return cuda.OK
}

// ErrorName makes a name of the number.
func (d *Driver) ErrorName(r cuda.Result) string { return fmt.Sprintf("CUDA_ERROR_DOUBLE_%d", r) }
