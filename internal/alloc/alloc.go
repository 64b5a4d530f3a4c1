// Package alloc makes large slices of numbers that are about to be overwritten,
// without setting them to zero first. To clear a Gram matrix of 160 MB takes one
// core longer than two cores need to fill it.
package alloc

import (
	"strings"
	"unsafe"
)

// large is the size in bytes from which leaving out the zeros pays.
const large = 1 << 20

// Slice returns n numbers of any value. The caller overwrites all of them before
// anybody reads one.
//
// The memory is that of a strings.Builder, which is the one way in the standard
// library to memory that is not cleared; its string is never used. It holds no
// pointers, is aligned to pages, is backed by large pages where the system has
// them, and is freed by the garbage collector when the slice is.
func Slice[F float32 | float64](n int) []F {
	var f F
	size := int(unsafe.Sizeof(f))
	if n < large/size {
		return make([]F, n)
	}
	var b strings.Builder
	b.Grow(n * size)
	b.WriteByte(0)
	start := unsafe.StringData(b.String())
	huge(start, n*size)
	return unsafe.Slice((*F)(unsafe.Pointer(start)), n)
}

// Zeros returns n zeros, backed by large pages where there are many and the
// system has them: who reads them one after the other then waits less often for
// the address of the next.
func Zeros[F float32 | float64](n int) []F {
	s := make([]F, n)
	if size := n * int(unsafe.Sizeof(F(0))); size >= large {
		huge((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size)
	}
	return s
}
