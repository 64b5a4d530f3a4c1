//go:build amd64 && !purego

package gemm

import "golang.org/x/sys/cpu"

//go:generate go -C ../../gen run ./gemm -out ../internal/gemm/kernel_amd64.s -stubs ../internal/gemm/kernel_amd64.go -pkg gemm

// Best returns the highest level that this machine has.
func Best() Level {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasFMA:
		return Portable
	case !cpu.X86.HasAVX512F:
		return AVX2
	}
	return AVX512
}

var kernels32 = [...]*kernels[float32]{
	Portable: plainKernels[float32](blocking32[Portable]),
	AVX2: {
		blocking: blocking32[AVX2],
		full:     kernel6x16F32,
		edge: []edgeKernel[float32]{
			{1, 16, kernel1x16F32}, {2, 16, kernel2x16F32}, {4, 16, kernel4x16F32}, {6, 16, kernel6x16F32},
		},
		dealLeft: deal6F32, dealRight: deal16F32,
		interleave: interleaveF32, square: squareF32, squares: squaresF32, thin: thin16F32,
	},
	AVX512: {
		blocking: blocking32[AVX512],
		full:     kernel8x48F32,
		edge: []edgeKernel[float32]{
			{1, 48, kernel1x48F32}, {2, 48, kernel2x48F32},
			{8, 16, kernel8x16F32}, {4, 48, kernel4x48F32}, {8, 32, kernel8x32F32}, {8, 48, kernel8x48F32},
		},
		dealLeft: deal8F32, dealRight: deal48F32,
		interleave: interleaveF32, square: squareF32, squares: squaresF32, thin: thin48F32,
	},
}

var kernels64 = [...]*kernels[float64]{
	Portable: plainKernels[float64](blocking64[Portable]),
	AVX2: {
		blocking: blocking64[AVX2],
		full:     kernel6x8F64,
		edge: []edgeKernel[float64]{
			{1, 8, kernel1x8F64}, {2, 8, kernel2x8F64}, {4, 8, kernel4x8F64}, {6, 8, kernel6x8F64},
		},
		dealLeft: deal6F64, dealRight: deal8F64,
		interleave: interleaveF64, square: squareF64, squares: squaresF64, thin: thin8F64,
	},
	AVX512: {
		blocking: blocking64[AVX512],
		full:     kernel8x24F64,
		edge: []edgeKernel[float64]{
			{1, 24, kernel1x24F64}, {2, 24, kernel2x24F64},
			{8, 8, kernel8x8F64}, {4, 24, kernel4x24F64}, {8, 16, kernel8x16F64}, {8, 24, kernel8x24F64},
		},
		dealLeft: deal8F64, dealRight: deal24F64,
		interleave: interleaveF64, square: squareF64, squares: squaresF64, thin: thin24F64,
	},
}

func interleaveF32(k int, src []float32, ld int, dst []float32, w, rows int) {
	r := 0
	for ; r+8 <= rows; r += 8 {
		interleave8F32(k, src[r*ld:], ld, dst[r:], w)
	}
	if r+6 <= rows {
		interleave6F32(k, src[r*ld:], ld, dst[r:], w)
		r += 6
	}
	if r < rows {
		interleaveRows(k, src[r*ld:], ld, dst[r:], w, rows-r)
	}
}

func interleaveF64(k int, src []float64, ld int, dst []float64, w, rows int) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		interleave4F64(k, src[r*ld:], ld, dst[r:], w)
	}
	if r+2 <= rows {
		interleave2F64(k, src[r*ld:], ld, dst[r:], w)
		r += 2
	}
	if r < rows {
		interleaveRows(k, src[r*ld:], ld, dst[r:], w, rows-r)
	}
}

var powersAt = [...]powersKernels{AVX512: {powers8x48, powersThin48}}
