//go:build amd64 && !purego

package main

import "github.com/kerf-ml/kerf/internal/gemm"

// peakLoop returns the loop of the level in use and how many multiply-adds one
// turn of it does.
func peakLoop(precision string) (loop func(n int), each int) {
	switch wide := gemm.Current() == gemm.AVX512; {
	case precision == "float32" && wide:
		return fma32AVX512, 12 * 16
	case precision == "float32":
		return fma32AVX2, 12 * 8
	case wide:
		return fma64AVX512, 12 * 8
	}
	return fma64AVX2, 12 * 4
}
