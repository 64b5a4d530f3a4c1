package vmath

// WeaveColumns is how many columns Weave puts side by side.
const WeaveColumns = 4

// Weave puts numbers of four columns side by side, less the center of their column and divided by its spread:
//
//	dst[stride·i+k] = (columns[k][i] - center[k]) / spread[k]
//
// for rows i from 0 on, as long as all that comes out is finite, and returns how many rows these are:
// it may stop some rows before one that is not, or before the end.
func Weave(dst []float64, stride int, columns *[WeaveColumns][]float64, center, spread *[WeaveColumns]float64) int {
	n := len(columns[0])
	if n == 0 {
		return 0
	}
	if stride < WeaveColumns || len(dst) < stride*(n-1)+WeaveColumns {
		panic(lengths)
	}
	for _, c := range columns {
		if len(c) != n {
			panic(lengths)
		}
	}
	var fit [2 * WeaveColumns]float64
	copy(fit[:], center[:])
	copy(fit[WeaveColumns:], spread[:])
	return at[float64]().weave(dst, stride, columns[0], columns[1], columns[2], columns[3], fit[:])
}

func weavePlain(dst []float64, stride int, a, b, c, d, fit []float64) int {
	b, c, d, fit = b[:len(a)], c[:len(a)], d[:len(a)], fit[:2*WeaveColumns]
	for i := range a {
		x, y := (a[i]-fit[0])/fit[4], (b[i]-fit[1])/fit[5]
		z, w := (c[i]-fit[2])/fit[6], (d[i]-fit[3])/fit[7]
		if (x-x)+(y-y)+((z-z)+(w-w)) != 0 {
			return i
		}
		to := (*[WeaveColumns]float64)(dst[stride*i:])
		to[0], to[1], to[2], to[3] = x, y, z, w
	}
	return len(a)
}
