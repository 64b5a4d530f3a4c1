package alloc_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/alloc"
)

// TestSlice fills slices on both sides of the limit, collects garbage in
// between, and reads them back.
func TestSlice(t *testing.T) {
	var all [][]float64
	for _, n := range []int{0, 1, 1000, 1<<17 - 1, 1 << 17, 1<<17 + 1, 1 << 20} {
		s := alloc.Slice[float64](n)
		if len(s) != n || cap(s) < n {
			t.Fatalf("length %d and capacity %d for %d", len(s), cap(s), n)
		}
		if n > 0 && uintptr(unsafe.Pointer(&s[0]))%8 != 0 {
			t.Fatal("not aligned")
		}
		for i := range s {
			s[i] = float64(i + n)
		}
		all = append(all, s)
		runtime.GC()
	}
	for range 20 {
		_ = alloc.Slice[float32](1 << 20)
		runtime.GC()
	}
	for _, s := range all {
		for i, v := range s {
			if v != float64(i+len(s)) {
				t.Fatalf("%v at %d of %d", v, i, len(s))
			}
		}
	}
}

func BenchmarkSlice(b *testing.B) {
	for b.Loop() {
		_ = alloc.Slice[float64](20_000_000)
	}
}
