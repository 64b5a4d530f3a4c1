//go:build unix

package parquet_test

import (
	"syscall"
	"time"
)

// cpuTime returns how long the process has computed, which other processes do not
// change as they do the time of day.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
