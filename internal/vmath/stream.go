package vmath

import "unsafe"

// Stream copies x to dst as copy does, but by stores that go around the cache. It pays where dst is too large
// to stay there: its lines are not read first. The slices must have the same length and must not overlap.
func Stream[F Float](dst, x []F) {
	if len(dst) != len(x) {
		panic(lengths)
	}
	const line, block = 64, 256 // bytes
	size := int(unsafe.Sizeof(F(0)))
	head := min(len(dst), int(-uintptr(unsafe.Pointer(unsafe.SliceData(dst)))%line)/size)
	body := (len(dst) - head) / (block / size) * (block / size)
	copy(dst[:head], x)
	at[F]().stream(dst[head:head+body], x[head:head+body])
	copy(dst[head+body:], x[head+body:])
}
