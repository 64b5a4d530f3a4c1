package csv

import (
	"bytes"
	"io"

	"github.com/kerf-ml/kerf/data/table"
)

const (
	sampleSize   = 64 << 10 // bytes looked at to find out separator and header
	sampleMost   = 8 << 20  // bytes that may be read to see sampleLeast lines
	sampleLeast  = 4
	sampleRecord = 1000 // rows looked at
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

// sampleRecords splits the sample. It ends silently at the first fault, which
// reading reports, and leaves out the last row where it may have been cut.
func sampleRecords(sample []byte, whole bool, comma byte) [][]table.Cell {
	s := newSplitter(bytes.NewReader(sample), "", comma)
	var records [][]table.Cell
	for len(records) < sampleRecord && s.next() == nil {
		record := make([]table.Cell, len(s.cells))
		for j := range record {
			record[j] = table.Cell{Text: string(s.bytes(j)), Quoted: s.cells[j].quoted}
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
// likely to be inside the cells. Where none of them splits all rows, and blanks do, it
// is a blank.
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
	if best < 1 && Spaced(sample) {
		return ' '
	}
	return comma
}
