//go:build !amd64 || purego

package decimal

const choosesBytes = false

// cellsAVX512 is never called: there is no such level.
func cellsAVX512([]float64, []byte, []int32, int, int, int, int, []byte) (int, uint8) { return 0, 0 }
