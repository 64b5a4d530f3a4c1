package decimal

import "github.com/kerf-ml/kerf/internal/vmath"

//go:generate go -C ../../gen run ./text -what cells -to ../data/decimal

const (
	// CellsAtOnce is how many numbers Cells reads side by side.
	CellsAtOnce = 8

	// leastCells is how much text there must be for cellsAVX512.
	leastCells = 129
)

// ByRows reports whether Cells is faster than Column, for rows of many numbers: with AVX-512 and
// VBMI.
func ByRows() bool { return choosesBytes && vmath.Active() >= vmath.AVX512 }

// Cells reads numbers of a table in a text that are next to each other: dst[k] is the one behind
// byte ends[first+k] and up to ends[first+k+1]. It goes on up to the end, or up to eight of
// which some are not common, as Column has it: it returns how many it has behind it then, and a
// bit in odd for each of these eight, or fewer at the end, that it could not read. Bit k%8 of
// points[k/8] is set where number k may have a point.
func Cells(dst []float64, text []byte, ends []int32, first int, points []byte) (read int, odd uint8) {
	if len(dst) == 0 {
		return 0, 0
	}
	_ = ends[first:][len(dst)]
	_ = points[(len(dst)-1)/CellsAtOnce]
	wide := ByRows() && len(text) >= leastCells
	for read < len(dst) && odd == 0 {
		from := read
		if odd = 1<<CellsAtOnce - 1; wide {
			var n int
			n, odd = cellsAVX512(dst[read:], text, ends, first+read, points[read/CellsAtOnce:])
			read += n
			if odd != 0 {
				from = (read - 1) / CellsAtOnce * CellsAtOnce
			}
		} else {
			read = min(read+CellsAtOnce, len(dst))
		}
		if odd != 0 {
			odd = cellsPlain(dst[from:read], text, ends, first+from, &points[from/CellsAtOnce], odd)
		}
	}
	return read, odd
}

// cellsPlain is Cells of eight numbers at most, of those that odd has a bit of.
func cellsPlain(dst []float64, text []byte, ends []int32, first int, points *byte, odd uint8) uint8 {
	for k := range dst {
		if odd>>k&1 == 0 {
			continue
		}
		n, point := columnPlain(dst[k:k+1], text, ends, first+k, 1)
		odd &^= uint8(n) << k
		if point {
			*points |= 1 << k
		}
	}
	return odd & (1<<len(dst) - 1)
}
