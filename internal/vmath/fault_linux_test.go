package vmath_test

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// TestFault runs every function on slices that end where the next page cannot
// be read, and that begin where the page before cannot.
func TestFault(t *testing.T) {
	page := syscall.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no pages of our own here: %v", err)
	}
	defer func() { _ = syscall.Munmap(mem) }()
	for _, edge := range []int{0, 2} {
		if err := syscall.Mprotect(mem[edge*page:(edge+1)*page], syscall.PROT_NONE); err != nil {
			t.Skipf("no pages of our own here: %v", err)
		}
	}
	middle := mem[page : 2*page]
	atLevels(t, func(t *testing.T) {
		testFault(unsafe.Slice((*float32)(unsafe.Pointer(&middle[0])), page/4))
		testFault(unsafe.Slice((*float64)(unsafe.Pointer(&middle[0])), page/8))
		whole := unsafe.String(&middle[0], page)
		for _, n := range sizes() {
			_ = vmath.Runs(whole[:n], whole[page-n:], 5) + vmath.Runs(whole[page-n:], whole[:n], 5)
		}
	})
}

// testFault crashes where a function touches what lies around m.
func testFault[F vmath.Float](m []F) {
	for _, n := range sizes() {
		for _, x := range [][]F{m[:n], m[len(m)-n:]} {
			for _, f := range elementwises[F]() {
				for i := range x {
					x[i] = 0.5
				}
				f.call(x, x)
			}
			vmath.Axpy(x, 0.5, x)
			vmath.RBFRow(x, 1, x, 1)
			_ = vmath.Dot(x, x) + vmath.Sum(x)
			_ = vmath.Finite(x) + vmath.Close(x, x, 1, 0x1p-5, 1)
			if n&(n-1) == 0 {
				vmath.Hadamard(x)
			}
		}
	}
}
