package vmath

import "sync/atomic"

// Level is a set of instructions that the package can use.
type Level int32

// The levels, each with what is below it.
const (
	Plain  Level = iota // Go, on any machine
	AVX2                // AVX2 and FMA
	AVX512              // AVX-512 F, BW, CD, DQ and VL
)

// active is the level in use, at most best.
var active atomic.Int32

func init() { active.Store(int32(best)) }

// Active returns the level in use: the highest that the machine and the build
// have, unless a test has limited it.
func Active() Level { return Level(active.Load()) }

// Limit makes the package use no level above l until restore is called. It
// acts on the whole process and is meant for tests and benchmarks, which must
// not run calls of this package in parallel with it.
func Limit(l Level) (restore func()) {
	old := active.Swap(int32(max(Plain, min(l, best))))
	return func() { active.Store(old) }
}

// at returns the functions of the level in use.
func at[F Float]() *table[F] {
	if t, ok := any(&tables32[Active()]).(*table[F]); ok {
		return t
	}
	return any(&tables64[Active()]).(*table[F])
}
