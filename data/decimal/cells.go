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

// Block is where numbers of some rows of a table are among its cells: number k is cell
// First + k/Width*Stride + k%Width.
type Block struct{ First, Width, Stride int }

// Cell returns which cell number k is.
func (b Block) Cell(k int) int { return b.First + k/b.Width*b.Stride + k%b.Width }

// Cells reads numbers of a table in a text: dst[k] is that of a block behind byte ends[c] and up to ends[c+1], c its
// cell. It goes on from number from on, a multiple of eight, up to the end, or up to eight of
// which some are not common, as Column has it: it returns how many it has behind it then, and a
// bit in odd for each of these eight, or fewer at the end, that it could not read. Bit k%8 of
// points[k/8] is set where number k may have a point.
func Cells(dst []float64, from int, text []byte, ends []int32, of Block, points []byte) (read int, odd uint8) {
	if len(dst) == from {
		return 0, 0
	}
	_ = ends[of.First:][of.Cell(len(dst)-1)-of.First+1]
	_ = points[(len(dst)-1)/CellsAtOnce]
	wide := ByRows() && len(text) >= leastCells && (of.Width >= CellsAtOnce || of.Width >= len(dst))
	at := from
	for at < len(dst) && odd == 0 {
		begin := at
		if odd = 1<<CellsAtOnce - 1; wide {
			var n int
			n, odd = cellsAVX512(dst[at:], text, ends, of.Cell(at), of.Width-at%of.Width, of.Width, of.Stride-of.Width,
				points[at/CellsAtOnce:])
			at += n
			if odd != 0 {
				begin = (at - 1) / CellsAtOnce * CellsAtOnce
			}
		} else {
			at = min(at+CellsAtOnce, len(dst))
		}
		if odd != 0 {
			odd = cellsPlain(dst[:at], begin, text, ends, of, points, odd)
		}
	}
	return at - from, odd
}

// cellsPlain is Cells of eight numbers at most, of those that odd has a bit of.
func cellsPlain(dst []float64, from int, text []byte, ends []int32, of Block, points []byte, odd uint8) uint8 {
	for k := range dst[from:] {
		if odd>>k&1 == 0 {
			continue
		}
		n, point := columnPlain(dst[from+k:][:1], text, ends, of.Cell(from+k), 1)
		odd &^= uint8(n) << k
		if point {
			points[from/CellsAtOnce] |= 1 << k
		}
	}
	return odd & (1<<len(dst[from:]) - 1)
}
