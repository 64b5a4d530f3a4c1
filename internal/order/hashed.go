package order

import (
	"math/bits"
	"slices"
)

// Hashed sorts numbers whose high bits are those of a hash, so that they lie about evenly
// from 0 to 2⁶⁴: two rounds of counting put them in the order of as many high bits as tell
// almost all of them apart, and neighbours are exchanged. That takes time in proportion to
// the numbers where they are even, and not much more than slices.Sort takes where they are
// not. The zero value is ready; it keeps memory for the next call, and serves one
// goroutine at a time.
type Hashed struct {
	count []uint32 // of two digits
	other []uint64
}

const (
	fewKeys   = 32 // which slices.Sort sorts as soon
	mostDigit = 11 // bits: counts that stay in the nearest cache
	mostMoves = 4  // for each number, after which they count as uneven
)

// Sort sorts the numbers, as slices.Sort does.
func (h *Hashed) Sort(keys []uint64) {
	n := len(keys)
	if n < fewKeys || uint64(n) > 1<<32-1 {
		slices.Sort(keys)
		return
	}
	// By 2·digit bits about n²/2^(2·digit+1) ≤ 2 pairs are not told apart, up to 2,048 numbers.
	digit := min(bits.Len(uint(n))-1, mostDigit)
	if len(h.count) < 2<<digit {
		h.count = make([]uint32, 2<<digit)
	}
	high, low := h.count[:1<<digit], h.count[1<<digit:][:1<<digit]
	clear(high)
	clear(low)
	top, next, mask := 64-digit, 64-2*digit, uint64(1)<<digit-1
	for _, k := range keys {
		high[k>>top]++
		low[k>>next&mask]++
	}
	starts(high)
	starts(low)
	if cap(h.other) < n {
		h.other = make([]uint64, n+n/4)
	}
	other := h.other[:n]
	for _, k := range keys {
		at := &low[k>>next&mask]
		other[*at] = k
		*at++
	}
	for _, k := range other {
		at := &high[k>>top]
		keys[*at] = k
		*at++
	}
	if !settle(keys) {
		slices.Sort(keys)
	}
}

// starts turns counts into where each begins.
func starts(count []uint32) {
	sum := uint32(0)
	for i, c := range count {
		count[i] = sum
		sum += c
	}
}

// settle sorts numbers that are almost in order by insertion, and returns false where that
// would take many moves: they are then in some order.
func settle(keys []uint64) bool {
	left := mostMoves * len(keys)
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
		if left -= i - j; left < 0 {
			return false
		}
	}
	return true
}
