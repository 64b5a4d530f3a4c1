//go:build amd64 && !purego

package decimal

import "golang.org/x/sys/cpu"

// choosesBytes reports whether there are instructions that choose bytes of registers.
var choosesBytes = cpu.X86.HasAVX512VBMI
