package gemm

// A kernelFunc computes tiles of C one below the other, from as many strips of
// a and one strip of b:
//
//	sum = Σ_p a[(t·k+p)·MR+i]·b[p·NR+j], p ascending from a sum of zero
//	c[(t·rows+i)·ldc+j] = alpha·sum, or that added to what is there
//
// where rows is MR for the full kernel and less for those of the edge.
type kernelFunc[F Float] func(k, tiles int, a, b, c []F, ldc int, alpha F, add bool)

// An edgeKernel computes only the first rows of a strip.
type edgeKernel[F Float] struct {
	rows int
	run  kernelFunc[F]
}

// kernels is what one level has for one element type.
type kernels[F Float] struct {
	blocking
	full kernelFunc[F]
	edge []edgeKernel[F] // by ascending rows, the last of MR rows

	// interleave sets dst[p·w+r] = src[r·ld+p] for r < rows and p < k.
	interleave func(k int, src []F, ld int, dst []F, w, rows int)

	// square returns the sum of squares of k > 0 elements, squares adds those
	// of eight rows to dst, both with the arithmetic of kernelFunc.
	square  func(k int, x []F) F
	squares func(k int, x []F, ld int, dst []F)
}

// edgeFor returns the smallest kernel of at least so many rows.
func (t *kernels[F]) edgeFor(rows int) edgeKernel[F] {
	for _, e := range t.edge {
		if e.rows >= rows {
			return e
		}
	}
	panic("gemm: more rows than a tile has")
}

// kernelsOf returns the kernels of the level in use.
func kernelsOf[F Float]() *kernels[F] {
	l := Current()
	var t any
	switch any(F(0)).(type) {
	case float32:
		t = kernels32[l]
	case float64:
		t = kernels64[l]
	}
	return t.(*kernels[F])
}
