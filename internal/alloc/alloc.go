// Package alloc makes large slices of numbers that are about to be overwritten,
// without setting them to zero first. To clear a Gram matrix of 160 MB takes one
// core longer than two cores need to fill it.
package alloc

import (
	"reflect"
	"strings"
	"unsafe"
)

// large is the size in bytes from which leaving out the zeros pays.
const large = 1 << 20

// Slice returns n numbers of any value. The caller overwrites all of them before
// anybody reads one. Some that were freed come first.
//
// The memory of a large slice holds no pointers, is aligned to pages, is backed by
// large pages where the system has them, and is freed by the garbage collector
// when the slice is.
func Slice[F float32 | float64](n int) []F {
	size := int(unsafe.Sizeof(F(0)))
	if n < large/size {
		return make([]F, n)
	}
	whole := n * size
	if whole <= freedMost {
		whole = (whole + grain - 1) / grain * grain
		if start, ok := freed[whole/grain].Get().(*byte); ok {
			return unsafe.Slice((*F)(unsafe.Pointer(start)), whole/size)[:n]
		}
	}
	bytes, ok := uncleared(whole)
	if !ok {
		return Zeros[F](n)
	}
	start := unsafe.SliceData(bytes)
	huge(start, whole)
	return unsafe.Slice((*F)(unsafe.Pointer(start)), whole/size)[:n]
}

// uncleared returns n bytes of any value. The buffer of a strings.Builder is the one
// memory in the standard library that is not cleared when it is allocated. The
// Builder gives it out as a string alone, which must not be written to; no string is
// made of it here, and the Builder ends with the call, so that the bytes belong to
// the caller. It returns false where a Builder has no such buffer.
func uncleared(n int) (bytes []byte, ok bool) {
	var b strings.Builder
	b.Grow(n)
	buffer := reflect.ValueOf(&b).Elem().FieldByName("buf")
	if !buffer.IsValid() || buffer.Type() != reflect.TypeFor[[]byte]() || buffer.Cap() < n {
		return nil, false
	}
	return buffer.Bytes()[:n], true
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
