package run

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// assumedFree is taken where the system does not say how much memory is free.
const assumedFree = 4 << 30

// FreeMemory returns the bytes that can be allocated without swapping: what the
// kernel calls available, or what the control group or the limit of the process
// on its address space (ulimit -v) still allows if that is less. Where none can be
// read it returns 4 GiB.
func FreeMemory() int64 {
	free := int64(assumedFree)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, ok := field(text, "MemAvailable:"); ok {
			free = n << 10 // it counts in KiB
		}
	}
	free = min(free, addressSpace())
	limit, ok := number("/sys/fs/cgroup/memory.max")
	if !ok {
		return free
	}
	used, _ := number("/sys/fs/cgroup/memory.current")
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.stat"); err == nil {
		cached, _ := field(text, "inactive_file")
		used -= cached // the kernel gives it back when asked
	}
	return max(0, min(free, limit-used))
}

// addressSpace returns the bytes of address space that the process may still take.
func addressSpace() int64 {
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return math.MaxInt64
	}
	limit, ok := field(bytes.ReplaceAll(limits, []byte("Max address space"), []byte("space")), "space")
	if !ok {
		return math.MaxInt64
	}
	taken := int64(0)
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		taken, _ = field(status, "VmSize:")
	}
	return max(0, limit-taken<<10)
}

// field finds the number beside a name, one of which stands in each line.
func field(text []byte, name string) (int64, bool) {
	for line := range bytes.Lines(text) {
		f := strings.Fields(string(line))
		if len(f) < 2 || f[0] != name {
			continue
		}
		n, err := strconv.ParseInt(f[1], 10, 64)
		return n, err == nil
	}
	return 0, false
}

// number reads a file that holds one number.
func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
