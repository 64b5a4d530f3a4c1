package gemm

// plainKernels returns the kernels in plain Go. The compiler may fuse product and
// sum, as it does on arm64, ppc64, riscv64 and s390x and with GOAMD64=v3, which
// doubles the speed; in all of them it does or in none, so that norms have the
// bits of products.
func plainKernels[F Float](b blocking) *kernels[F] {
	return &kernels[F]{
		blocking:   b,
		full:       plainKernel[F],
		edge:       []edgeKernel[F]{{b.mr, b.nr, plainKernel[F]}},
		interleave: interleaveRows[F],
		dealLeft:   func(k, strips int, src []F, ld int, dst []F) { dealColumns(k, strips, src, ld, dst, b.mr) },
		dealRight:  func(k, strips int, src []F, ld int, dst []F) { dealColumns(k, strips, src, ld, dst, b.nr) },
		square:     plainSquare[F],
		squares:    plainSquares[F],
		thin:       plainThin[F],
	}
}

// plainKernel is the kernelFunc for strips of 2 rows and 4 columns.
func plainKernel[F Float](k, tiles int, a, b, c []F, ldc int, alpha F, add bool) {
	for t := range tiles {
		s00, s01, s02, s03, s10, s11, s12, s13 := plainTile(a[t*k*2:(t+1)*k*2], b[:k*4])
		c := c[t*2*ldc:]
		plainStore(c[:4], s00, s01, s02, s03, alpha, add)
		plainStore(c[ldc:ldc+4], s10, s11, s12, s13, alpha, add)
	}
}

// plainTile returns the sums of one tile. Eight sums and what feeds them are
// what sixteen registers hold, in a function that has nothing else to hold. Of a
// run of statements the compiler spills in the last few alone; hence eight steps
// of depth in one turn.
func plainTile[F Float](a, b []F) (s00, s01, s02, s03, s10, s11, s12, s13 F) {
	var x, y, b0, b1, b2, b3 F
	for len(a) >= 16 && len(b) >= 32 {
		u, v := (*[16]F)(a), (*[32]F)(b)
		b0, b1, b2, b3 = v[0], v[1], v[2], v[3]
		x, y = u[0], u[1]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[4], v[5], v[6], v[7]
		x, y = u[2], u[3]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[8], v[9], v[10], v[11]
		x, y = u[4], u[5]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[12], v[13], v[14], v[15]
		x, y = u[6], u[7]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[16], v[17], v[18], v[19]
		x, y = u[8], u[9]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[20], v[21], v[22], v[23]
		x, y = u[10], u[11]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[24], v[25], v[26], v[27]
		x, y = u[12], u[13]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		b0, b1, b2, b3 = v[28], v[29], v[30], v[31]
		x, y = u[14], u[15]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		a, b = a[16:], b[32:]
	}
	for len(a) >= 2 && len(b) >= 4 {
		b0, b1, b2, b3 = b[0], b[1], b[2], b[3]
		x, y = a[0], a[1]
		s00 += x * b0
		s10 += y * b0
		s01 += x * b1
		s11 += y * b1
		s02 += x * b2
		s12 += y * b2
		s03 += x * b3
		s13 += y * b3
		a, b = a[2:], b[4:]
	}
	return
}

func plainStore[F Float](c []F, s0, s1, s2, s3, alpha F, add bool) {
	s0, s1, s2, s3 = F(alpha*s0), F(alpha*s1), F(alpha*s2), F(alpha*s3)
	if add {
		s0, s1, s2, s3 = c[0]+s0, c[1]+s1, c[2]+s2, c[3]+s3
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}

// interleaveRows is the interleave of kernels in plain Go.
func interleaveRows[F Float](k int, src []F, ld int, dst []F, w, rows int) {
	r := 0
	for ; r+2 <= rows; r += 2 {
		x, y := src[r*ld:][:k], src[(r+1)*ld:][:k]
		for p := range x {
			d := dst[p*w+r:][:2]
			d[0], d[1] = x[p], y[p]
		}
	}
	if r < rows {
		for p, x := range src[r*ld:][:k] {
			dst[p*w+r] = x
		}
	}
}

// dealColumns is the dealFunc for strips of any width, in plain Go.
func dealColumns[F Float](k, strips int, src []F, ld int, dst []F, w int) {
	for p := range k {
		row := src[p*ld:][:strips*w]
		for s := range strips {
			copy(dst[(s*k+p)*w:][:w], row[s*w:])
		}
	}
}

func plainSquare[F Float](k int, x []F) F {
	var sum F
	for _, v := range x[:k] {
		sum += v * v
	}
	return sum
}

func plainSquares[F Float](k int, x []F, ld int, dst []F) {
	for r := range 8 {
		dst[r] += plainSquare(k, x[r*ld:])
	}
}

// plainThin is the thinFunc for strips of 4 columns.
func plainThin[F Float](rows int, start, at []int32, value, b, c []F, ldc int, add bool) {
	for i := range rows {
		var s0, s1, s2, s3 F
		for e := start[i]; e < start[i+1]; e++ {
			x, v := value[e], b[at[e]:][:4]
			s0 += x * v[0]
			s1 += x * v[1]
			s2 += x * v[2]
			s3 += x * v[3]
		}
		plainStore(c[i*ldc:][:4], s0, s1, s2, s3, 1, add)
	}
}
