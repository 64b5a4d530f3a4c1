package vmath

import "sync/atomic"

// Level is a set of instructions that the package can use.
type Level int32

// The levels, each with what is below it.
const (
	Plain  Level = iota // Go, on any machine
	AVX2                // AVX2 and FMA
	AVX512              // AVX-512 F, BW, DQ and VL
)

// String returns the name of the level.
func (l Level) String() string {
	switch l {
	case Plain:
		return "plain"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return "unknown"
}

// active is the level in use, at most best.
var active atomic.Int32

func init() { active.Store(int32(best)) }

// Best returns the highest level that the machine and the build have.
func Best() Level { return best }

// Active returns the level in use: Best, unless a test has limited it.
func Active() Level { return Level(active.Load()) }

// Limit makes the package use no level above l until restore is called. It
// acts on the whole process and is meant for tests and benchmarks, which must
// not run calls of this package in parallel with it.
func Limit(l Level) (restore func()) {
	old := active.Swap(int32(max(Plain, min(l, best))))
	return func() { active.Store(old) }
}
