package cuda

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Number is what buffers hold.
type Number interface{ float32 | float64 }

// Buffer is memory of the device for n numbers. It is given back by Release, or when
// the garbage collector finds it.
type Buffer[F Number] struct {
	device  *Device
	at      Pointer
	n       int
	cleanup runtime.Cleanup
}

// NewBuffer takes memory of the device. What is in it is not known.
func NewBuffer[F Number](d *Device, n int) (*Buffer[F], error) {
	b := &Buffer[F]{device: d, n: n}
	if n == 0 {
		return b, nil
	}
	bytes := size[F](n)
	r := d.alloc(func() (r Result) {
		b.at, r = d.driver.Alloc(bytes)
		return r
	})
	if err := d.failed(fmt.Sprintf("take %d bytes of %s", bytes, d.name), r); err != nil {
		return nil, err
	}
	b.cleanup = runtime.AddCleanup(b, func(p Pointer) {
		_ = d.Do(func() error { d.driver.Free(p); return nil })
	}, b.at)
	return b, nil
}

// size is what n numbers take.
func size[F Number](n int) uint64 {
	var zero F
	return uint64(n) * uint64(unsafe.Sizeof(zero))
}

// Release gives the memory back. A nil Buffer has none.
func (b *Buffer[F]) Release() {
	if b == nil || b.at == 0 {
		return
	}
	b.cleanup.Stop()
	b.device.driver.Free(b.at)
	b.at, b.n = 0, 0
}

// At is the address of number i. A nil Buffer's is 0, which kernels take for none.
func (b *Buffer[F]) At(i int) Pointer {
	if b == nil || b.at == 0 {
		return 0
	}
	return b.at + Pointer(size[F](i))
}

// Len is how many numbers it holds.
func (b *Buffer[F]) Len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// Write copies numbers of pinned memory to the buffer from number i on, in the order of
// the stream.
func (b *Buffer[F]) Write(i int, from []F, s Stream) error {
	if i < 0 || i+len(from) > b.n {
		panic("cuda: write outside of a buffer")
	}
	if len(from) == 0 {
		return nil
	}
	return b.device.failed("copy to "+b.device.name,
		b.device.driver.CopyIn(b.At(i), unsafe.Pointer(&from[0]), size[F](len(from)), s))
}

// Read copies numbers from i on to memory of the host, in the order of the stream.
func (b *Buffer[F]) Read(to []F, i int, s Stream) error {
	if i < 0 || i+len(to) > b.n {
		panic("cuda: read outside of a buffer")
	}
	if len(to) == 0 {
		return nil
	}
	return b.device.failed("copy from "+b.device.name,
		b.device.driver.CopyOut(unsafe.Pointer(&to[0]), b.At(i), size[F](len(to)), s))
}

// ReadRows copies rows of width numbers, pitch numbers apart from number i on.
func (b *Buffer[F]) ReadRows(to []F, i, pitch, width int, s Stream) error {
	if len(to) == 0 {
		return nil
	}
	rows := len(to) / width
	if i < 0 || i+(rows-1)*pitch+width > b.n {
		panic("cuda: read outside of a buffer")
	}
	if pitch == width {
		return b.Read(to[:rows*width], i, s)
	}
	return b.device.failed("copy from "+b.device.name, b.device.driver.CopyRowsOut(unsafe.Pointer(&to[0]), b.At(i),
		size[F](pitch), size[F](width), uint64(rows), s))
}

// Pinned is memory of the host that the device copies by itself, while the host goes
// on. It is given back by Release, or when the garbage collector finds it.
type Pinned[F Number] struct {
	Data    []F
	device  *Device
	at      unsafe.Pointer
	cleanup runtime.Cleanup
}

// NewPinned takes pinned memory.
func NewPinned[F Number](d *Device, n int) (*Pinned[F], error) {
	p := &Pinned[F]{device: d}
	if n == 0 {
		return p, nil
	}
	r := d.alloc(func() (r Result) {
		p.at, r = d.driver.AllocHost(size[F](n))
		return r
	})
	if err := d.failed(fmt.Sprintf("pin %d bytes of memory", size[F](n)), r); err != nil {
		return nil, err
	}
	p.Data = unsafe.Slice((*F)(p.at), n)
	p.cleanup = runtime.AddCleanup(p, func(at unsafe.Pointer) {
		_ = d.Do(func() error { d.driver.FreeHost(at); return nil })
	}, p.at)
	return p, nil
}

// At is the address of number i for kernels, which can write there what the host is to read when they are done: a copy
// would have to wait for larger ones on the bus.
func (p *Pinned[F]) At(i int) Pointer { return Pointer(uintptr(p.at)) + Pointer(size[F](i)) }

// Release gives the memory back. A nil Pinned has none.
func (p *Pinned[F]) Release() {
	if p == nil || p.at == nil {
		return
	}
	p.cleanup.Stop()
	p.device.driver.FreeHost(p.at)
	p.at, p.Data = nil, nil
}
