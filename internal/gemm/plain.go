package gemm

// plainKernels returns the kernels in plain Go. Every product is rounded
// before it is added, by a conversion that forbids the compiler to fuse the
// two, so that all architectures give the same bits.
func plainKernels[F Float](b blocking) *kernels[F] {
	return &kernels[F]{
		blocking:   b,
		full:       plainKernel[F],
		edge:       []edgeKernel[F]{{4, plainKernel[F]}},
		interleave: interleaveRows[F],
		square:     plainSquare[F],
		squares:    plainSquares[F],
	}
}

// plainKernel is the kernelFunc for strips of 4 rows and 4 columns.
func plainKernel[F Float](k, tiles int, a, b, c []F, ldc int, alpha F, add bool) {
	for t := range tiles {
		at, bt := a[t*k*4:(t+1)*k*4], b[:k*4]
		var s00, s01, s02, s03, s10, s11, s12, s13 F
		var s20, s21, s22, s23, s30, s31, s32, s33 F
		for len(at) >= 4 && len(bt) >= 4 {
			b0, b1, b2, b3 := bt[0], bt[1], bt[2], bt[3]
			x := at[0]
			s00 += F(x * b0)
			s01 += F(x * b1)
			s02 += F(x * b2)
			s03 += F(x * b3)
			x = at[1]
			s10 += F(x * b0)
			s11 += F(x * b1)
			s12 += F(x * b2)
			s13 += F(x * b3)
			x = at[2]
			s20 += F(x * b0)
			s21 += F(x * b1)
			s22 += F(x * b2)
			s23 += F(x * b3)
			x = at[3]
			s30 += F(x * b0)
			s31 += F(x * b1)
			s32 += F(x * b2)
			s33 += F(x * b3)
			at, bt = at[4:], bt[4:]
		}
		c := c[t*4*ldc:]
		plainStore(c[:4], s00, s01, s02, s03, alpha, add)
		plainStore(c[ldc:ldc+4], s10, s11, s12, s13, alpha, add)
		plainStore(c[2*ldc:2*ldc+4], s20, s21, s22, s23, alpha, add)
		plainStore(c[3*ldc:3*ldc+4], s30, s31, s32, s33, alpha, add)
	}
}

func plainStore[F Float](c []F, s0, s1, s2, s3, alpha F, add bool) {
	s0, s1, s2, s3 = alpha*s0, alpha*s1, alpha*s2, alpha*s3
	if add {
		c[0], c[1], c[2], c[3] = c[0]+F(s0), c[1]+F(s1), c[2]+F(s2), c[3]+F(s3)
		return
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}

// interleaveRows is the interleave of kernels in plain Go.
func interleaveRows[F Float](k int, src []F, ld int, dst []F, w, rows int) {
	r := 0
	for ; r+4 <= rows; r += 4 {
		x0, x1 := src[r*ld:][:k], src[(r+1)*ld:][:k]
		x2, x3 := src[(r+2)*ld:][:k], src[(r+3)*ld:][:k]
		for p, x := range x0 {
			d := dst[p*w+r:][:4]
			d[0], d[1], d[2], d[3] = x, x1[p], x2[p], x3[p]
		}
	}
	for ; r < rows; r++ {
		for p, x := range src[r*ld:][:k] {
			dst[p*w+r] = x
		}
	}
}

func plainSquare[F Float](k int, x []F) F {
	var sum F
	for _, v := range x[:k] {
		sum += F(v * v)
	}
	return sum
}

func plainSquares[F Float](k int, x []F, ld int, dst []F) {
	for r := range 8 {
		dst[r] += plainSquare(k, x[r*ld:])
	}
}
