package vmath

import "slices"

// ScatterLanes is how many rows ScatterAdd works on side by side.
const ScatterLanes = 8

// ScatterAdd adds, for all k and l and each of eight rows i that lie side by side,
//
//	sum[from[k]+to[l]+i] += x[8·k+i]·y[8·l+i]
//
// k by k and then l by l, each product rounded before the sum. The bits are the
// same at every level. The slices must not overlap; x and y have eight numbers
// for each of from and to, and all places must lie in sum.
func ScatterAdd(sum []float64, from, to []int, x, y []float64) {
	if len(x) != ScatterLanes*len(from) || len(y) != ScatterLanes*len(to) {
		panic(lengths)
	}
	if len(from) == 0 || len(to) == 0 {
		return
	}
	if slices.Min(from) < 0 || slices.Min(to) < 0 || slices.Max(from) > len(sum) || slices.Max(to) > len(sum) ||
		slices.Max(from)+slices.Max(to)+ScatterLanes > len(sum) {
		panic("vmath: a place outside of the table")
	}
	at[float64]().scatterAdd(sum, from, to, x, y)
}

func scatterAddPlain(sum []float64, from, to []int, x, y []float64) {
	for k, f := range from {
		a := x[ScatterLanes*k:][:ScatterLanes]
		for l, t := range to {
			b, s := y[ScatterLanes*l:][:ScatterLanes], sum[f+t:][:ScatterLanes]
			for i := range s {
				s[i] += float64(a[i] * b[i])
			}
		}
	}
}
