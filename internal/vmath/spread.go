package vmath

import "slices"

// SpreadLanes is how many rows Spread works on side by side.
const SpreadLanes = 8

// Spread adds, for all k and l and each of eight rows i that lie side by side,
//
//	sum[from[k]+to[l]+i] += x[8·k+i]·y[8·l+i]
//
// k by k and then l by l, each product rounded before the sum. The bits are the
// same at every level. The slices must not overlap; x and y have eight numbers
// for each of from and to, and all places must lie in sum.
func Spread(sum []float64, from, to []int, x, y []float64) {
	if len(x) != SpreadLanes*len(from) || len(y) != SpreadLanes*len(to) {
		panic(lengths)
	}
	if len(from) == 0 || len(to) == 0 {
		return
	}
	if slices.Min(from) < 0 || slices.Min(to) < 0 || slices.Max(from) > len(sum) || slices.Max(to) > len(sum) ||
		slices.Max(from)+slices.Max(to)+SpreadLanes > len(sum) {
		panic("vmath: a place outside of the table")
	}
	spread64(sum, from, to, x, y)
}

func spreadPlain(sum []float64, from, to []int, x, y []float64) {
	for k, f := range from {
		a := x[SpreadLanes*k:][:SpreadLanes]
		for l, t := range to {
			b, s := y[SpreadLanes*l:][:SpreadLanes], sum[f+t:][:SpreadLanes]
			for i := range s {
				s[i] += float64(a[i] * b[i])
			}
		}
	}
}
