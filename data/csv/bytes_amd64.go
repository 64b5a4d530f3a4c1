//go:build amd64 && !purego

package csv

import "golang.org/x/sys/cpu"

// compressesBytes reports whether there are instructions that compress bytes of registers.
var compressesBytes = cpu.X86.HasAVX512VBMI2
