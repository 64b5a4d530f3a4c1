//go:build !unix

package parquet_test

import "time"

// cpuTime returns how long the process has computed, which is not known here.
func cpuTime() time.Duration { return 0 }
