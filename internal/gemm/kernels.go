package gemm

// A kernelFunc computes tiles of C one below the other, from as many strips of
// a and one strip of b:
//
//	for t := range tiles {
//		for i := range rows {
//			for j := range cols {
//				sum := F(0)
//				for p := range k {
//					sum = fma(a[(t*k+p)*MR+i], b[p*NR+j], sum)
//				}
//				at := (t*rows+i)*ldc + j
//				if add {
//					c[at] = fma(alpha, sum, c[at])
//				} else {
//					c[at] = alpha * sum
//				}
//			}
//		}
//	}
//
// where rows and cols are MR and NR for the full kernel and may be less for those
// of the edge. In assembly the products and sums are fused, no bounds are checked,
// and tiles must be positive.
type kernelFunc[F Float] func(k, tiles int, a, b, c []F, ldc int, alpha F, add bool)

// A dealFunc packs columns: it deals k > 0 rows of src out to strips of width w,
//
//	for p := range k {
//		for s := range strips {
//			copy(dst[(s*k+p)*w:][:w], src[p*ld+s*w:])
//		}
//	}
//
// without a check of bounds.
type dealFunc[F Float] func(k, strips int, src []F, ld int, dst []F)

// A thinFunc multiplies rows of few values with one strip of b. Row i has the values
// e from start[i] to start[i+1]-1, which meet the columns at b[at[e]:]:
//
//	for i := range rows {
//		for j := range NR {
//			sum := F(0)
//			for e := start[i]; e < start[i+1]; e++ {
//				sum = fma(value[e], b[at[e]+j], sum)
//			}
//			if add {
//				sum += c[i*ldc+j]
//			}
//			c[i*ldc+j] = sum
//		}
//	}
//
// with the arithmetic of kernelFunc. In assembly no bounds are checked, and rows must be
// positive.
type thinFunc[F Float] func(rows int, start, at []int32, value, b, c []F, ldc int, add bool)

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

	dealLeft, dealRight dealFunc[F] // for strips of width MR and NR

	// square returns Σ_p x[p]² over k > 0 elements, squares adds Σ_p x[r·ld+p]²
	// to dst[r] for eight rows, both with the arithmetic of kernelFunc.
	square  func(k int, x []F) F
	squares func(k int, x []F, ld int, dst []F)

	thin thinFunc[F]
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
