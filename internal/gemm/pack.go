package gemm

// pack writes rows i0 to i0+n of v, at depth p0 to p0+k, in strips w wide one
// after the other, each column by column:
//
//	dst[(s·k+p)·w+r] = v(i0+s·w+r, p0+p)
//
// and zero in the rows that the last strip has too many. The depth is the
// second index of v.
func (t *kernels[F]) pack(dst []F, w int, v Matrix[F], i0, n, p0, k int) {
	for s := 0; s < n; s += w {
		rows := min(w, n-s)
		strip := dst[s*k:][:w*k]
		if v.transposed {
			copyStrip(strip, w, v.Data[p0*v.Stride+i0+s:], v.Stride, rows, k)
		} else {
			t.interleave(k, v.Data[(i0+s)*v.Stride+p0:], v.Stride, strip, w, rows)
		}
		if rows < w {
			for p := range k {
				clear(strip[p*w+rows : (p+1)*w])
			}
		}
	}
}

// copyStrip sets dst[p·w+r] = src[p·ld+r] for r < rows and p < k. The widths of
// the micro-kernels are copied as arrays, which is a few vector moves each.
func copyStrip[F Float](dst []F, w int, src []F, ld, rows, k int) {
	switch {
	case rows < w:
		for p := range k {
			copy(dst[p*w:][:rows], src[p*ld:][:rows])
		}
	case w == 4:
		for p := range k {
			*(*[4]F)(dst[p*4:]) = *(*[4]F)(src[p*ld:])
		}
	case w == 6:
		for p := range k {
			*(*[6]F)(dst[p*6:]) = *(*[6]F)(src[p*ld:])
		}
	case w == 8:
		for p := range k {
			*(*[8]F)(dst[p*8:]) = *(*[8]F)(src[p*ld:])
		}
	case w == 14:
		for p := range k {
			*(*[14]F)(dst[p*14:]) = *(*[14]F)(src[p*ld:])
		}
	case w == 16:
		for p := range k {
			*(*[16]F)(dst[p*16:]) = *(*[16]F)(src[p*ld:])
		}
	default:
		for p := range k {
			copy(dst[p*w:][:w], src[p*ld:][:w])
		}
	}
}
