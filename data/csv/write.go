package csv

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// Write writes a table of commas: the header if it is not nil, then a row for
// each instance, with all coordinates in the shortest decimal that reads as the
// same float64, and with its label as the last cell if labels is not nil. Cells
// are quoted where a Reader would take them for something else.
//
// It returns an error if the header or the labels do not fit the instances, or
// if a value is not finite. What was written before the fault stays written.
func Write(w io.Writer, header []string, x data.Source[data.Vector], labels []string) error {
	if labels != nil && len(labels) != x.Len() {
		return fmt.Errorf("csv: %d labels for %d instances", len(labels), x.Len())
	}
	dim := data.Dim(x)
	width := dim
	if labels != nil {
		width++
	}
	if header != nil && len(header) != width {
		return fmt.Errorf("csv: a header of %d names for %d columns", len(header), width)
	}
	out := bufio.NewWriterSize(w, bufferSize)
	var line []byte
	for j, name := range header {
		line = appendText(line, name, j)
	}
	if header != nil {
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	dense := make([]float64, dim)
	for i := range x.Len() {
		v := x.At(i)
		if !v.Finite() {
			return fmt.Errorf("csv: row %d: a value is not finite", i+1)
		}
		v.CopyTo(dense)
		line = line[:0]
		for j, value := range dense {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, value, 'g', -1, 64)
		}
		if labels != nil {
			line = appendText(line, labels[i], dim)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendText appends the cell of column j.
func appendText(line []byte, cell string, j int) []byte {
	if j > 0 {
		line = append(line, ',')
	}
	if !needsQuotes(cell) {
		return append(line, cell...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)
	return append(line, '"')
}

// needsQuotes reports whether a cell holds a separator of any kind of table, a
// quote or a line end, begins or ends with a blank, or would read as missing.
func needsQuotes(cell string) bool {
	return strings.ContainsAny(cell, ",;|\t\"\r\n") || strings.TrimSpace(cell) != cell || table.IsMissing(cell)
}
