package alloc

import (
	"sync"
	"unsafe"
)

const (
	// freedMost is the size in bytes up to which freed memory waits for the next Slice: that of some thousand rows
	// of a stream.
	freedMost = 8 << 20

	grain = 1 << 17 // bytes, of which the size of such memory is a multiple
)

// freed has freed memory of each size, until the garbage collector has twice found it there.
var freed [freedMost/grain + 1]sync.Pool

// Free gives back numbers that Slice returned and nobody will look at again, for a Slice to come.
//
// Where slices of some megabytes come and go, the runtime hands their memory back to the system between two
// collections. To touch new pages in its place takes longer than to fill them.
func Free[F float32 | float64](s []F) {
	if n := cap(s) * int(unsafe.Sizeof(F(0))); large <= n && n <= freedMost {
		freed[n/grain].Put((*byte)(unsafe.Pointer(unsafe.SliceData(s))))
	}
}
