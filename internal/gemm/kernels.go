package gemm

// A kernelFunc computes tiles of C one below the other, from as many strips of
// a and one strip of b:
//
//	sum = Σ_p a[(t·k+p)·MR+i]·b[p·NR+j], p ascending from a sum of zero
//	c[(t·rows+i)·ldc+j] = alpha·sum, or that added to what is there
//
// where rows is MR for the full kernel and may be less for those of the edge.
type kernelFunc[F Float] func(k, tiles int, a, b, c []F, ldc int, alpha F, add bool)

// A dealFunc packs columns: it deals the rows of src out to strips.
type dealFunc[F Float] func(k, strips int, src []F, ld int, dst []F)

// An edgeKernel computes only the first rows and columns of the strips.
type edgeKernel[F Float] struct {
	rows, cols int
	run        kernelFunc[F]
}

// kernels is what one level has for one element type.
type kernels[F Float] struct {
	blocking
	full kernelFunc[F]
	edge []edgeKernel[F] // by ascending size, the last of MR rows and NR columns

	// interleave sets dst[p·w+r] = src[r·ld+p] for r < rows and p < k.
	interleave func(k int, src []F, ld int, dst []F, w, rows int)

	// dealLeft sets dst[(s·k+p)·MR+r] = src[p·ld+s·MR+r] for k > 0 rows of
	// src and so many strips, dealRight the same for NR.
	dealLeft, dealRight dealFunc[F]

	// square returns the sum of squares of k > 0 elements, squares adds those
	// of eight rows to dst, both with the arithmetic of kernelFunc.
	square  func(k int, x []F) F
	squares func(k int, x []F, ld int, dst []F)
}

// edgeFor returns the smallest kernel of at least so many rows and columns.
func (t *kernels[F]) edgeFor(rows, cols int) edgeKernel[F] {
	for _, e := range t.edge {
		if e.rows >= rows && e.cols >= cols {
			return e
		}
	}
	panic("gemm: more rows or columns than a tile has")
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
