package dataset

import (
	"slices"
	"strconv"
)

// Cells returns the cells of columns of a table, row by row, empty where one is missing,
// and what the columns are called: their numbers where there is no header. Columns are
// given by name or number from 1; "all" alone is all of them. The spelling of numbers is
// that of the file if Options.Verbatim was set.
func (r *Rows) Cells(columns []string) (titles []string, cells [][]string, err error) {
	if r.table == nil {
		return nil, nil, BadOption("%s is for tables, and %s is %s data, which has no columns", Option("keep"), r.Name,
			r.Format)
	}
	var index []int
	for _, name := range columns {
		j := slices.Index(r.table.Header, name)
		if n, err := strconv.Atoi(name); j < 0 && err == nil && n >= 1 && n <= r.table.Cols() {
			j = n - 1
		}
		switch {
		case j >= 0:
			index = append(index, j)
		case name == "all" && len(columns) == 1:
			for j := range r.table.Cols() {
				index = append(index, j)
			}
		default:
			return nil, nil, BadOption("%s: %s has no column %q", Option("keep"), r.Name, clip(name))
		}
	}
	cells = make([][]string, r.Len())
	for _, j := range index {
		titles = append(titles, columnTitle(r.table, j))
		for i := range cells {
			text, _ := r.table.Cell(i, j)
			cells[i] = append(cells[i], text)
		}
	}
	return titles, cells, nil
}
