package alloc

import (
	"syscall"
	"unsafe"
)

// adviseHuge is MADV_HUGEPAGE of madvise(2).
const adviseHuge = 14

// huge asks the kernel to back memory by large pages, so that touching a
// gigabyte for the first time takes hundreds of page faults and not hundreds of
// thousands. It is advice alone: where the kernel does not take it, nothing
// changes.
func huge(start *byte, bytes int) {
	_ = syscall.Madvise(unsafe.Slice(start, bytes), adviseHuge)
}
