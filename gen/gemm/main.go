// Command gemm writes the assembly of package internal/gemm: the micro-kernels
// of the matrix product, the transposing packers, the sums of squares and the
// products of rows of few values.
//
// Run it through go generate in internal/gemm.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64,!purego")

	for _, f := range []float{float32s, float64s} {
		for _, rows := range []int{6, 4, 2, 1} {
			kernel(shape{f, avx2, rows, 2})
		}
	}
	for _, f := range []float{float32s, float64s} {
		for _, rows := range []int{8, 4, 2, 1} {
			kernel(shape{f, avx512, rows, 3})
		}
		for _, vectors := range []int{2, 1} {
			kernel(shape{f, avx512, 8, vectors})
		}
	}
	interleave8()
	interleave6()
	interleave4()
	interleave2()
	for _, w := range []int{6, 8, 16, 48} {
		deal(float32s, w)
	}
	for _, w := range []int{6, 8, 24} {
		deal(float64s, w)
	}
	for _, f := range []float{float32s, float64s} {
		square(f)
		squares(f)
		thin(f, avx2)
		thin(f, avx512)
	}
	poly := exp2Table()
	powersDense(poly)
	powersThin(poly)
	Generate()
}
