//go:build !amd64 || purego

package vmath

const best = Plain

var (
	tables32 = [...]table[float32]{Plain: plain[float32]()}
	tables64 = [...]table[float64]{Plain: plain[float64]()}
)
