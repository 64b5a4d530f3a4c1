package gemm

// Norm2 returns Σ_p x[p]², with the bits that Tile and Mul give the product of
// x with itself at the level in use.
func Norm2[F Float](x []F) F {
	t := kernelsOf[F]()
	var sum F
	for p0 := 0; p0 < len(x); p0 += t.kc {
		k := min(t.kc, len(x)-p0)
		sum += t.square(k, x[p0:p0+k])
	}
	return sum
}

// Norms2 sets dst[i] to the Norm2 of row i, for n rows of k elements at
// x[i·ldx]. It takes eight rows at a time.
func Norms2[F Float](dst, x []F, ldx, n, k int) {
	checkRows(x, ldx, n, k)
	t := kernelsOf[F]()
	dst = dst[:n]
	clear(dst)
	i := 0
	for ; i+8 <= n; i += 8 {
		for p0 := 0; p0 < k; p0 += t.kc {
			t.squares(min(t.kc, k-p0), x[i*ldx+p0:], ldx, dst[i:i+8])
		}
	}
	for ; i < n; i++ {
		dst[i] = Norm2(x[i*ldx:][:k])
	}
}
