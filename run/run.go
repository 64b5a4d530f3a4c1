// Package run holds the controls of a run: how many workers, how much memory,
// whom to tell about progress, on which device, and a counter of kernel
// evaluations.
//
// Controls say how to compute, never what: changing any of them but the precision
// and the device leaves every result as it was, bit for bit. The zero Control is
// the default.
package run

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync/atomic"
)

// Control says what a run may use. The zero value takes all cores and three
// quarters of the memory that is free, and reports nothing.
type Control struct {
	Workers  int      // goroutines that compute; 0 means all cores
	Memory   int64    // bytes that may be allocated for data of the run; 0 means ¾ of what is free
	Process  bool     // Memory is the budget of the whole process: what it holds already counts; see LimitProcess
	Progress Progress // told what is going on; the zero value is silent
	Counter  *Counter // gathers kernel evaluations; nil counts nothing

	// Precision in which kernel values are computed. Sums, norms and
	// factorisations that would lose the answer are in float64 in any case.
	Precision Precision

	// Device that computes blocks of kernel values and products with them, and Places
	// that gathers which did; nil gathers nothing.
	Device Device
	Places *Places
}

// Precision is a floating-point type to compute in.
type Precision uint8

// The precisions. docs/math/precision.md bounds the error of each.
const (
	Float64 Precision = iota
	Float32           // about twice as fast; kernel values are good to about six digits
)

func (p Precision) String() string {
	if p == Float32 {
		return "float32"
	}
	return "float64"
}

// Counter counts kernel evaluations. It may be used from many goroutines.
type Counter struct{ n atomic.Int64 }

// Add counts n more evaluations. A nil Counter counts nothing.
func (c *Counter) Add(n int64) {
	if c != nil {
		c.n.Add(n)
	}
}

// Count returns the number of evaluations so far, 0 for a nil Counter.
func (c *Counter) Count() int64 {
	if c == nil {
		return 0
	}
	return c.n.Load()
}

// ParsePrecision reads "float64", "float32", or nothing for the default.
func ParsePrecision(name string) (Precision, error) {
	switch name {
	case "", "float64":
		return Float64, nil
	case "float32":
		return Float32, nil
	}
	return 0, fmt.Errorf("precision is %q and must be float64 or float32", name)
}

// mostWorkers is more than a machine has use for: a larger count would be of memory alone.
const mostWorkers = 1 << 16

// Cores returns the number of workers to start: Workers, up to 65,536, or all cores.
func (c Control) Cores() int {
	if c.Workers > 0 {
		return min(c.Workers, mostWorkers)
	}
	return runtime.GOMAXPROCS(0)
}

// Budget returns the memory in bytes that the run may take: what is left of it,
// with Process.
func (c Control) Budget() int64 {
	switch {
	case c.Memory > 0 && c.Process:
		return left(c.Memory, float64(c.Memory)/2)
	case c.Memory > 0:
		return c.Memory
	}
	return FreeMemory() / 4 * 3
}

// Share returns the controls of one of several parts that run at the same time:
// its budget is that part of what is left now.
func (c Control) Share(parts int) Control {
	c.Memory, c.Process = max(1, c.Budget()/int64(parts)), false
	return c
}

// Quiet returns the controls without progress, for work inside a larger task.
func (c Control) Quiet() Control {
	c.Progress = Progress{}
	return c
}

// Reserve says whether an allocation of the given size is within the budget.
// It returns a *MemoryError where it is not; advice says what would fit.
func (c Control) Reserve(what string, bytes float64, advice string) error {
	e := &MemoryError{What: what, Need: bytes, Budget: c.Memory, Advice: advice}
	if c.Memory <= 0 || !c.Process {
		e.Budget = c.Budget()
		e.Free = e.Budget
	} else {
		e.Free = left(c.Memory, bytes)
	}
	if bytes <= float64(e.Free) {
		return nil
	}
	return e
}

// Affords reports whether so many bytes are a small part of the budget, an eighth.
// It goes by Memory alone where that is set, and not by what is left of it: choices
// on which results depend are the same from run to run.
func (c Control) Affords(bytes float64) bool {
	c.Process = false
	return bytes <= float64(c.Budget())/8
}

// MemoryError reports that a step would need more memory than the run may take.
// Nothing has been allocated when it is returned.
type MemoryError struct {
	What   string  // what the memory would hold
	Need   float64 // bytes
	Budget int64   // bytes
	Free   int64   // bytes of the budget that nothing else holds
	Advice string  // what to do
}

func (e *MemoryError) Error() string {
	s := fmt.Sprintf("%s would need %s of memory and the budget is %s",
		e.What, Bytes(e.Need), Bytes(float64(e.Budget)))
	if e.Free > 0 && e.Free < e.Budget {
		s += ", of which " + Bytes(float64(e.Free)) + " are left"
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Bytes writes a size for people: 1536 is "1.5 KiB".
func Bytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	shown := math.Round(n)
	for shown >= 1024 && i < len(units)-1 { // what is shown decides: 1023.99 KiB is 1 MiB
		n /= 1024
		shown = math.Round(10*n) / 10
		i++
	}
	return strconv.FormatFloat(shown, 'f', -1, 64) + " " + units[i]
}
