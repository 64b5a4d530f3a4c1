//go:build amd64 && !purego

package vmath

import "golang.org/x/sys/cpu"

var best = detect()

func detect() Level {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA || !x.HasBMI2 {
		return Plain
	}
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512VL {
		return AVX2
	}
	return AVX512
}
