// Package cuda uses NVIDIA's driver: devices, memory, streams and kernels.
//
// The driver is found when the program runs, and there is nothing to install or to link
// but in a build with the tag cuda, on Linux. In any other Open says why it has none.
// Driver is the layer at which tests put a double (package internal/cuda/double).
package cuda

import (
	"errors"
	"fmt"
	"unsafe"
)

// Driver is what kerf needs of the driver's interface. Calls that take memory, streams
// or modules belong to the context that is current on the thread of the caller.
type Driver interface {
	Init() Result
	Version() (int, Result) // 1000·major + 10·minor
	Count() (int, Result)
	Name(device int) (string, Result)
	Attribute(attribute, device int) (int, Result)
	Retain(device int) (Context, Result) // the primary context, shared by the process
	SetCurrent(c Context) Result

	MemInfo() (free, total uint64, r Result)
	Alloc(bytes uint64) (Pointer, Result)
	Free(p Pointer) Result
	AllocHost(bytes uint64) (unsafe.Pointer, Result) // pinned: the device copies it by itself
	FreeHost(p unsafe.Pointer) Result
	CopyIn(to Pointer, from unsafe.Pointer, bytes uint64, s Stream) Result
	CopyOut(to unsafe.Pointer, from Pointer, bytes uint64, s Stream) Result

	// CopyRowsOut copies rows of width bytes that lie pitch bytes apart on the device to
	// rows that lie one after the other.
	CopyRowsOut(to unsafe.Pointer, from Pointer, pitch, width, rows uint64, s Stream) Result

	NewStream(urgent bool) (Stream, Result) // kernels of an urgent one go before those of others that wait
	FreeStream(s Stream) Result
	Wait(s Stream) Result // until all that the stream was given is done

	NewEvent() (Event, Result)
	FreeEvent(e Event) Result
	Record(e Event, s Stream) Result // the event is when all is done that the stream was given so far
	WaitFor(e Event) Result

	Load(image []byte) (Module, Result)
	Function(m Module, name string) (Function, Result)
	Shared(f Function, bytes int) Result // of dynamic shared memory that a block may take

	// Launch starts a kernel whose one parameter is the struct at args.
	Launch(f Function, grid, block [3]uint32, shared uint32, s Stream, args unsafe.Pointer) Result

	// LaunchTogether starts one of which all blocks run at once, so that they can wait for each other.
	LaunchTogether(f Function, grid, block [3]uint32, shared uint32, s Stream, args unsafe.Pointer) Result

	ErrorName(r Result) string
}

// Handles of the driver.
type (
	Context  uintptr
	Pointer  uint64 // an address of the device
	Stream   uintptr
	Event    uintptr
	Module   uintptr
	Function uintptr
)

// Result is what a call of the driver returns.
type Result int32

// The results that kerf tells apart.
const (
	OK             Result = 0
	InvalidValue   Result = 1
	OutOfMemory    Result = 2
	NoDevice       Result = 100
	InvalidImage   Result = 200
	NoBinary       Result = 209
	UnsupportedPTX Result = 222
	NotFound       Result = 500
	LaunchFailed   Result = 719
	SystemMismatch Result = 803
)

// Attributes of a device.
const (
	Multiprocessors = 16
	CapabilityMajor = 75
	CapabilityMinor = 76
	SingleToDouble  = 87 // how many times as fast single precision is
)

// Error is a call of the driver that failed.
type Error struct {
	Call   string // what it was to do
	Name   string // the driver's name of the result
	Result Result
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d)", e.Call, e.Name, e.Result) }

// IsOutOfMemory reports whether the device has no memory left for a call.
func IsOutOfMemory(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Result == OutOfMemory
}
