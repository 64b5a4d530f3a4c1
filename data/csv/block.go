package csv

import (
	"math/bits"

	"github.com/kerf-ml/kerf/data/decimal"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/vmath"
)

const (
	// leastInRow is how many numbers next to each other are read row by row, at least: of fewer the rows
	// themselves take as long as that saves.
	leastInRow = 2 * decimal.CellsAtOnce

	rowsAtOnce = 8 // that are put into columns together

	// mostBetween is how many bytes may be between the numbers of two rows that are read as one list.
	mostBetween = 48
)

// block reads columns from lo to before hi row by row, so that what is read lies together, and puts some rows at a
// time into their columns. It reports false where one is a text.
func (p *piece) block(room [][]float64, lo, hi int, s *splitter) bool {
	n, width := hi-lo, len(p.point)
	p.few = sized(p.few, rowsAtOnce*n)
	to := room[lo:hi]
	points := make([]byte, (rowsAtOnce*n+decimal.CellsAtOnce-1)/decimal.CellsAtOnce)
	single := make([]byte, len(points)) // of rows that are read one by one
	for i := 0; i < p.rows; i += rowsAtOnce {
		rows := min(rowsAtOnce, p.rows-i)
		few, of := p.few[:rows*n], decimal.Block{First: i*width + lo, Width: n, Stride: width}
		if rows == 1 || p.ends[of.First+width]-p.ends[of.First+n] <= mostBetween {
			if !p.read(few, points, of, s) {
				return false
			}
		} else {
			for k := range rows {
				if !p.read(few[k*n:][:n], single, of, s) {
					return false
				}
				of.First += width
			}
		}
		columns(to, p.place+i, few)
	}
	for k := range rowsAtOnce * n {
		if j := k % n; p.point[lo+j].Line == 0 && (isSet(points, k) || k < n && isSet(single, k)) {
			p.notePoint(lo+j, s)
		}
	}
	return true
}

func isSet(bits []byte, k int) bool { return bits[k/8]>>(k%8)&1 == 1 }

// read reads numbers of a block, NaN for a cell that is missing. It reports false where one is a text.
func (p *piece) read(to []float64, points []byte, of decimal.Block, s *splitter) bool {
	for at := 0; at < len(to); {
		n, odd := decimal.Cells(to, at, p.text, p.ends, of, points)
		at += n
		first := (at - 1) / decimal.CellsAtOnce * decimal.CellsAtOnce
		for ; odd != 0; odd &= odd - 1 {
			k := first + bits.TrailingZeros8(odd)
			c := of.Cell(k)
			v, point, ok := table.PlainNumber(trim(p.text[p.ends[c]+1:p.ends[c+1]], s))
			if !ok {
				return false
			}
			to[k] = v
			if point {
				points[k/8] |= 1 << (k % 8)
			}
		}
	}
	return true
}

//go:generate go -C ../../gen run ./text -what columns -to ../data/csv

// columns puts rows into columns from row at on: to[j][at+k] is number j of row k.
func columns(to [][]float64, at int, few []float64) {
	if len(few) < rowsAtOnce*len(to) || len(to) < rowsAtOnce || vmath.Active() < vmath.AVX512 {
		columnsPlain(to, at, few)
		return
	}
	for _, c := range to {
		_ = c[at : at+rowsAtOnce]
	}
	columnsAVX512(to, at, few)
}

func columnsPlain(to [][]float64, at int, few []float64) {
	for j, c := range to {
		c = c[at:][:len(few)/len(to)]
		for k := range c {
			c[k] = few[k*len(to)+j]
		}
	}
}
