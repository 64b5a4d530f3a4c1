//go:build !amd64 || purego

package csv

// endsAVX512 is never called: there is no such level.
func endsAVX512([]int32, []byte, int, byte) (count, read int) { return 0, 0 }

const compressesBytes = false

// endsVBMI2 is never called either.
func endsVBMI2([]int32, []byte, int, byte) (count, read int) { return 0, 0 }
