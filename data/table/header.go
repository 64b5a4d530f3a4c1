package table

// shortest is how many rows a table of texts must have to show a header.
const shortest = 3

// Cell is a cell as it stands in a file.
type Cell struct {
	Text   string
	Quoted bool // taken as it is, so that it is not missing unless it is empty
}

// HasHeader reports whether the first of the rows is a header: whether at least
// half of the names stand in it; or in some column it is text and all others are
// numbers; or, where all columns are text, its cells are distinct and none comes
// again in its column, though some column of three rows or more repeats itself.
func HasHeader(rows [][]Cell, names []string) bool {
	if len(rows) == 0 {
		return false
	}
	records := allSeen(rows)
	first, rest := records[0], records[1:]
	return hasNames(first, names) ||
		len(rest) > 0 && (isOddRow(first, rest) || overNumbers(first, rest) || overTexts(first, rest))
}

// seen is a cell with what it reads as.
type seen struct {
	text    string
	content content
}

// hasNames reports whether at least half of the names stand in the row.
func hasNames(row []seen, names []string) bool {
	stands := map[string]bool{}
	for _, c := range row {
		stands[c.text] = true
	}
	found := 0
	for _, name := range names {
		if stands[name] {
			found++
		}
	}
	return found > 0 && 2*found >= len(names)
}

// isOddRow reports whether the row is all text and of another length than all
// others, which agree: a header, though one that does not fit.
func isOddRow(first []seen, rows [][]seen) bool {
	for _, c := range first {
		if c.content != text {
			return false
		}
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) || len(row) == len(first) {
			return false
		}
	}
	return len(rows) >= shortest-1 && len(first) > 1
}

// overNumbers reports whether the first row is text over a column of numbers.
func overNumbers(first []seen, rows [][]seen) bool {
	for j, c := range first {
		if c.content != text {
			continue
		}
		numbers, others := 0, 0
		for _, row := range rows {
			switch {
			case j >= len(row) || row[j].content == missing:
			case row[j].content == number || row[j].content == nonfinite:
				numbers++
			default:
				others++
			}
		}
		if numbers > 0 && others == 0 {
			return true
		}
	}
	return false
}

// overTexts reports whether a table of texts has a first row that differs from
// all others as names do: distinct cells, none of which comes again in its
// column, though some column repeats itself.
func overTexts(first []seen, rows [][]seen) bool {
	if len(rows)+1 < shortest {
		return false
	}
	names := map[string]bool{}
	repeats := false
	for j, c := range first {
		if c.content != text || names[c.text] {
			return false
		}
		names[c.text] = true
		below := map[string]bool{}
		for _, row := range rows {
			if j >= len(row) || row[j].content == missing {
				continue
			}
			if row[j].content != text || row[j].text == c.text {
				return false
			}
			repeats = repeats || below[row[j].text]
			below[row[j].text] = true
		}
	}
	return repeats
}

// HasOddHeader reports whether the first of the rows is a header that does not fit:
// all text, and of another length than the others, which agree.
func HasOddHeader(rows [][]Cell) bool {
	return len(rows) > 1 && len(rows[0]) != len(rows[1]) && isOddRow(seenIn(rows[0]), allSeen(rows[1:]))
}

func seenIn(row []Cell) []seen {
	out := make([]seen, len(row))
	for j, c := range row {
		kind, _ := classify([]byte(c.Text), c.Quoted)
		out[j] = seen{c.Text, kind}
	}
	return out
}

func allSeen(rows [][]Cell) [][]seen {
	out := make([][]seen, len(rows))
	for i, row := range rows {
		out[i] = seenIn(row)
	}
	return out
}
