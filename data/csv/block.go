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
)

// block reads columns from lo to before hi row by row, so that what is read lies together, and puts some rows at a
// time into their columns. It reports false where one is a text.
func (p *piece) block(room [][]float64, lo, hi int, s *splitter) bool {
	n := hi - lo
	p.few = sized(p.few, rowsAtOnce*n)
	to := room[lo:hi]
	points := make([]byte, (n+decimal.CellsAtOnce-1)/decimal.CellsAtOnce)
	for i := 0; i < p.rows; i += rowsAtOnce {
		rows := min(rowsAtOnce, p.rows-i)
		for k := range rows {
			if !p.row(p.few[k*n:][:n], points, i+k, lo, s) {
				return false
			}
		}
		columns(to, p.place+i, p.few[:rows*n])
	}
	for j := range n {
		if points[j/decimal.CellsAtOnce]>>(j%decimal.CellsAtOnce)&1 == 1 {
			p.notePoint(lo+j, s)
		}
	}
	return true
}

// row reads numbers of row i, of columns from lo on, NaN for a cell that is missing. It reports false where one is a
// text.
func (p *piece) row(to []float64, points []byte, i, lo int, s *splitter) bool {
	for at := 0; at < len(to); {
		group := at / decimal.CellsAtOnce
		n, odd := decimal.Cells(to[at:], p.text, p.ends, i*len(p.point)+lo+at, points[group:])
		at += n
		group = (at - 1) / decimal.CellsAtOnce
		for ; odd != 0; odd &= odd - 1 {
			k := bits.TrailingZeros8(odd)
			begin, end := p.bounds(i, lo+group*decimal.CellsAtOnce+k)
			v, point, ok := table.PlainNumber(trim(p.text[begin:end], s))
			if !ok {
				return false
			}
			to[group*decimal.CellsAtOnce+k] = v
			if point {
				points[group] |= 1 << k
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
