package csv

import (
	"bytes"

	"github.com/kerf-ml/kerf/data/table"
)

// Sample splits the beginning of a file as a Reader would: the names of the columns,
// nil where there is no header, and the first rows, of which the last one is left out
// where it may have been cut. whole says that head is all of the file.
func Sample(head []byte, whole bool, o table.Options) (names []string, rows [][]table.Cell) {
	b := begin(head, whole, o)
	rows = b.records
	if len(rows) == 0 || b.options.Header == table.Absent {
		return nil, rows
	}
	if b.options.Header == table.Skip {
		return nil, rows[1:]
	}
	for _, c := range rows[0] {
		names = append(names, c.Text)
	}
	return names, rows[1:]
}

// beginning is what the beginning of a file shows.
type beginning struct {
	options table.Options // with what they left open filled in
	records [][]table.Cell
	skipped []byte // remarks before the first row
	odd     int    // names of a header that does not fit the rows, and is left aside; 0 for none
}

// begin finds out what the options leave open by the beginning of a file. Lines before
// the first row that begin with # are remarks, unless they have as many cells as that.
func begin(sample []byte, whole bool, o table.Options) beginning {
	sample = bytes.TrimPrefix(sample, []byte("\xef\xbb\xbf"))
	b := beginning{options: o, skipped: remarks(sample, whole)}
	rest := sample[len(b.skipped):]
	if o.Comma == 0 {
		b.options.Comma = detectComma(rest, whole)
	}
	comma := byte(b.options.Comma)
	b.records = sampleRecords(rest, whole, comma)
	if n := len(b.skipped); n > 0 && len(b.records) > 0 { // the last of them may be the header
		last := bytes.LastIndexByte(sample[:n-1], '\n') + 1
		header := sampleRecords(sample[last:n], true, comma)
		if len(header) == 1 && len(header[0]) == len(b.records[0]) && len(header[0]) > 1 {
			b.skipped = sample[:last]
			b.records = append(header, b.records...)
		}
	}
	if o.Header == table.Auto {
		b.options.Header = table.Absent
		if table.HasHeader(b.records, o.Names) {
			b.options.Header = table.Present
			if len(o.Names) == 0 && table.HasOddHeader(b.records) {
				b.options.Header, b.odd = table.Skip, len(b.records[0])
			}
		}
	}
	return b
}

// remarks returns the lines at the beginning of a sample that begin with # or are blank,
// up to the first that does not; nothing where there is no such line or none is a remark.
func remarks(sample []byte, whole bool) []byte {
	end, some := 0, false
	for line := range bytes.Lines(sample) {
		text := bytes.TrimSpace(line)
		switch {
		case len(text) > 0 && text[0] != '#' && some:
			return sample[:end]
		case len(text) > 0 && text[0] != '#':
			return nil
		case !whole && end+len(line) == len(sample):
			return nil
		}
		some = some || len(text) > 0
		end += len(line)
	}
	return nil
}
