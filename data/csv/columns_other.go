//go:build !amd64 || purego

package csv

// columnsAVX512 is never called: there is no such level.
func columnsAVX512([][]float64, int, []float64) {}
