package alloc

import (
	"testing"
	"unsafe"
)

// TestUncleared fails where a strings.Builder has changed inside: Slice is right
// then too, but clears its memory.
func TestUncleared(t *testing.T) {
	for _, n := range []int{large, large + 1, 3*large - 7} {
		bytes, ok := uncleared(n)
		if !ok || len(bytes) != n {
			t.Fatalf("%d bytes of %d", len(bytes), n)
		}
		if uintptr(unsafe.Pointer(unsafe.SliceData(bytes)))%4096 != 0 {
			t.Errorf("%d bytes are not aligned to pages", n)
		}
	}
}
