//go:build !amd64 || purego

package gemm

// Best returns the highest level that this machine has.
func Best() Level { return Portable }

var (
	kernels32 = [...]*kernels[float32]{Portable: plainKernels[float32](blocking32[Portable])}
	kernels64 = [...]*kernels[float64]{Portable: plainKernels[float64](blocking64[Portable])}
)

var powersAt [AVX512 + 1]powersKernels
