package csv

// Plain makes a reader take rows apart in regions and pieces of so many bytes, and
// without it, for 0, row by row.
func (r *Reader) Plain(region, piece int) {
	if r.plain == nil {
		return
	}
	if r.plain.regionSize, r.plain.pieceSize = region, piece; region == 0 {
		r.plain = nil
	}
}

const MoreEnds = moreEnds

func CellEnds(ends []int32, text []byte, comma byte) []int32 { return cellEnds(ends, text, comma) }

// Columns and ColumnsPlain put rows into columns.
var Columns, ColumnsPlain = columns, columnsPlain
