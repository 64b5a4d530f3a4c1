package csvfile

import (
	"bytes"
	"io"
)

const (
	sampleSize    = 64 << 10 // bytes looked at to find out separator and header
	sampleMost    = 8 << 20  // bytes that may be read to see sampleLeast lines
	sampleLeast   = 4
	sampleRecord  = 1000 // rows looked at
	shortestTable = 3    // rows that a table of texts must have to show a header
)

// readSample reads the beginning of r: sampleSize bytes, or more until there
// are a few lines. It says whether that was all of r.
func readSample(r io.Reader) (sample []byte, whole bool, err error) {
	chunk := make([]byte, sampleSize)
	lines := 0
	for len(sample) < sampleSize || len(sample) < sampleMost && lines < sampleLeast {
		n, err := r.Read(chunk)
		sample = append(sample, chunk[:n]...)
		lines += bytes.Count(chunk[:n], []byte{'\n'})
		if err == io.EOF {
			return sample, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return sample, false, nil
}

// seen is a cell of the sample.
type seen struct {
	text    string
	content content
}

// sampleRecords splits the sample. It ends silently at the first fault, which
// reading reports, and leaves out the last row where it may have been cut.
func sampleRecords(sample []byte, whole bool, comma byte) [][]seen {
	s := newSplitter(bytes.NewReader(sample), "", comma)
	var records [][]seen
	for len(records) < sampleRecord && s.next() == nil {
		record := make([]seen, len(s.cells))
		for j := range record {
			kind, _ := classify(s.bytes(j), s.cells[j].quoted)
			record[j] = seen{string(s.bytes(j)), kind}
		}
		records = append(records, record)
	}
	if !whole && len(records) > 1 && len(records) < sampleRecord {
		records = records[:len(records)-1]
	}
	return records
}

// detectComma returns the separator by which the largest share of rows has the
// same number of cells, more than one; among equals the first of tab, semicolon,
// comma and bar: a comma that splits all rows alike beside one of the others is
// likely to be inside the cells.
func detectComma(sample []byte, whole bool) rune {
	best, comma := 0.0, ','
	for _, c := range "\t;,|" {
		records := sampleRecords(sample, whole, byte(c))
		count := map[int]int{}
		most := 0
		for _, record := range records {
			if n := len(record); n > 1 {
				count[n]++
				most = max(most, count[n])
			}
		}
		if len(records) == 0 {
			continue
		}
		if share := float64(most) / float64(len(records)); share > best {
			best, comma = share, c
		}
	}
	return comma
}

// detectHeader returns Present or Absent, by the rules that NewReader states.
func detectHeader(records [][]seen, names []string) Header {
	if len(records) == 0 {
		return Absent
	}
	first, rows := records[0], records[1:]
	if hasNames(first, names) || len(rows) > 0 && (isOddRow(first, rows) || overNumbers(first, rows) || overTexts(first, rows)) {
		return Present
	}
	return Absent
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
	return len(rows) >= shortestTable-1 && len(first) > 1
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
	if len(rows)+1 < shortestTable {
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
