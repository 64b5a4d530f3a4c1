package gemm

import "sync/atomic"

// Level is an instruction set that the products run on.
type Level int32

const (
	Portable Level = iota // plain Go
	AVX2                  // AVX2 with FMA
	AVX512                // AVX-512F
)

func (l Level) String() string {
	switch l {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return "unknown"
}

var level atomic.Int32

func init() { level.Store(int32(Best())) }

// Current returns the level in use.
func Current() Level { return Level(level.Load()) }

// SetLevel makes l the level in use and returns a function that restores the
// one before. It is for tests and benchmarks, and not for use while a product
// is being computed. It panics where the machine does not have the level.
func SetLevel(l Level) (restore func()) {
	if l < Portable || l > Best() {
		panic("gemm: level not available on this machine")
	}
	old := level.Swap(int32(l))
	return func() { level.Store(old) }
}
