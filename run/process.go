package run

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// image is what a program takes beside the memory of the Go runtime: the pages
	// of its file that are resident.
	image = 16 << 20

	// LeastMemory is the smallest budget that a process can keep to.
	LeastMemory = 32 << 20
)

// LimitProcess makes memory the budget of the whole process, garbage and buffers
// included: the garbage collector keeps to it (debug.SetMemoryLimit) as long as
// what is in use does. The controls of such a program have the same Memory, and
// Process. A lower limit that is set already, by GOMEMLIMIT for instance, stays.
// It returns a *MemoryError for a budget below LeastMemory, and what undoes it.
func LimitProcess(memory int64) (undo func(), err error) {
	if memory < LeastMemory {
		return nil, &MemoryError{What: "the program by itself", Need: LeastMemory, Budget: memory, Advice: larger}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, memory-image))
	return func() { debug.SetMemoryLimit(before) }, nil
}

const larger = "use a larger --max-memory"

// Held returns the bytes that this process holds: objects, with those that are
// garbage and not yet collected, and what the runtime needs for itself.
func Held() int64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(s)
	return int64(s[0].Value.Uint64()-s[1].Value.Uint64()-s[2].Value.Uint64()) + image
}

// left returns what is left of total bytes for the process, garbage not counted
// where that makes a difference for who needs so many. A 16th is kept for what is
// too small to be asked for.
func left(total int64, need float64) int64 {
	total -= total / 16
	if rest := total - Held(); float64(rest) >= need {
		return rest
	}
	runtime.GC()
	return max(0, total-Held())
}

// Exceeds reports whether the process holds more than so many bytes, garbage not
// counted, and how many it holds.
func Exceeds(memory int64) (held int64, exceeds bool) {
	if held = Held(); held > memory {
		runtime.GC()
		held = Held()
	}
	return held, held > memory
}

// Gauge tells how much memory a process takes while something grows whose size is
// not known beforehand, such as the rows of a file. Whatever else the process
// allocates in the meantime counts as well.
type Gauge struct {
	budget int64
	total  int64 // that the process may hold
	begun  int64 // that it held at the beginning
}

// Gauge begins to measure.
func (c Control) Gauge() *Gauge {
	if c.Memory > 0 && c.Process {
		return &Gauge{budget: c.Memory, total: c.Memory, begun: Held()}
	}
	if c.Memory > 0 {
		runtime.GC() // or the garbage of others could be taken again
	}
	m := &Gauge{budget: c.Budget(), begun: Held()}
	m.total = m.budget + m.begun
	return m
}

// grows is the part of what has grown that the next step may need at once: the
// longest list takes as much again, and a quarter, when it is moved to a longer one.
const grows = 0.75

// Left returns the bytes of the budget that are left. It returns a *MemoryError
// if what has grown could not go on: its What and Advice are for the caller to fill
// in.
func (m *Gauge) Left() (int64, error) {
	held := Held()
	if rest := m.total - held; float64(rest) >= grows*float64(held-m.begun) {
		return rest, nil
	}
	runtime.GC()
	held = Held()
	rest, need := m.total-held, grows*float64(max(0, held-m.begun))
	if float64(rest) >= need {
		return rest, nil
	}
	return 0, &MemoryError{Need: float64(m.budget-rest) + need, Budget: m.budget}
}
