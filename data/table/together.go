package table

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
)

// together is how many columns are put into rows at the same time: half a line of the cache.
const together = vmath.WeaveColumns

// putTogether puts rows of the first columns into a matrix, if they are plain numbers in
// coordinates next to each other. It reports false where they are not, or one of them is missing
// or cannot be scaled: then it may have written some.
func putTogether(m *data.Matrix, parts []*part, lo, hi int) bool {
	if len(parts) < together {
		return false
	}
	var from [together][]float64
	var center, spread [together]float64
	first, same := parts[0].to.Offset, true
	for k, p := range parts[:together] {
		c := p.to
		if c.Kind != Number || p.from.code != nil || c.Indicator || c.Curve != nil || c.Spread == 0 || c.Offset != first+k {
			return false
		}
		from[k], center[k], spread[k] = p.from.value[lo:hi], c.Center, c.Spread
		same = same && c.Center == 0 && c.Spread == 1
	}
	if same {
		return putFour(m, first, lo, &from)
	}
	return putFourScaled(m, first, lo, &from, &center, &spread)
}

// putFour puts rows of numbers as they are. It reports false where one is not finite.
func putFour(m *data.Matrix, first, lo int, from *[together][]float64) bool {
	a := from[0]
	b, c, d := from[1][:len(a)], from[2][:len(a)], from[3][:len(a)]
	for i := range a {
		x, y, z, w := a[i], b[i], c[i], d[i]
		if (x-x)+(y-y)+((z-z)+(w-w)) != 0 {
			return false
		}
		to := (*[together]float64)(m.Data[(lo+i)*m.Cols+first:])
		to[0], to[1], to[2], to[3] = x, y, z, w
	}
	return true
}

// putFourScaled is putFour of numbers that are scaled.
func putFourScaled(m *data.Matrix, first, lo int, from *[together][]float64, center, spread *[together]float64) bool {
	rows := len(from[0])
	for i := vmath.Weave(m.Data[lo*m.Cols+first:], m.Cols, from, center, spread); i < rows; i++ {
		to := (*[together]float64)(m.Data[(lo+i)*m.Cols+first:])
		for k := range together {
			v := (from[k][i] - center[k]) / spread[k]
			if v-v != 0 {
				return false
			}
			to[k] = v
		}
	}
	return true
}
