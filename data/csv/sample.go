package csv

import (
	"bytes"

	"github.com/kerf-ml/kerf/data/table"
)

// Sample splits the beginning of a file as a Reader would: the names of the columns,
// nil where there is no header, and the first rows, of which the last one is left out
// where it may have been cut. whole says that head is all of the file.
func Sample(head []byte, whole bool, o table.Options) (names []string, rows [][]table.Cell) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if o.Comma == 0 {
		o.Comma = detectComma(head, whole)
	}
	rows = sampleRecords(head, whole, byte(o.Comma))
	if len(rows) == 0 || o.Header == table.Absent || o.Header == table.Auto && !table.HasHeader(rows, o.Names) {
		return nil, rows
	}
	if o.Header == table.Skip {
		return nil, rows[1:]
	}
	for _, c := range rows[0] {
		names = append(names, c.Text)
	}
	return names, rows[1:]
}
