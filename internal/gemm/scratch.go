package gemm

import (
	"sync"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/alloc"
)

// align is the alignment of packed panels in bytes, a line of cache.
const align = 64

// aligned returns n elements of any value, the first at a multiple of align.
func aligned[F Float](n int) []F {
	size := int(unsafe.Sizeof(F(0)))
	buf := alloc.Slice[F](n + align/size)
	skip := 0
	if over := int(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % align); over != 0 {
		skip = (align - over) / size
	}
	return buf[skip:][:n:n]
}

// A scratch is a buffer that is used again.
type scratch[F Float] struct{ buf []F }

// grow returns n elements of the buffer, with whatever they hold.
func (s *scratch[F]) grow(n int) []F {
	if cap(s.buf) < n {
		s.buf = aligned[F](n)
	}
	return s.buf[:n]
}

// The pools of scratch. Panels of B are shared and large, those of A and the
// edge belong to one worker.
var (
	panels32, panels64 sync.Pool
	blocks32, blocks64 sync.Pool
)

// scratchFrom returns a scratch of the pool for the type.
func scratchFrom[F Float](single, double *sync.Pool) (*scratch[F], *sync.Pool) {
	p := single
	if unsafe.Sizeof(F(0)) == 8 {
		p = double
	}
	if s, ok := p.Get().(*scratch[F]); ok {
		return s, p
	}
	return new(scratch[F]), p
}
