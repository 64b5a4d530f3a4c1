package gemm

// packLeft writes rows i0 to i0+n of v, at depth p0 to p0+k, in strips of MR
// rows one after the other, each column by column:
//
//	dst[(s·k+p)·MR+r] = v(i0+s·MR+r, p0+p)
//
// and zero in the rows that the last strip has too many. The depth is the
// second index of v.
func (t *kernels[F]) packLeft(dst []F, v Matrix[F], i0, n, p0, k int) {
	t.pack(dst, t.mr, t.dealLeft, v, i0, n, p0, k)
}

// packRight is packLeft with strips of NR rows.
func (t *kernels[F]) packRight(dst []F, v Matrix[F], i0, n, p0, k int) {
	t.pack(dst, t.nr, t.dealRight, v, i0, n, p0, k)
}

func (t *kernels[F]) pack(dst []F, w int, deal dealFunc[F], v Matrix[F], i0, n, p0, k int) {
	dst = dst[:roundUp(n, w)*k]
	last := n / w * w // where a strip starts that is not full
	if v.transposed {
		src := v.Data[p0*v.Stride+i0:]
		if last > 0 {
			deal(k, last/w, src, v.Stride, dst)
		}
		if last < n {
			for p := range k {
				copy(dst[last*k+p*w:][:n-last], src[p*v.Stride+last:])
			}
		}
	} else {
		for s := 0; s < n; s += w {
			t.interleave(k, v.Data[(i0+s)*v.Stride+p0:], v.Stride, dst[s*k:][:w*k], w, min(w, n-s))
		}
	}
	if last < n {
		for p := range k {
			clear(dst[last*k+p*w:][n-last : w])
		}
	}
}
