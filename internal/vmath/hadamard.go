package vmath

import "unsafe"

// Hadamard replaces x by its Walsh–Hadamard transform in natural order, without
// a factor:
//
//	x[k] ← Σ_i (-1)^popcount(i&k)·x[i]
//
// in n·log2(n) additions. The length must be a power of two or 0. The sums are
// those of passes x[i], x[i+h] ← x[i]+x[i+h], x[i]-x[i+h] for h = 1, 2, 4 and so
// on, one after the other, so that the bits are the same at every level.
func Hadamard[F Float](x []F) {
	if len(x)&(len(x)-1) != 0 {
		panic("vmath: length is not a power of two")
	}
	hadamard(x, at[F]())
}

// inCache is the size in bytes up to which passes over all of x stay in the
// first level of cache.
const inCache = 1 << 15

func hadamard[F Float](x []F, t *table[F]) {
	size := int(unsafe.Sizeof(F(0)))
	switch n := len(x); {
	case n*size > inCache:
		for i := 0; i < n; i += n / 4 {
			hadamard(x[i:i+n/4], t)
		}
		t.butterflies4x(x, n/4)
	case n*size >= walshBytes():
		t.walsh(x)
		h := walshBytes() / size
		for ; 8*h <= n; h *= 8 {
			t.butterflies8x(x, h)
		}
		switch n / h {
		case 4:
			t.butterflies4x(x, h)
		case 2:
			t.butterflies(x, h)
		}
	default:
		walshPlain(x)
	}
}

// walshBytes is the size of the blocks that walsh transforms.
func walshBytes() int {
	if Active() == AVX2 {
		return 256
	}
	return 512
}

// stripBytes is the size of the strips of SumStrips.
const stripBytes = 512

// Strip returns the length of a strip of SumStrips: 64 of float64, 128 of
// float32.
func Strip[F Float]() int { return stripBytes / int(unsafe.Sizeof(F(0))) }

// SumStrips adds to dst, which has the length Strip, the strips of x with the
// given numbers, one after the other:
//
//	dst[l] += x[i·Strip + l]    for every i of index
//
// The numbers must increase and be in range, of which the first and the last
// are checked. The bits are the same at every level.
func SumStrips[F Float](dst, x []F, index []int32) {
	if len(dst) != Strip[F]() {
		panic(lengths)
	}
	if n := len(index); n == 0 {
		return
	} else if index[0] < 0 || int(index[n-1]) >= len(x)/len(dst) {
		panic("vmath: strip outside of x")
	}
	at[F]().sumStrips(dst, x, index)
}
