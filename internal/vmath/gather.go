package vmath

// Chosen names places of a slice, in increasing order.
type Chosen struct {
	index []int32
	kept  []uint64 // the same as bits
}

// Choose returns the given places of slices of length n, which must increase and
// be in range.
func Choose(n int, index []int32) Chosen {
	c := Chosen{index: index, kept: make([]uint64, (n+63)/64)}
	last := int32(-1)
	for _, i := range index {
		if i <= last || int(i) >= n {
			panic("vmath: places out of order or range")
		}
		c.kept[i/64] |= 1 << (i % 64)
		last = i
	}
	return c
}

// Len returns how many places there are.
func (c Chosen) Len() int { return len(c.index) }

// Gather sets dst[l] ← a·x[i] for place number l, i. The length of dst is the number
// of places, and that of x is at least the one they were chosen for. The bits are
// the same at every level.
func Gather[F Float](dst []F, a F, x []F, c Chosen) {
	n := len(c.index)
	if len(dst) != n || n > 0 && int(c.index[n-1]) >= len(x) {
		panic(lengths)
	}
	if len(x) > 64*len(c.kept) {
		x = x[:64*len(c.kept)]
	}
	done := at[F]().gatherPrefix(dst, a, x, c.index, c.kept)
	index := c.index[done:]
	for l, i := range index {
		dst[done+l] = a * x[i]
	}
}
