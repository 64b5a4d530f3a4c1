package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/eval"
)

// evenly returns at most most of the numbers below n, evenly spread.
func evenly(n, most int) []int {
	k := min(n, most)
	out := make([]int, k)
	for i := range out {
		out[i] = int(int64(i) * int64(n) / int64(k))
	}
	return out
}

// extent returns the smallest and the largest of the finite numbers of some lists
// and of 0.
func extent(values ...[]float64) (low, high float64) {
	for _, some := range values {
		for _, v := range some {
			if v-v == 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, high
}

// histogram counts values in columns of equal width from low to high, as parts
// of all values. The last column has its upper end, and what is outside counts in
// the column next to it.
func histogram(values []float64, low, high float64, columns int) []float64 {
	out := make([]float64, columns)
	for _, v := range values {
		// Halves, because the difference of two numbers may be too large for one.
		part := (v/2 - low/2) / (high/2 - low/2)
		if math.IsNaN(part) {
			continue
		}
		i := int(min(max(part, 0), 1) * float64(columns))
		out[min(i, columns-1)] += 1 / float64(len(values))
	}
	return out
}

// columns returns a histogram as bars around the middles of its columns.
func columns(parts []float64, low, high float64) (points []Point, width float64) {
	width = (high - low) / float64(len(parts))
	for i, p := range parts {
		points = append(points, Point{X: low + (float64(i)+0.5)*width, Y: p})
	}
	return points, width
}

// outline returns a histogram as steps around its columns.
func outline(parts []float64, low, high float64) []Point {
	width := (high - low) / float64(len(parts))
	points := []Point{{X: low}}
	for i, p := range parts {
		points = append(points, Point{X: low + float64(i)*width, Y: p})
	}
	return append(points, Point{X: high, Y: parts[len(parts)-1]}, Point{X: high})
}

// roc returns the corners of the ROC curve of two classes, rows of equal scores
// together: the part of the rows of class 1 found against the part of those of
// class 0 taken for it, for every threshold. It is nil where a class is missing.
func roc(s eval.Said) []Point {
	type scored struct {
		s float64
		c int
	}
	var all []scored
	var count [2]float64
	for i, c := range s.Truth {
		if c == 0 || c == 1 {
			all = append(all, scored{s.Scores.Row(i)[1] - s.Scores.Row(i)[0], c})
			count[c]++
		}
	}
	if count[0] == 0 || count[1] == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(b.s, a.s) })
	points := []Point{{}}
	var found [2]float64
	for i, v := range all {
		found[v.c]++
		if i+1 == len(all) || all[i+1].s != v.s {
			points = append(points, Point{X: found[0] / count[0], Y: found[1] / count[1]})
		}
	}
	return points
}

// contour returns the lines along which values on an even grid over the square
// from -reach to reach are 0, in pieces that cross one square of the grid each,
// with a point that is not a number after each: marching squares. Row r of the
// grid is at the height of column r.
func contour(grid [][]float64, reach float64) []Point {
	var out []Point
	at := func(i float64, n int) float64 { return reach * (2*i/float64(n-1) - 1) }
	for r := 0; r+1 < len(grid); r++ {
		for c := 0; c+1 < min(len(grid[r]), len(grid[r+1])); c++ {
			// The corners in turn, and where the sides between them are crossed.
			corner := [4][2]int{{r, c}, {r, c + 1}, {r + 1, c + 1}, {r + 1, c}}
			var crossed []Point
			for k, a := range corner {
				b := corner[(k+1)%4]
				va, vb := grid[a[0]][a[1]], grid[b[0]][b[1]]
				if (va < 0) == (vb < 0) {
					continue
				}
				t := va / (va - vb)
				crossed = append(crossed, Point{
					X: at(float64(a[1])+t*float64(b[1]-a[1]), len(grid[r])),
					Y: at(float64(a[0])+t*float64(b[0]-a[0]), len(grid)),
				})
			}
			for k := 0; k+1 < len(crossed); k += 2 {
				out = append(out, crossed[k], crossed[k+1], Point{X: math.NaN()})
			}
		}
	}
	return out
}
