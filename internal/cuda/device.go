package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// MinDriver is the version of CUDA that the driver must have at least: the first that
// reads the code of kernels.
const MinDriver = 12000

// minCapability is the oldest generation of devices that the kernels run on.
const minCapability = 8

// Device is a GPU with its primary context. It is safe for concurrent use, but for what
// its streams are given.
type Device struct {
	driver  Driver
	index   int
	context Context
	name    string
	units   int // multiprocessors
	ratio   int // of speeds in single and in double precision

	mu        sync.Mutex
	functions map[string]Function
	modules   map[string]Module
}

// Open returns a device of this machine.
func Open(index int) (*Device, error) {
	d, err := open()
	if err != nil {
		return nil, err
	}
	return New(d, index)
}

// New returns a device of a driver.
func New(driver Driver, index int) (*Device, error) {
	d := &Device{driver: driver, index: index, functions: map[string]Function{}, modules: map[string]Module{}}
	switch r := driver.Init(); r {
	case OK:
	case NoDevice:
		return nil, fmt.Errorf("the NVIDIA driver finds no GPU")
	case SystemMismatch:
		return nil, fmt.Errorf("the parts of the NVIDIA driver are of different versions; restart the machine")
	default:
		return nil, d.failed("start the NVIDIA driver", r)
	}
	version, r := driver.Version()
	if r != OK {
		return nil, d.failed("ask the NVIDIA driver for its version", r)
	}
	if version < MinDriver {
		return nil, fmt.Errorf("the NVIDIA driver is too old: it is for CUDA %d.%d, and %d.%d is needed",
			version/1000, version%1000/10, MinDriver/1000, MinDriver%1000/10)
	}
	count, r := driver.Count()
	if r != OK {
		return nil, d.failed("count GPUs", r)
	}
	if index >= count {
		return nil, fmt.Errorf("there is no GPU %d: the NVIDIA driver finds %d, counted from 0", index, count)
	}
	return d, d.start()
}

// start retains the primary context: a context of one's own could not share memory
// with other libraries of the process.
func (d *Device) start() error {
	major, r := d.driver.Attribute(CapabilityMajor, d.index)
	minor, s := d.driver.Attribute(CapabilityMinor, d.index)
	name, t := d.driver.Name(d.index)
	units, u := d.driver.Attribute(Multiprocessors, d.index)
	ratio, v := d.driver.Attribute(SingleToDouble, d.index)
	if err := d.failed("ask a GPU what it is", max(r, s, t, u, v)); err != nil {
		return err
	}
	d.name, d.units, d.ratio = name, units, ratio
	if major < minCapability {
		return fmt.Errorf("%s has compute capability %d.%d, and %d.0 is needed", name, major, minor, minCapability)
	}
	c, r := d.driver.Retain(d.index)
	d.context = c
	return d.failed("take "+name, r)
}

// Name is the name of the device, such as NVIDIA H200.
func (d *Device) Name() string { return d.name }

// Units is the number of multiprocessors.
func (d *Device) Units() int { return d.units }

// DoubleRatio is how many times as fast single precision is as double.
func (d *Device) DoubleRatio() int { return d.ratio }

// Do calls f on an OS thread on which the context of the device is current. All other
// methods of a device, but Name and Units, are for f.
func (d *Device) Do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.failed("use "+d.name, d.driver.SetCurrent(d.context)); err != nil {
		return err
	}
	return f()
}

// failed returns the error of a call, nil for OK.
func (d *Device) failed(call string, r Result) error {
	if r == OK {
		return nil
	}
	return &Error{Call: call, Name: d.driver.ErrorName(r), Result: r}
}

// Free returns the bytes that are free on the device.
func (d *Device) Free() (uint64, error) {
	free, _, r := d.driver.MemInfo()
	return free, d.failed("ask for the memory of "+d.name, r)
}

// Function returns a kernel of a module, which is loaded when it is first needed. images
// are the module in several forms: the first that the device takes is used. shared is
// what its blocks take of shared memory.
func (d *Device) Function(module string, images func() [][]byte, name string, shared int) (Function, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.functions[name]; ok {
		return f, nil
	}
	m, ok := d.modules[module]
	if !ok {
		var err error
		if m, err = d.load(module, images()); err != nil {
			return 0, err
		}
		d.modules[module] = m
	}
	f, r := d.driver.Function(m, name)
	if err := d.failed("find the kernel "+name, r); err != nil {
		return 0, err
	}
	if shared > 0 {
		if err := d.failed("take shared memory for "+name, d.driver.Shared(f, shared)); err != nil {
			return 0, err
		}
	}
	d.functions[name] = f
	return f, nil
}

func (d *Device) load(module string, images [][]byte) (m Module, err error) {
	for _, image := range images {
		var r Result
		if m, r = d.driver.Load(image); r == OK {
			return m, nil
		}
		err = d.failed("load the kernels "+module, r)
	}
	return 0, err
}

// Launch starts a kernel whose parameter is args.
func Launch[A any](d *Device, f Function, grid, block [3]uint32, shared int, s Stream, args A) error {
	held := &args
	r := d.driver.Launch(f, grid, block, uint32(shared), s, unsafe.Pointer(held))
	runtime.KeepAlive(held)
	return d.failed("start a kernel", r)
}

// LaunchTogether starts a kernel of which all blocks run at once: at most one for each multiprocessor.
func LaunchTogether[A any](d *Device, f Function, grid, block [3]uint32, shared int, s Stream, args A) error {
	held := &args
	r := d.driver.LaunchTogether(f, grid, block, uint32(shared), s, unsafe.Pointer(held))
	runtime.KeepAlive(held)
	return d.failed("start a kernel", r)
}

// Stream is an order of work on the device.
func (d *Device) Stream() (Stream, error) { return d.stream(false) }

// Urgent is a stream whose kernels go before those of others that wait.
func (d *Device) Urgent() (Stream, error) { return d.stream(true) }

func (d *Device) stream(urgent bool) (Stream, error) {
	s, r := d.driver.NewStream(urgent)
	return s, d.failed("make a stream", r)
}

// FreeStream gives a stream back.
func (d *Device) FreeStream(s Stream) { d.driver.FreeStream(s) }

// Event is a place in the order of a stream.
func (d *Device) Event() (Event, error) {
	e, r := d.driver.NewEvent()
	return e, d.failed("make an event", r)
}

// FreeEvent gives an event back.
func (d *Device) FreeEvent(e Event) { d.driver.FreeEvent(e) }

// Record sets the event behind all that the stream was given so far.
func (d *Device) Record(e Event, s Stream) error {
	return d.failed("record an event", d.driver.Record(e, s))
}

// WaitFor waits for an event.
func (d *Device) WaitFor(e Event) error { return d.failed("compute on "+d.name, d.driver.WaitFor(e)) }

// Wait waits for a stream.
func (d *Device) Wait(s Stream) error { return d.failed("compute on "+d.name, d.driver.Wait(s)) }

// collect is how long memory that the garbage collector found may take to come back.
const collect = 20 * time.Millisecond

// alloc tries again after what is no longer used has been given back: the garbage
// collector does not know that the device is full.
func (d *Device) alloc(take func() Result) Result {
	r := take()
	if r != OutOfMemory {
		return r
	}
	runtime.GC()
	time.Sleep(collect)
	return take()
}
